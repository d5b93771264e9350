/* A small program for the cases of the command line. Its status is its number of arguments. */
#include <stdio.h>

__attribute__((noinline)) static int work(int rounds)
{
	volatile int sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += i;
	return sum;
}

int main(int argc, char **argv)
{
	printf("%s: %d\n", argv[0], work(1000));
	return argc - 1;
}
