tare diff
echo "status $?"
tare diff one.tare
echo "status $?"
tare diff missing.tare other.tare
echo "status $?"
tare diff --view=function a b
echo "status $?"
tare diff --sort=size a b
echo "status $?"
tare diff --columns=elapsed a b
echo "status $?"
tare diff --columns=module a b
echo "status $?"
for gate in calls 'calls>' 'calls>much' 'calls>+5ms' 'elapsed_exclusive>5%' 'elapsed_exclusive>5' \
	'function>3' 'nothing>3' '>3' 'calls>nan'; do
	tare diff --fail-if="$gate" a b
	echo "status $?"
done
for options in '--base a b' '--new a b' 'c --base a --new b' '--base a --new' \
	'--base a --new b --columns=all --format=csv' '--format=markdwn a b' \
	'--paired a b' '--paired --base a b --new c'; do
	tare diff $options
	echo "status $?"
done
tare diff --fail-if='cpu_exclusive>+5% significant' a b
echo "status $?"
tare diff --fail-if='calls>+5% signficant' a b
echo "status $?"
tare diff --base missing.tare other.tare --new missing.tare --fail-if='cpu_exclusive>+5% significant'
echo "status $?"
