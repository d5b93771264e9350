# java: the virtual machine interpreted and compiled, threads, exceptions, several collectors; javac.
# programs: java javac
# version: java -version
# partial: was killed$

prepare() {
	mkdir source
	cp "$CASES/Java.java" source
}

run() {
	java -version 2>&1 | head -n 1 | cut -d '"' -f 1
	javac -d classes "$DATA/source/Java.java"
	java -Xshare:auto -XX:+UseSerialGC -cp classes Java
	java -Xint -Xmx64m -cp classes Java
	java -XX:+UseParallelGC -XX:TieredStopAtLevel=1 -cp classes Java
	java -XX:+UseG1GC -XX:-BackgroundCompilation -XX:Tier3InvocationThreshold=20 -cp classes Java short
	java -cp classes None 2>/dev/null || echo "status $?"
	javap -cp classes -c Java | md5sum
}
