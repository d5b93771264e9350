/*
 * The program of docs/start for pages that start one without arguments: two threads with PAGES
 * pages each, a text such as "40". Functions get the names that the page shows by options of the
 * compiler, as -Dfind=parse.
 */
#define main words_main
#include "../../docs/start/words.c"
#undef main

int main(int argc, char **argv)
{
	char threads[] = "2", pages[] = PAGES;
	char *usual[] = {argv[0], threads, pages};

	return words_main(3, argc == 3 ? argv : usual);
}
