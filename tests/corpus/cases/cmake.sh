# cmake and ctest: configure, build and test a small project of C and C++.
# programs: cmake ctest gcc g++ make
# version: cmake --version

prepare() {
	mkdir project
	printf '%s\n' '#include <map>' 'extern "C" int part();' \
		'int main() { std::map<int, int> m{{1, 7}}; return m[1] - part(); }' >project/program.cc
	cat >project/CMakeLists.txt <<-'END'
		cmake_minimum_required(VERSION 3.13)
		project(sample C CXX)
		set(CMAKE_CXX_STANDARD 20)
		find_package(Threads REQUIRED)
		add_library(part STATIC part.c)
		add_executable(sample program.cc)
		target_link_libraries(sample part Threads::Threads)
		foreach(i RANGE 200)
		  math(EXPR square "${i} * ${i}")
		  list(APPEND squares ${square})
		endforeach()
		list(SORT squares COMPARE NATURAL ORDER DESCENDING)
		string(REGEX REPLACE "([0-9])0" "<\\1>" text "${squares}")
		file(WRITE ${CMAKE_BINARY_DIR}/text "${text}")
		configure_file(part.in part.h @ONLY)
		enable_testing()
		add_test(NAME runs COMMAND sample)
		add_test(NAME fails COMMAND ${CMAKE_COMMAND} -E false)
		set_tests_properties(fails PROPERTIES WILL_FAIL TRUE)
	END
	echo 'int part(void) { return 7; }' >project/part.c
	echo '#define NAME "@PROJECT_NAME@"' >project/part.in
}

run() {
	cmake -S "$DATA/project" -B build
	cmake --build build -j 2
	(cd build && ctest)
	cmake -E md5sum build/text build/sample build/part.h
	rm -rf build
}

filter() {
	sed -E 's/[0-9]+\.[0-9]+ sec/TIME/; s/^-- (Configuring|Generating) done.*/-- \1 done/' | sort
}
