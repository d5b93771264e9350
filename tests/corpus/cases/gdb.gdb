set pagination off
set confirm off
break add if number == 2
break deep if n == 0
run
backtrace
info locals
watch list
continue
continue
print *list
ptype list
print sizeof(struct item)
delete 1 3
continue
backtrace
up 2
info frame
info registers rip rsp
x/2i $pc
down 2
stepi
disassemble deep
python
item = gdb.parse_and_eval("list")
while item:
    print(int(item["number"]), float(item["weight"]), item["name"].string())
    item = item["next"]
print(gdb.selected_frame().name(), gdb.selected_frame().older().name())
end
call add(9, "nine")
print list->name
finish
delete
continue
info inferiors
