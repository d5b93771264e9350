/*
 * What the compiler compiles: four pieces of ordinary code, NAME(x) being another name each time
 * that the file is included.
 */
#define ENTRY NAME(entry)

struct ENTRY {
	unsigned long key;
	long value;
	struct ENTRY *next;
};

static struct ENTRY NAME(pool)[512], *NAME(buckets)[64];
static unsigned NAME(used);

static unsigned long NAME(hash)(const char *text, unsigned long length)
{
	unsigned long hash = 5381;

	for (unsigned long i = 0; i < length; i++)
		hash = (hash << 5) + hash + (unsigned char)text[i];
	return hash ^ hash >> 17;
}

long NAME(put)(const char *text, unsigned long length, long value)
{
	const unsigned long key = NAME(hash)(text, length);
	struct ENTRY **at = &NAME(buckets)[key % 64];

	for (; *at; at = &(*at)->next)
		if ((*at)->key == key)
			return (*at)->value += value;
	if (NAME(used) == 512)
		return -1;
	*at = &NAME(pool)[NAME(used)++];
	(*at)->key = key;
	(*at)->next = 0;
	return (*at)->value = value;
}

long NAME(parse)(const char *text, long *sum)
{
	long number = 0, sign = 1, tokens = 0;
	enum { BLANK, DIGITS, WORD } state = BLANK;
	const char *word = text;

	for (;; text++) {
		switch (state) {
		case BLANK:
			if (*text == '-') {
				sign = -1;
			} else if (*text >= '0' && *text <= '9') {
				number = *text - '0';
				state = DIGITS;
			} else if ((*text | 32) >= 'a' && (*text | 32) <= 'z') {
				word = text;
				state = WORD;
			}
			break;
		case DIGITS:
			if (*text >= '0' && *text <= '9') {
				number = number * 10 + (*text - '0');
				break;
			}
			*sum += sign * number;
			tokens++;
			sign = 1;
			state = BLANK;
			break;
		case WORD:
			if ((*text | 32) >= 'a' && (*text | 32) <= 'z')
				break;
			tokens += NAME(put)(word, (unsigned long)(text - word), tokens) > 0;
			state = BLANK;
			break;
		}
		if (!*text)
			return tokens;
	}
}

void NAME(multiply)(const double *left, const double *right, double *result, int size)
{
	for (int row = 0; row < size; row++)
		for (int column = 0; column < size; column++) {
			double cell = 0;
			for (int i = 0; i < size; i++)
				cell += left[row * size + i] * right[i * size + column];
			result[row * size + column] = cell;
		}
}

static void NAME(sift)(int *heap, int at, int count)
{
	for (int child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count && heap[child + 1] > heap[child])
			child++;
		if (heap[at] >= heap[child])
			return;
		const int other = heap[at];
		heap[at] = heap[child];
		heap[child] = other;
	}
}

void NAME(sort)(int *numbers, int count)
{
	for (int i = count / 2; i-- > 0;)
		NAME(sift)(numbers, i, count);
	while (count-- > 1) {
		const int greatest = numbers[0];
		numbers[0] = numbers[count];
		numbers[count] = greatest;
		NAME(sift)(numbers, 0, count);
	}
}
