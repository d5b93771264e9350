tare view
echo "status $?"
tare view one.tare two.tare three.tare
echo "status $?"
tare view --compare=one.tare two.tare three.tare
echo "status $?"
tare view missing.tare new.tare
echo "status $?"
tare view missing.tare
echo "status $?"
tare view --depth=3 missing.tare
echo "status $?"
tare export --format=chrome --compare=base.tare missing.tare
echo "status $?"
tare view --embed-source=some missing.tare
echo "status $?"
tare export --format=chrome --embed-source=all missing.tare
echo "status $?"
tare export --format=folded --source-path=/a=/b missing.tare
echo "status $?"
