# -o writes what stdout would get, whole or not at all; filters that match nothing show no rows.
"$PROGRAMS/../golden/make_profile" .
tare report functions work.tare --format=csv -o out.csv
tare report functions work.tare --format=csv | cmp - out.csv && echo same
tare report functions work.tare --format=csv --function='nothing*' --columns=function
tare report marks hostile.tare --format=csv --columns=mark
tare report functions work.tare --columns=function --format=csv --module=libc.so.6
tare report functions work.tare --columns=function,calls --format=csv --filter='std::*' --limit=1
tare report coverage work.tare --format=csv --columns=module,found,refused
tare report calltree work.tare --format=csv --columns=level,path --function=tiny
NO_COLOR=1 tare report functions work.tare --limit=1 --columns=calls | tail -n 3
rm ./*.tare
ls
