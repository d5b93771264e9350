/*
 * A small program with what the rewriter has to cope with: a switch table, computed gotos, an
 * indirect call, a tail call, and, by -fexceptions and cleanups, exception tables.
 */
#include <stdio.h>
#include <stdlib.h>

static void release(char **text)
{
	free(*text);
}

__attribute__((noinline)) static int choose(int value)
{
	switch (value) {
	case 0:
		return puts("none");
	case 1:
		return puts("one");
	case 2:
		return value * 7;
	case 3:
		return puts("three");
	case 4:
		return getchar();
	case 5:
		return puts("many");
	default:
		return -1;
	}
}

__attribute__((noinline)) static int step(const unsigned char *code)
{
	static void *const labels[] = {&&stop, &&add, &&twice, &&back};
	int sum = 1;

	goto *labels[*code & 3];
add:
	sum += 3;
	goto *labels[*++code & 3];
twice:
	sum *= 2;
	goto *labels[*++code & 3];
back:
	sum = -sum;
	goto *labels[*++code & 3];
stop:
	return sum;
}

/* Addresses of labels stand in what it runs; some of the labels are close together. */
__attribute__((noinline)) static int run(void **program, const unsigned char *code, int count)
{
	static void *const labels[] = {&&stop, &&less, &&more, &&back};
	void **at = program;
	int sum = count;

	if (!code)
		goto **at++;
	for (int i = 0; i < count; i++)
		program[i] = labels[code[i] & 3];
	return 0;
less:
	sum--;
	goto **at++;
more:
	sum += 2;
	goto **at++;
back:
	sum -= 3;
	if (choose(sum) && sum > 0)
		at = program;
	goto **at++;
stop:
	return sum;
}

__attribute__((noinline)) static int threaded(int value)
{
	static void *program[4];

	run(program, (const unsigned char *)"\1\2\3", 4);
	return run(program, 0, value);
}

__attribute__((noinline)) static int keep(int (*call)(int), int value)
{
	__attribute__((cleanup(release))) char *text = malloc(16);

	return text ? call(value) + text[0] * 0 : 0;
}

__attribute__((noinline)) static int last(int value)
{
	return value > 4 ? choose(value - 4)
			 : step((const unsigned char *)"\1\2\3") + threaded(value);
}

int main(int count, char **arguments)
{
	(void)arguments;
	return keep(choose, count) + last(count) == 0;
}
