# Completion in zsh: the script is sound, and compinit finds it.
command -v zsh >/dev/null || skip "no zsh"
mkdir functions
tare help --completion=zsh >functions/_tare
zsh -n functions/_tare
zsh -f -c 'fpath=($PWD/functions $fpath); autoload -U compinit; compinit -u -d dump; print ${_comps[tare]}'
