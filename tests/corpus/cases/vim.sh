# vim without a screen: substitution, sorting, macros, undo, its script language; and xxd.
# partial: was killed$
# programs: vim
# version: vim --version

prepare() {
	cp /usr/share/common-licenses/GPL-2 text
}

run() {
	vim -es -u NONE -i NONE -n -S "$CASES/vim.vim" "$DATA/text" </dev/null 2>&1
	vim -es -u NONE -c 'echo nonsense(' -c 'cquit 3' 2>/dev/null || echo "status $?"
	xxd "$DATA/text" | head -n 100 | xxd -r | md5sum
}
