# Completion in zsh: the script is sound, and compinit finds it.
command -v zsh >/dev/null || skip "no zsh"
mkdir functions
tare help --completion=zsh >functions/_tare
zsh -n functions/_tare
zsh -f -c 'fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d dump; print ${_comps[tare]}'
# What is proposed for functions: compadd prints it instead.
mkdir profiles bin && cd profiles || exit 1
"$PROGRAMS/../golden/make_profile" .
touch -d '1 hour ago' ./*.tare
touch waits.tare
printf '#!/bin/sh\nexec "%s" "$@"\n' "$TARE" >../bin/tare
chmod +x ../bin/tare
sed -n '/^_tare_functions/,/^}/p' ../functions/_tare >function
ask() { # PREFIX WORD…
	PATH=$PWD/../bin:$PATH zsh -f -c 'source ./function; compadd() { print -r -- ${(P)2} }; PREFIX=$1; shift; words=("$@"); _tare_functions' zsh "$@"
}
ask s annotate
ask p annotate work.tare
