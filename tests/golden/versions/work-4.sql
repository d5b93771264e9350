-- Written by tests/golden/make_profile of commit 30f4c3f.
PRAGMA application_id=1952543333; PRAGMA user_version=4;
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
INSERT INTO session VALUES(1,'./work --fast ''two words''','/home/user','box','Linux 6.1 x86_64','Test Processor','0.1.0','instrument','probes=merged',1700000000000000000,1000,2001000,1000000000.0,0.25,0,1,NULL);
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
INSERT INTO process VALUES(1,4001,1,'work','work',1000,2001000,0,1,4,4,3,3,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
INSERT INTO process VALUES(2,4003,1,'work','work',1000,2001000,0,1,4,4,3,3,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
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
INSERT INTO thread VALUES(1,1,4001,'worker',1500,2000500,1453500,343000,0,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
INSERT INTO thread VALUES(2,1,4002,'worker',1500,2000500,763000,699000,0,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
INSERT INTO thread VALUES(3,2,4003,'worker',1500,2000500,29900,0,0,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
CREATE TABLE module (
	id INTEGER PRIMARY KEY,
	name TEXT,
	path TEXT,
	build_id TEXT,
	system INTEGER NOT NULL,
	instrumented INTEGER NOT NULL,
	lines TEXT
) STRICT;
INSERT INTO module VALUES(1,'work','/usr/bin/work','0123abcd',0,1,NULL);
INSERT INTO module VALUES(2,'libstripped.so.1','/usr/lib/x86_64-linux-gnu/libstripped.so.1','0123abcd',0,1,NULL);
INSERT INTO module VALUES(3,'libc.so.6','/usr/lib/x86_64-linux-gnu/libc.so.6','0123abcd',0,1,NULL);
CREATE TABLE function (
	id INTEGER PRIMARY KEY,
	module INTEGER REFERENCES module(id),
	name TEXT,
	link_addr INTEGER NOT NULL,
	size INTEGER NOT NULL,
	source TEXT,
	line INTEGER NOT NULL
) STRICT;
INSERT INTO function VALUES(1,1,'main',4352,64,NULL,0);
INSERT INTO function VALUES(2,1,'parse',4608,300,'/src/demo/parse.c',42);
INSERT INTO function VALUES(3,1,'evaluate',5120,64,NULL,0);
INSERT INTO function VALUES(4,1,'_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEEiSt4lessIS5_ESaISt4pairIKS5_iEEE4findERS9_',5632,64,NULL,0);
INSERT INTO function VALUES(5,1,'_ZNSt6vectorIiSaIiEE9push_backERKi',5888,64,NULL,0);
INSERT INTO function VALUES(6,2,'',24384,64,NULL,0);
INSERT INTO function VALUES(7,1,'init',6144,64,NULL,0);
INSERT INTO function VALUES(8,1,'init',6400,64,NULL,0);
INSERT INTO function VALUES(9,3,'read',0,64,NULL,0);
INSERT INTO function VALUES(10,3,'pthread_mutex_lock',0,64,NULL,0);
INSERT INTO function VALUES(11,1,'tiny',6656,64,NULL,0);
CREATE TABLE sampling (
	id INTEGER PRIMARY KEY,
	collector TEXT,
	reason TEXT,
	unwinding TEXT,
	kernel INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	truncated INTEGER NOT NULL,
	discarded INTEGER NOT NULL,
	in_runtime INTEGER NOT NULL,
	lost INTEGER NOT NULL,
	throttled INTEGER NOT NULL,
	unreadable INTEGER NOT NULL
) STRICT;
CREATE TABLE event (
	id INTEGER PRIMARY KEY,
	name TEXT,
	unit TEXT,
	period INTEGER NOT NULL,
	frequency INTEGER NOT NULL
) STRICT;
CREATE TABLE source (
	id INTEGER PRIMARY KEY,
	path TEXT
) STRICT;
CREATE TABLE location (
	id INTEGER PRIMARY KEY,
	function INTEGER REFERENCES function(id),
	link_addr INTEGER NOT NULL
) STRICT;
CREATE TABLE location_line (
	id INTEGER PRIMARY KEY,
	location INTEGER REFERENCES location(id),
	depth INTEGER NOT NULL,
	function TEXT,
	source INTEGER REFERENCES source(id),
	line INTEGER NOT NULL,
	column INTEGER NOT NULL
) STRICT;
CREATE TABLE stack (
	id INTEGER PRIMARY KEY,
	parent INTEGER REFERENCES stack(id),
	location INTEGER REFERENCES location(id)
) STRICT;
CREATE TABLE unfollowed (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	path TEXT,
	reason TEXT,
	count INTEGER NOT NULL
) STRICT;
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
	folded_os_ticks INTEGER NOT NULL,
	location INTEGER REFERENCES location(id)
) STRICT;
INSERT INTO node VALUES(1,1,NULL,NULL,0,0,0,12000,0,0,0,8000,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,NULL);
INSERT INTO node VALUES(2,1,1,1,1,0,0,50000,0,20000,0,0,0,0,8,NULL,NULL,50000,50000,NULL,NULL,30000,30000,0,0,0,NULL);
INSERT INTO node VALUES(3,1,2,2,20,0,0,400000,0,0,0,30000,0,0,160,NULL,NULL,20000,400000,NULL,NULL,18500,370000,0,0,0,NULL);
INSERT INTO node VALUES(4,1,3,9,40,0,0,250000,0,0,0,0,240000,0,320,NULL,NULL,6250,250000,NULL,NULL,250,10000,0,0,0,NULL);
INSERT INTO node VALUES(5,1,3,4,4000,0,0,300000,0,0,0,0,0,0,32000,NULL,NULL,75,300000,NULL,NULL,75,300000,0,0,0,NULL);
INSERT INTO node VALUES(6,1,2,3,10,0,0,80000,0,0,0,0,0,0,80,NULL,NULL,8000,80000,NULL,NULL,8000,80000,0,0,0,NULL);
INSERT INTO node VALUES(7,1,6,3,100,0,0,160000,0,0,0,0,0,5000,800,NULL,NULL,1600,160000,NULL,NULL,1550,155000,0,0,0,NULL);
INSERT INTO node VALUES(8,1,7,5,9000,0,0,110000,0,0,40000,0,0,0,72000,NULL,NULL,12,110000,NULL,NULL,7,70000,0,0,0,NULL);
INSERT INTO node VALUES(9,1,7,11,9000,0,0,90000,0,0,0,0,0,0,72000,NULL,NULL,10,90000,NULL,NULL,10,90000,0,0,0,NULL);
INSERT INTO node VALUES(10,1,2,7,1,0,0,1500,0,0,0,0,0,0,8,NULL,NULL,1500,1500,NULL,NULL,1500,1500,0,0,0,NULL);
INSERT INTO node VALUES(11,2,NULL,NULL,0,0,0,3000,0,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,NULL);
INSERT INTO node VALUES(12,2,11,3,5,0,0,60000,0,0,0,0,0,0,40,NULL,NULL,12000,60000,NULL,NULL,12000,60000,0,0,0,NULL);
INSERT INTO node VALUES(13,2,12,10,5,0,0,700000,699000,0,0,0,0,0,40,NULL,NULL,140000,700000,NULL,NULL,200,1000,0,0,0,NULL);
INSERT INTO node VALUES(14,3,NULL,NULL,0,0,0,1000,0,0,0,0,0,0,0,NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0,0,0,NULL);
INSERT INTO node VALUES(15,3,14,1,1,0,0,7000,0,0,0,0,0,0,8,NULL,NULL,7000,7000,NULL,NULL,7000,7000,0,0,0,NULL);
INSERT INTO node VALUES(16,3,15,6,3,0,0,21000,0,0,0,0,0,0,24,NULL,NULL,7000,21000,NULL,NULL,7000,21000,0,0,0,NULL);
INSERT INTO node VALUES(17,3,15,8,1,0,0,900,0,0,0,0,0,0,8,NULL,NULL,900,900,NULL,NULL,900,900,0,0,0,NULL);
CREATE TABLE os (
	id INTEGER PRIMARY KEY,
	node INTEGER REFERENCES node(id),
	cause INTEGER NOT NULL,
	syscall_number INTEGER NOT NULL,
	object INTEGER NOT NULL,
	count INTEGER NOT NULL,
	ticks INTEGER NOT NULL,
	path TEXT
) STRICT;
INSERT INTO os VALUES(1,4,4,0,3,30,180000,NULL);
INSERT INTO os VALUES(2,4,4,0,4,10,50000,NULL);
INSERT INTO os VALUES(3,13,0,202,139637976731712,5,699000,NULL);
INSERT INTO os VALUES(4,2,1,-1,0,2,20000,NULL);
INSERT INTO os VALUES(5,8,2,-1,0,1,40000,NULL);
INSERT INTO os VALUES(6,7,5,9999,1,1,5000,NULL);
CREATE TABLE coverage (
	id INTEGER PRIMARY KEY,
	module INTEGER REFERENCES module(id),
	function TEXT,
	link_addr INTEGER NOT NULL,
	size INTEGER NOT NULL,
	verdict TEXT,
	count INTEGER NOT NULL
) STRICT;
INSERT INTO coverage VALUES(1,1,'main',4352,64,'instrumented',1);
INSERT INTO coverage VALUES(2,1,'parse',4608,300,'instrumented',1);
INSERT INTO coverage VALUES(3,1,'evaluate',5120,64,'instrumented',1);
INSERT INTO coverage VALUES(4,1,'evaluate.cold',5376,20,'part',1);
INSERT INTO coverage VALUES(5,1,'tiny_leaf',6912,9,'small',1);
INSERT INTO coverage VALUES(6,1,'_start',4096,34,'startup',1);
INSERT INTO coverage VALUES(7,1,'_ZN3ns15jumperEv',7168,90,'jump-unproven',1);
INSERT INTO coverage VALUES(8,2,'',24384,128,'instrumented',1);
INSERT INTO coverage VALUES(9,2,'',24576,128,'jump-unproven',1);
INSERT INTO coverage VALUES(10,2,'',24832,16,'bad-target',1);
INSERT INTO coverage VALUES(11,3,'',0,0,'no-syscall',3300);
INSERT INTO coverage VALUES(12,3,'',0,0,'instrumented',403);
CREATE TABLE mark (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	mark INTEGER NOT NULL,
	name TEXT,
	ticks INTEGER NOT NULL
) STRICT;
INSERT INTO mark VALUES(1,1,7,'warm',501000);
INSERT INTO mark VALUES(2,2,8,NULL,301000);
CREATE TABLE disarm (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	function INTEGER REFERENCES function(id),
	ticks INTEGER NOT NULL,
	calls INTEGER NOT NULL
) STRICT;
CREATE TABLE histogram (
	id INTEGER PRIMARY KEY,
	node INTEGER REFERENCES node(id),
	bucket INTEGER NOT NULL,
	calls INTEGER NOT NULL
) STRICT;
INSERT INTO histogram VALUES(1,2,17,1);
INSERT INTO histogram VALUES(2,3,15,19);
INSERT INTO histogram VALUES(3,3,16,1);
INSERT INTO histogram VALUES(4,4,13,39);
INSERT INTO histogram VALUES(5,4,14,1);
INSERT INTO histogram VALUES(6,5,7,3999);
INSERT INTO histogram VALUES(7,5,8,1);
INSERT INTO histogram VALUES(8,6,13,9);
INSERT INTO histogram VALUES(9,6,14,1);
INSERT INTO histogram VALUES(10,7,11,99);
INSERT INTO histogram VALUES(11,7,12,1);
INSERT INTO histogram VALUES(12,8,4,8999);
INSERT INTO histogram VALUES(13,8,5,1);
INSERT INTO histogram VALUES(14,9,4,8999);
INSERT INTO histogram VALUES(15,9,5,1);
INSERT INTO histogram VALUES(16,10,12,1);
INSERT INTO histogram VALUES(17,12,14,4);
INSERT INTO histogram VALUES(18,12,15,1);
INSERT INTO histogram VALUES(19,13,18,4);
INSERT INTO histogram VALUES(20,13,19,1);
INSERT INTO histogram VALUES(21,15,14,1);
INSERT INTO histogram VALUES(22,16,13,2);
INSERT INTO histogram VALUES(23,16,14,1);
INSERT INTO histogram VALUES(24,17,11,1);
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
CREATE TABLE stack_value (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	event INTEGER REFERENCES event(id),
	stack INTEGER REFERENCES stack(id),
	samples INTEGER NOT NULL,
	weight INTEGER NOT NULL,
	truncated INTEGER NOT NULL
) STRICT;
CREATE TABLE sample_chunk (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	event INTEGER REFERENCES event(id),
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
CREATE TABLE cpu_use (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	cpu_ticks INTEGER NOT NULL
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
