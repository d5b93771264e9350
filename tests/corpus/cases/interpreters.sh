# php, ruby, guile, swipl: interpreters with direct threading, which keep addresses of labels in what they run.
# programs: php ruby guile swipl
# version: php --version
# set: quick

run() {
	php -n "$CASES/interpreters.php" || echo "status $?"
	php -n -r 'function f() { return f() + 1; } ini_set("memory_limit", "8M"); f();' 2>&1 | grep -c "Allowed memory"
	ruby --disable-gems "$CASES/interpreters.rb" || echo "status $?"
	ruby --disable-gems -e 'def f = f + 1; begin; f; rescue SystemStackError => e; puts e.message; end'
	guile --no-auto-compile "$CASES/interpreters.scm" || echo "status $?"
	swipl "$CASES/interpreters.prolog" || echo "status $?"
}
