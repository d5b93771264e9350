# A profile instead of a command is shown; of a program tare says how it is recorded, and runs nothing.
"$PROGRAMS/../golden/make_profile" .
try() {
	tare "$@" 2>&1 >shown
	echo "status $? of $*: $([ -s shown ] && echo shown)"
}
printf '#!/bin/sh\ntouch ran\n' >'my program'
chmod +x 'my program'
mkdir folder
printf 'no program\n' >text
try work.tare
try ./work.tare --format=json
try missing.tare
try './my program'
try './my program' --with arguments
try ./text
try ./folder
try sh -c 'touch ran'
try repotr
try --verison
try ''
[ ! -e ran ]
