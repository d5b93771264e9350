-- Written by tests/golden/make_profile of commit e53f57b.
PRAGMA application_id=1952543333; PRAGMA user_version=2;
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE session (
	id INTEGER PRIMARY KEY,
	command_line TEXT,
	directory TEXT,
	host TEXT,
	system TEXT,
	processor TEXT,
	tare_version TEXT,
	method TEXT,
	settings TEXT,
	begin_unix_ns INTEGER NOT NULL,
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	ticks_per_second REAL NOT NULL,
	clock_drift_ppm REAL NOT NULL,
	exit_status INTEGER NOT NULL,
	complete INTEGER NOT NULL,
	incomplete_reason TEXT
) STRICT;
INSERT INTO session VALUES(1,'./work --fast ''two words''','/home/user','box','Linux 6.1 x86_64','Test Processor','0.1.0','instrument','probes=merged',1700000000000000000,1000,2001000,1000000000.0,0.25,137,0,'process 9 was killed by signal 9');
CREATE TABLE process (
	id INTEGER PRIMARY KEY,
	pid INTEGER NOT NULL,
	parent_pid INTEGER NOT NULL,
	name TEXT,
	executable TEXT,
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	forked INTEGER NOT NULL,
	ended INTEGER NOT NULL,
	cost_enter_ticks INTEGER NOT NULL,
	cost_leave_ticks INTEGER NOT NULL,
	cost_call_ticks INTEGER NOT NULL,
	cost_return_ticks INTEGER NOT NULL,
	os_means INTEGER NOT NULL,
	threads_lost INTEGER NOT NULL,
	records_lost INTEGER NOT NULL,
	children_lost INTEGER NOT NULL,
	images_unfollowed INTEGER NOT NULL,
	limits INTEGER NOT NULL,
	begin_enter_inside_ticks INTEGER NOT NULL,
	begin_enter_outside_ticks INTEGER NOT NULL,
	begin_call_inside_ticks INTEGER NOT NULL,
	begin_call_outside_ticks INTEGER NOT NULL,
	begin_call_indirect_inside_ticks INTEGER NOT NULL,
	begin_call_indirect_outside_ticks INTEGER NOT NULL,
	begin_enter_flags_inside_ticks INTEGER NOT NULL,
	begin_enter_flags_outside_ticks INTEGER NOT NULL,
	begin_call_flags_inside_ticks INTEGER NOT NULL,
	begin_call_flags_outside_ticks INTEGER NOT NULL,
	begin_bare_ticks INTEGER NOT NULL,
	begin_syscall_ticks INTEGER NOT NULL,
	end_enter_inside_ticks INTEGER NOT NULL,
	end_enter_outside_ticks INTEGER NOT NULL,
	end_call_inside_ticks INTEGER NOT NULL,
	end_call_outside_ticks INTEGER NOT NULL
) STRICT;
INSERT INTO process VALUES(1,9,1,'cut','cut',1000,2001000,0,1,4,4,3,3,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
CREATE TABLE thread (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	tid INTEGER NOT NULL,
	name TEXT,
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	now_ticks INTEGER NOT NULL,
	os_ticks INTEGER NOT NULL,
	own_ticks INTEGER NOT NULL,
	overhead_ticks INTEGER NOT NULL,
	dropped INTEGER NOT NULL,
	negative INTEGER NOT NULL,
	folded INTEGER NOT NULL,
	too_deep INTEGER NOT NULL,
	unmatched INTEGER NOT NULL,
	os_lost INTEGER NOT NULL,
	flagged INTEGER NOT NULL,
	open_frames INTEGER NOT NULL,
	stack_switches INTEGER NOT NULL,
	calls_set_aside INTEGER NOT NULL,
	calls_taken_back INTEGER NOT NULL,
	stacks_lost INTEGER NOT NULL,
	off_ticks INTEGER NOT NULL,
	cut INTEGER NOT NULL,
	begun_while_off INTEGER NOT NULL,
	beyond_depth INTEGER NOT NULL,
	marks_lost INTEGER NOT NULL,
	causes_unasked INTEGER NOT NULL,
	limits INTEGER NOT NULL
) STRICT;
INSERT INTO thread VALUES(1,1,9,'cut',1500,0,6200,0,0,0,1234567,0,3,0,0,0,0,1,0,0,0,0,0,0,0,0,0,0,13);
CREATE TABLE module (
	id INTEGER PRIMARY KEY,
	name TEXT,
	path TEXT,
	build_id TEXT,
	system INTEGER NOT NULL,
	instrumented INTEGER NOT NULL
) STRICT;
INSERT INTO module VALUES(1,'cut','/bin/cut','0123abcd',0,1);
CREATE TABLE function (
	id INTEGER PRIMARY KEY,
	module INTEGER REFERENCES module(id),
	name TEXT,
	link_addr INTEGER NOT NULL,
	size INTEGER NOT NULL,
	source TEXT,
	line INTEGER NOT NULL
) STRICT;
INSERT INTO function VALUES(1,1,'main',16,64,NULL,0);
INSERT INTO function VALUES(2,1,'tiny',80,64,NULL,0);
CREATE TABLE node (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	parent INTEGER REFERENCES node(id),
	function INTEGER REFERENCES function(id),
	calls INTEGER NOT NULL,
	unwound INTEGER NOT NULL,
	calls_by_call INTEGER NOT NULL,
	elapsed_ticks INTEGER NOT NULL,
	os_blocked_ticks INTEGER NOT NULL,
	os_preempted_ticks INTEGER NOT NULL,
	os_major_fault_ticks INTEGER NOT NULL,
	os_minor_fault_ticks INTEGER NOT NULL,
	os_syscall_ticks INTEGER NOT NULL,
	os_interrupt_ticks INTEGER NOT NULL,
	overhead_ticks INTEGER NOT NULL,
	elapsed_inclusive_min INTEGER,
	elapsed_inclusive_max INTEGER,
	elapsed_exclusive_min INTEGER,
	elapsed_exclusive_max INTEGER,
	application_inclusive_min INTEGER,
	application_inclusive_max INTEGER,
	application_exclusive_min INTEGER,
	application_exclusive_max INTEGER,
	folded INTEGER NOT NULL,
	folded_elapsed_ticks INTEGER NOT NULL,
	folded_os_ticks INTEGER NOT NULL
) STRICT;
INSERT INTO node VALUES(1,1,NULL,NULL,0,0,0,0,0,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0);
INSERT INTO node VALUES(2,1,1,1,3,0,0,5000,0,0,0,0,0,0,24,NULL,NULL,1666,5000,NULL,NULL,1666,5000,0,0,0);
INSERT INTO node VALUES(3,1,2,2,20000,0,0,500,0,0,0,0,0,0,160000,NULL,NULL,0,500,NULL,NULL,0,500,0,0,0);
INSERT INTO node VALUES(4,1,2,1,1,0,0,40,0,0,0,0,0,0,0,0,0,40,40,0,0,0,0,0,60,0);
INSERT INTO node VALUES(5,1,1,2,3,0,0,60,0,0,0,0,0,0,0,0,0,19,21,0,0,0,0,1,0,0);
CREATE TABLE os (
	id INTEGER PRIMARY KEY,
	node INTEGER REFERENCES node(id),
	cause INTEGER NOT NULL,
	syscall_number INTEGER NOT NULL,
	object INTEGER NOT NULL,
	count INTEGER NOT NULL,
	ticks INTEGER NOT NULL
) STRICT;
CREATE TABLE coverage (
	id INTEGER PRIMARY KEY,
	module INTEGER REFERENCES module(id),
	function TEXT,
	link_addr INTEGER NOT NULL,
	size INTEGER NOT NULL,
	verdict TEXT,
	count INTEGER NOT NULL
) STRICT;
CREATE TABLE mark (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	mark INTEGER NOT NULL,
	name TEXT,
	ticks INTEGER NOT NULL
) STRICT;
CREATE TABLE disarm (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	function INTEGER REFERENCES function(id),
	ticks INTEGER NOT NULL,
	calls INTEGER NOT NULL
) STRICT;
INSERT INTO disarm VALUES(1,1,2,2000,19000);
CREATE TABLE histogram (
	id INTEGER PRIMARY KEY,
	node INTEGER REFERENCES node(id),
	bucket INTEGER NOT NULL,
	calls INTEGER NOT NULL
) STRICT;
INSERT INTO histogram VALUES(1,2,11,2);
INSERT INTO histogram VALUES(2,2,12,1);
INSERT INTO histogram VALUES(3,3,0,19999);
INSERT INTO histogram VALUES(4,3,1,1);
CREATE TABLE trace (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	limit_bytes INTEGER NOT NULL,
	events INTEGER NOT NULL,
	lost INTEGER NOT NULL
) STRICT;
CREATE TABLE trace_chunk (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	sequence INTEGER NOT NULL,
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	lost_before INTEGER NOT NULL,
	events INTEGER NOT NULL,
	node INTEGER NOT NULL,
	folded INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE os_cause (id INTEGER PRIMARY KEY, name TEXT) STRICT;
INSERT INTO os_cause VALUES(0,'blocked');
INSERT INTO os_cause VALUES(1,'preempted');
INSERT INTO os_cause VALUES(2,'major_fault');
INSERT INTO os_cause VALUES(3,'minor_fault');
INSERT INTO os_cause VALUES(4,'syscall');
INSERT INTO os_cause VALUES(5,'interrupt');
CREATE INDEX node_parent ON node(parent);
COMMIT;
