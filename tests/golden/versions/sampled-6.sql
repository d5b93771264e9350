-- Written by tests/golden/make_profile of commit cb84072.
PRAGMA application_id=1952543333; PRAGMA user_version=6;
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
INSERT INTO session VALUES(1,'./work --fast ''two words''','/home/user','box','Linux 6.1 x86_64','Test Processor','0.1.0','sample','probes=merged',1700000000000000000,1000,2001000,1000000000.0,0.25,0,1,NULL);
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
INSERT INTO process VALUES(2,4003,1,'node	[31m','node	[31m',1000,2001000,0,1,4,4,3,3,7,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
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
	cpu_unread INTEGER NOT NULL,
	delays_unread INTEGER NOT NULL,
	limits INTEGER NOT NULL,
	blocked_ticks INTEGER NOT NULL,
	preempted_ticks INTEGER NOT NULL,
	samples_in_runtime INTEGER NOT NULL,
	weight_in_runtime INTEGER NOT NULL
) STRICT;
INSERT INTO thread VALUES(1,1,4001,'worker',1500,2000500,0,0,0,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
INSERT INTO thread VALUES(2,1,4002,'worker',1500,2000500,0,0,0,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
INSERT INTO thread VALUES(3,2,4003,'worker',1500,2000500,0,0,0,40,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0);
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
INSERT INTO module VALUES(2,'libc.so.6','/usr/lib/x86_64-linux-gnu/libc.so.6','0123abcd',0,1,NULL);
INSERT INTO module VALUES(3,'[kernel.kallsyms]','[kernel.kallsyms]','0123abcd',0,1,NULL);
INSERT INTO module VALUES(4,'perf-4003.map','/tmp/perf-4003.map','0123abcd',0,1,NULL);
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
INSERT INTO function VALUES(3,1,'_ZNSt6vectorIiSaIiEE9push_backERKi',5888,64,NULL,0);
INSERT INTO function VALUES(4,1,replace('evil\n<script>",;ÿ','\n',char(10)),6400,64,NULL,0);
INSERT INTO function VALUES(5,2,'__clone3',61440,64,NULL,0);
INSERT INTO function VALUES(6,2,'read',57344,64,NULL,0);
INSERT INTO function VALUES(7,3,'do_syscall_64',-2120220672,64,NULL,0);
INSERT INTO function VALUES(8,3,'asm_exc_page_fault',-2118123520,64,NULL,0);
INSERT INTO function VALUES(9,4,'LazyCompile:~add /app.js:3',139637976731648,64,NULL,0);
INSERT INTO function VALUES(10,1,'',6656,64,NULL,0);
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
INSERT INTO sampling VALUES(1,'perf','','rules',1,985,7,2345,0,13,2,1);
INSERT INTO sampling VALUES(2,'timer','perf_event_open was refused in process 4003: Operation not permitted','rules',0,12,2,0,5,1,0,0);
CREATE TABLE event (
	id INTEGER PRIMARY KEY,
	name TEXT,
	unit TEXT,
	period INTEGER NOT NULL,
	frequency INTEGER NOT NULL
) STRICT;
INSERT INTO event VALUES(1,'cpu-clock','ns',0,997);
INSERT INTO event VALUES(2,'off-cpu','ns',0,997);
CREATE TABLE source (
	id INTEGER PRIMARY KEY,
	path TEXT
) STRICT;
INSERT INTO source VALUES(1,'/src/demo/parse.c');
INSERT INTO source VALUES(2,'/src/demo/main.c');
INSERT INTO source VALUES(3,'/usr/include/c++/12/bits/stl_vector.h');
INSERT INTO source VALUES(4,replace('/tmp/dir\n<b>/e"vil,.c','\n',char(10)));
CREATE TABLE location (
	id INTEGER PRIMARY KEY,
	function INTEGER REFERENCES function(id),
	link_addr INTEGER NOT NULL
) STRICT;
INSERT INTO location VALUES(1,1,4420);
INSERT INTO location VALUES(2,2,4660);
INSERT INTO location VALUES(3,2,4672);
INSERT INTO location VALUES(4,3,5904);
INSERT INTO location VALUES(5,6,57360);
INSERT INTO location VALUES(6,7,-2120220606);
INSERT INTO location VALUES(7,5,61456);
INSERT INTO location VALUES(8,4,6418);
INSERT INTO location VALUES(9,4,6432);
INSERT INTO location VALUES(10,8,-2118123504);
INSERT INTO location VALUES(11,10,6664);
INSERT INTO location VALUES(12,9,139637976731664);
INSERT INTO location VALUES(13,3,5912);
CREATE TABLE location_line (
	id INTEGER PRIMARY KEY,
	location INTEGER REFERENCES location(id),
	depth INTEGER NOT NULL,
	function TEXT,
	source INTEGER REFERENCES source(id),
	line INTEGER NOT NULL,
	column INTEGER NOT NULL
) STRICT;
INSERT INTO location_line VALUES(1,1,0,'main',2,12,0);
INSERT INTO location_line VALUES(2,2,0,'_ZNSt6vectorIiSaIiEE9push_backERKi',3,1280,9);
INSERT INTO location_line VALUES(3,2,1,'helper',1,30,5);
INSERT INTO location_line VALUES(4,2,2,'parse',1,57,3);
INSERT INTO location_line VALUES(5,3,0,'parse',1,61,0);
INSERT INTO location_line VALUES(6,4,0,'_ZNSt6vectorIiSaIiEE9push_backERKi',3,1281,0);
INSERT INTO location_line VALUES(7,8,0,replace('evil\n<script>",;ÿ','\n',char(10)),4,5,0);
INSERT INTO location_line VALUES(8,9,0,replace('evil\n<script>",;ÿ','\n',char(10)),4,5,0);
INSERT INTO location_line VALUES(9,13,0,'_ZNSt6vectorIiSaIiEE9push_backERKi',3,1281,0);
CREATE TABLE stack (
	id INTEGER PRIMARY KEY,
	parent INTEGER REFERENCES stack(id),
	location INTEGER REFERENCES location(id)
) STRICT;
INSERT INTO stack VALUES(1,NULL,1);
INSERT INTO stack VALUES(2,1,2);
INSERT INTO stack VALUES(3,1,3);
INSERT INTO stack VALUES(4,3,4);
INSERT INTO stack VALUES(5,3,5);
INSERT INTO stack VALUES(6,5,6);
INSERT INTO stack VALUES(7,NULL,7);
INSERT INTO stack VALUES(8,7,8);
INSERT INTO stack VALUES(9,8,9);
INSERT INTO stack VALUES(10,9,10);
INSERT INTO stack VALUES(11,7,11);
INSERT INTO stack VALUES(12,11,12);
INSERT INTO stack VALUES(13,NULL,13);
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
	os_switch_ticks INTEGER NOT NULL,
	overhead_ticks INTEGER NOT NULL,
	folded INTEGER NOT NULL,
	folded_elapsed_ticks INTEGER NOT NULL,
	folded_os_ticks INTEGER NOT NULL,
	location INTEGER REFERENCES location(id),
	per_call BLOB NOT NULL
) STRICT;
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
INSERT INTO mark VALUES(1,1,7,'warm',1004009);
CREATE TABLE disarm (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	function INTEGER REFERENCES function(id),
	ticks INTEGER NOT NULL,
	calls INTEGER NOT NULL
) STRICT;
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
	truncated INTEGER NOT NULL,
	squares INTEGER NOT NULL
) STRICT;
INSERT INTO stack_value VALUES(1,1,1,1,3,3009027,0,3);
INSERT INTO stack_value VALUES(2,1,1,2,420,421263780,0,420);
INSERT INTO stack_value VALUES(3,1,1,3,55,55165495,0,55);
INSERT INTO stack_value VALUES(4,1,1,4,130,130391170,0,130);
INSERT INTO stack_value VALUES(5,1,1,6,44,44132396,0,44);
INSERT INTO stack_value VALUES(6,1,1,13,6,6018054,6,6);
INSERT INTO stack_value VALUES(7,1,1,NULL,2,2006018,2,2);
INSERT INTO stack_value VALUES(8,2,1,8,61,61183549,0,61);
INSERT INTO stack_value VALUES(9,2,1,9,150,150451350,0,150);
INSERT INTO stack_value VALUES(10,2,1,10,17,17051153,1,17);
INSERT INTO stack_value VALUES(11,3,1,11,9,9027081,0,9);
INSERT INTO stack_value VALUES(12,3,1,12,100,100300900,0,100);
INSERT INTO stack_value VALUES(13,1,2,6,12,1500000000,0,12);
INSERT INTO stack_value VALUES(14,2,2,9,900,30000000,0,900);
CREATE TABLE sample_chunk (
	id INTEGER PRIMARY KEY,
	thread INTEGER REFERENCES thread(id),
	event INTEGER REFERENCES event(id),
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	samples INTEGER NOT NULL,
	data BLOB NOT NULL
) STRICT;
INSERT INTO sample_chunk VALUES(1,1,1,1000,2008518,4,X'e8070482b87a819c3d0000819c3d0400f40304f3b77a');
INSERT INTO sample_chunk VALUES(2,2,1,1000,1074009,2,X'f0a2041082b87a819c3d0200');
CREATE TABLE cpu_use (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	begin_ticks INTEGER NOT NULL,
	end_ticks INTEGER NOT NULL,
	cpu_ticks INTEGER NOT NULL
) STRICT;
CREATE TABLE counted (
	id INTEGER PRIMARY KEY,
	process INTEGER REFERENCES process(id),
	thread INTEGER REFERENCES thread(id),
	function INTEGER REFERENCES function(id),
	entered INTEGER NOT NULL,
	called INTEGER NOT NULL,
	approximate INTEGER NOT NULL
) STRICT;
CREATE TABLE os_cause (id INTEGER PRIMARY KEY, name TEXT) STRICT;
INSERT INTO os_cause VALUES(0,'blocked');
INSERT INTO os_cause VALUES(1,'preempted');
INSERT INTO os_cause VALUES(2,'major_fault');
INSERT INTO os_cause VALUES(3,'minor_fault');
INSERT INTO os_cause VALUES(4,'syscall');
INSERT INTO os_cause VALUES(5,'interrupt');
INSERT INTO os_cause VALUES(6,'switch');
COMMIT;
