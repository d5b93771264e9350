# Neither processes nor operations that there are not.
tare ctl; echo $?
tare ctl 1; echo $?
tare ctl one status; echo $?
tare ctl 0 status; echo $?
tare ctl 1 statu; echo $?
tare ctl 1 mark; echo $?
tare ctl 1 start now; echo $?
tare ctl 2147483647 status; echo $?
tare ctl $$ status 2>&1 | sed "s/ $$ / PID /"
tare record --max-depth=0 -- true; echo $?
tare top one; echo $?
tare top 2147483647; echo $?
tare top --sort=name 1; echo $?
