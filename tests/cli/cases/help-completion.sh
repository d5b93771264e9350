# Completion: every option of every command in all three scripts, and what
# bash proposes for some lines.
for shell in bash zsh fish; do
	tare help --completion=$shell >tare.$shell
done
for command in $(tare --help | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	sed -n "/^	$command)/,/;;/p" tare.bash >bash.part
	sed -n "/^		$command)/,/;;/p" tare.zsh >zsh.part
	grep "__tare_command_is $command'" tare.fish >fish.part
	tare "$command" --help=all | sed -n 's/^  \(-., \|    \)--\([a-z-]*\).*/\2/p' >options
	[ -s options ] || echo "$command has no options"
	while read -r option; do
		grep -q -e "--$option[= ']" bash.part || echo "bash lacks $command --$option"
		grep -q -e "--$option[]=[}-]" zsh.part || echo "zsh lacks $command --$option"
		grep -q -e "-l $option " fish.part || echo "fish lacks $command --$option"
	done <options
done

. ./tare.bash
mkdir sub "a dir"
touch one.tare "two words.tare" other.txt
ask() { # WORD…: as bash breaks the line; the last is completed
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_tare
	printf '%s:' "$*"
	((${#COMPREPLY[@]} == 0)) || printf '<%s>\n' "${COMPREPLY[@]}" | sort | tr '\n' ' '
	echo
}
ask tare re
ask tare --v
ask tare nothing ''
ask tare report ca
ask tare report o
ask tare report functions o
ask tare report functions t
ask tare report functions one.tare --form
ask tare report functions one.tare --format = ''
ask tare report functions one.tare --format = c
ask tare report functions one.tare --format c
ask tare report one.tare -o oth
ask tare report one.tare --color
ask tare annotate main o
ask tare diff one.tare --view = ''
ask tare export --format = p
ask tare record --method = ''
ask tare record --unwind f
PATH=$PROGRAMS:$PATH
ask tare record -o one.tare -- plain_prog
ask tare record -o one.tare -- ls --format = o
ask tare record ls -o
ask tare ctl 1 s
ask tare recover ''
ask tare help rec
ask tare help wa
ask tare doctor o
COMP_WORDBREAKS=${COMP_WORDBREAKS//=/}
ask tare report one.tare --format=c

# Functions, of the profile on the line or of the newest one here; bash breaks names at their colons.
mkdir profiles && cd profiles || exit 1
"$PROGRAMS/../golden/make_profile" .
touch -d '1 hour ago' ./*.tare
touch waits.tare
ask tare annotate ''
ask tare annotate m
ask tare annotate main wor
ask tare report callers s
ask tare report functions s
ask tare report functions work.tare --root = p
ask tare report functions work.tare --root p
ask tare record --function = c
tare help --functions=p work.tare
tare help --functions=p missing.tare 2>&1
tare help --functions work.tare busy.tare 2>&1
tare() {
	[[ $2 != --functions=* ]] || printf '%s\n' text::Index::add text::Index::find text::scan
}
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
ask tare annotate text :: I
ask tare annotate text :: Index :: f
ask tare report --root = text :: s
