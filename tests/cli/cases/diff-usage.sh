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
