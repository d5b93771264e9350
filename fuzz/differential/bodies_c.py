"""Bodies of generated C functions: one function here makes one shape of code that rewriting finds hard.

Each gets the writer of a function (see program.py) and returns the text of `W fN(W a, W b)` and of
what it needs. Every function that it defines begins with COUNT, so that calls count themselves.
Nothing has undefined behaviour: W is unsigned, loops are bounded, and calls take from `fuel`.
"""

OPERATIONS = ["+", "-", "*", "^", "|", "&"]


def expression(w, names="ab", depth=2):
    if depth == 0 or w.chance(0.25):
        return w.pick([w.pick(list(names)), str(w.integer(0, 1000)) + "ul", hex(w.integer(0, 2**32)) + "ul"])
    left, right = expression(w, names, depth - 1), expression(w, names, depth - 1)
    if w.chance(0.15):
        return f"({left} >> {w.integer(1, 60)})"
    if w.chance(0.1):
        return f"({left} < {right} ? {right} : {left})"
    return f"({left} {w.pick(OPERATIONS)} {right})"


def arithmetic(w):
    return w.function(f"""
	for (int i = 0; i < {w.integer(1, 30)}; i++)
		a = {expression(w)} + (a << 3);
	return a ^ {w.call()};""")


def leaf(w):
    return w.function(f"\treturn {expression(w, depth=1)};")


def branches(w):
    lines = [f"\tif ({expression(w)} {w.pick(['>', '==', '&'])} {expression(w, depth=1)})\n"
             f"\t\ta = {w.pick([w.call(), expression(w)])};\n"
             for _ in range(w.integer(2, 8))]
    return w.function("".join(lines) + "\treturn a + b;")


def cases(w, values, depth):
    text = ""
    for value in values:
        body = w.pick([f"a += {expression(w)};", f"a ^= {w.call()};", f"return {w.call()};",
                       f"b = a * {w.integer(3, 99)}; a--;", f"a = {value}; goto again;"])
        if depth and w.chance(0.1):
            body = switch(w, "b", depth - 1)
        text += f"\tcase {value}u: {body} {'' if w.chance(0.2) else 'break;'}\n"
    return text


def switch(w, value, depth):
    count = w.integer(3, 40)
    dense = w.chance(0.6)
    values = (w.shuffled(range(count)) if dense
              else sorted(w.sample(range(0, w.pick([200, 10**4, 10**9])), count)))
    values = values[:max(3, int(count * w.pick([1, 0.8])))]
    default = (w.pick(["\tdefault: a += 3;\n", ""]) if not dense or len(values) < count or w.chance(0.7)
               else "\tdefault: __builtin_unreachable();\n")
    kind = w.pick(["W", "int", "unsigned char", "unsigned", "long"])
    limit = count if dense else max(values) + 1
    # The value is below every missing case's number where the default is unreachable.
    chosen = (f"({kind})({value} % {count})" if dense and kind != "unsigned char" or count <= 255 and dense
              else f"{value} % {limit}ul")
    if not dense and w.chance(0.5):
        chosen = f"(W[]){{{', '.join(str(v) + 'u' for v in values[:6])}}}[{value} % {min(6, len(values))}]"
    return f"switch ({chosen}) {{\n{cases(w, values, depth)}{default}\t}}"


def switches(w):
    return w.function(f"""
	int rounds = 0;
again:
	if (rounds++ > 6)
		return a;
	{switch(w, "a", 1)}
	a += {expression(w)};
	{switch(w, "b", 0) if w.chance(0.4) else ""}
	return a ^ b;""")


def computed_goto(w):
    count = w.integer(2, 9)
    labels = [f"L{k}" for k in range(count)]
    form = w.pick(["const", "writable", "patched", "offset", "stack"])
    order = ", ".join((f"&&{label} - &&L0" if form == "offset" else f"&&{label}") for label in labels)
    table = {"const": f"static const void *const table[] = {{{order}}};",
             "writable": f"static const void *table[] = {{{order}}};",
             "patched": f"static const void *table[] = {{{order}}};\n"
                        f"\ttable[a % {count}] = &&{w.pick(labels)};",
             "stack": f"const void *table[] = {{{order}}};",
             "offset": f"static const int table[] = {{{order}}};"}[form]
    jump = (f"goto *(&&L0 + table[(a + ip) % {count}])" if form == "offset"
            else f"goto *table[(a + ip) % {count}]")
    body = "".join(f"{label}:\n\ta = {expression(w)} + {w.pick(['ip', w.call()])};\n"
                   f"\tif (ip++ > {w.integer(3, 20)})\n\t\treturn a;\n\t{jump};\n" for label in labels)
    return w.function(f"\tunsigned ip = 0;\n\t{table}\n\t{jump};\n{body}", ["noclone"])


def tail_call(w):
    form = w.pick(["direct", "conditional", "indirect", "table", "self"])
    if form == "direct":
        return w.function(f"\tmix ^= a;\n\treturn {w.call()};")
    if form == "conditional":
        return w.function(f"\tif (a & {w.integer(1, 7)})\n\t\treturn {w.call()};\n"
                          f"\tmix += b;\n\treturn {w.call()};")
    if form == "self":
        return w.function(f"\tif (b % {w.integer(3, 40)} == 0 || fuel-- <= 0)\n\t\treturn a;\n"
                          f"\treturn {w.name}({expression(w, 'a')}, b / 2);", mark="!")
    if form == "indirect":
        return w.function(f"\tW (*volatile to)(W, W) = {w.callee()};\n"
                          "\treturn fuel-- > 0 ? to(b, a) : a;")
    count = w.integer(2, 6)
    table = ", ".join(w.callee() for _ in range(count))
    return w.function(f"\treturn fuel-- > 0 ? {w.name}_to[a % {count}](a, b) : b;",
                      before=f"static W (*{w.pick(['const ', ''])}{w.name}_to[])(W, W) = {{{table}}};\n")


def many_arguments(w):
    count = w.integer(7, 12)
    names = [f"p{k}" for k in range(count)]
    helper = w.helper("many", f"W {w.name}_many({', '.join('W ' + n for n in names)})",
                      f"\tif ({names[-1]} % 5 == 0 && fuel-- > 0)\n\t\treturn {w.name}_many("
                      f"{', '.join(names[1:])}, {names[-1]} / 3);\n"
                      f"\treturn {' ^ '.join(f'({n} * {k + 3}u)' for k, n in enumerate(names))};", mark="!")
    arguments = ", ".join(expression(w, depth=1) for _ in names)
    return helper + w.function(f"\treturn {w.name}_many({arguments}) + {w.call()};")


def recursion(w):
    other = w.helper("other", f"W {w.name}_other(W a, W b)",
                     f"\treturn fuel-- > 0 && a ? {w.name}(a / 2, b + 1) * 3 : b;", declare=True)
    return other + w.function(f"\tif (!(a & 255) || fuel-- <= 0)\n\t\treturn b;\n"
                              f"\treturn {w.name}_other(a >> 1, {expression(w)}) + "
                              f"{w.name}((a & 255) / 2, b) + 1;", mark="!")


def varargs(w):
    count = w.integer(1, 10)
    kinds = [w.pick(["W", "double", "int", "long double", "struct pair"]) for _ in range(count)]
    values = {"W": "a + {k}u", "double": "(double)(b % 1000) * {k}", "int": "(int)(a % 777)",
              "long double": "(long double)(a % 99) / 4", "struct pair": "(struct pair){{a, (double)(b % 7)}}"}
    take = {"W": "va_arg(list, W)", "double": "(W)va_arg(list, double)", "int": "(W)va_arg(list, int)",
            "long double": "(W)va_arg(list, long double)", "struct pair": "va_arg(list, struct pair).word"}
    body = "".join(f"\tsum = sum * 7 + {take[kind]};\n" for kind in kinds)
    helper = w.helper("sum", f"W {w.name}_sum(int first, ...)",
                      f"\tva_list list;\n\tW sum = (W)first;\n\tva_start(list, first);\n{body}"
                      "\tva_end(list);\n\treturn sum;")
    arguments = ", ".join(values[kind].format(k=k) for k, kind in enumerate(kinds))
    return helper + w.function(f"\treturn {w.name}_sum(3, {arguments}) ^ {w.call()};")


def long_jump(w):
    form = w.pick([("jmp_buf", "setjmp(place)", "longjmp(place, 1 + (int)(a & 7))"),
                   ("sigjmp_buf", "sigsetjmp(place, 1)", "siglongjmp(place, 2)")])
    leap = w.helper("leap", f"W {w.name}_leap(W a, W b)",
                    f"\tif (a % 3 == 0 || fuel-- <= 0)\n\t\t{w.name}_leave(a);\n"
                    f"\treturn {w.name}_leap(a / 3, b) + 1;", declare=True, mark="!")
    leave = w.helper("leave", f"__attribute__((noreturn)) void {w.name}_leave(W a)",
                     f"\tstruct {w.name}_state *const top = {w.name}_top;\n\tmix += a;\n"
                     f"\t{form[2].replace('place', 'top->place')};", declare=True)
    before = (f"struct {w.name}_state {{ {form[0]} place; struct {w.name}_state *outer; }};\n"
              f"static struct {w.name}_state *{w.name}_top;\n")
    return before + leave + leap + w.function(f"""
	struct {w.name}_state here = {{.outer = {w.name}_top}};
	volatile W sum = a;
	for (volatile int i = 0; i < 3; i++) {{
		{w.name}_top = &here;
		if ({form[1].replace('place', 'here.place')} == 0)
			sum = sum + {w.name}_leap(a + (W)i, b);
		else
			sum = sum * 3 + {expression(w)};
	}}
	{w.name}_top = here.outer;
	return sum;""", ["noclone"])


def variable_arrays(w):
    allocate = w.pick(["W room[1 + a % 50];", "W *room = (W *)__builtin_alloca((1 + a % 50) * sizeof(W));"])
    return w.function(f"""
	W sum = 0;
	for (W i = 0; i < {w.integer(1, 6)}; i++) {{
		{allocate}
		for (W k = 0; k <= a % 50; k++)
			room[k] = k * b + i;
		sum += room[(a + i) % (1 + a % 50)] ^ {w.call(arguments=("sum", "i"))};
	}}
	return sum;""")


def big_frame(w):
    size = w.pick([64, 500, 1500])
    return w.function(f"""
	volatile W room[{size}];
	room[a % {size}] = b;
	room[{size - 1}] = {w.call()};
	return room[a % {size}] + room[{size - 1}];""")


def flags_in_assembly(w):
    """A callee that keeps every register, and answers in the carry flag or in a register of its own."""
    k = w.counter("flags")
    name = f"{w.name}_flags"
    answer = w.pick(["setc", "sete", "seta", "sbb"])
    asm = f"""
	.pushsection .text
	.type {name}, @function
{name}:
	.cfi_startproc
	incq {w.counters}+{8 * k}(%rip)
	push %rax
	.cfi_adjust_cfa_offset 8
	mov %rdi, %rax
	cmp %rsi, %rax
	pop %rax
	.cfi_adjust_cfa_offset -8
	{w.pick(["ret", "jb 3f; ret; 3: ret", "rep; ret"])}
	.cfi_endproc
	.size {name}, .-{name}
	.popsection
"""
    text = "__asm__(\n" + "".join(f'\t"{line}\\n"\n' for line in asm.strip("\n").split("\n")) + ");\n"
    after = ("sbb %[out], %[out]" if answer == "sbb" else f"{answer} %b[out]")
    return text + w.function(f"""
	W out = 0;
	W kept = {expression(w)};
	__asm__ volatile("lea -128(%%rsp), %%rsp; call {name}; {after}; lea 128(%%rsp), %%rsp"
		: [out] "+r"(out) : "D"(a % 16), "S"(b % 16) : "cc", "memory");
	return out * 5 + kept;""", ["noclone"])


def string_instructions(w):
    return w.function(f"""
	unsigned char from[80], to[80];
	void *source = from, *target = to;
	W count = a % 80, steps;
	for (int i = 0; i < 80; i++) {{
		from[i] = (unsigned char)(b >> (i % 8));
		to[i] = (unsigned char)i;
	}}
	__asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(count) : : "memory");
	target = to;
	count = 80;
	__asm__ volatile("repne scasb; sete %b1" : "+c"(count), "=&r"(steps), "+D"(target)
		: "a"(to[{w.integer(0, 79)}]) : "memory", "cc");
	__builtin_memset(from, (int)(a & 127), a % 80);
	return count + (steps & 1) + from[{w.integer(0, 79)}] + to[b % 80] + {w.call()};""")


def loop_instruction(w):
    return w.function(f"""
	W count = 1 + a % {w.integer(2, 40)}, sum = b;
	__asm__ volatile("1: add %%rcx, %0; {w.pick(['loop 1b', 'dec %%rcx; jrcxz 2f; jmp 1b; 2:'])}"
		: "+r"(sum), "+c"(count) : : "cc");
	return sum ^ {w.call()};""")


def wide_integers(w):
    return w.function(f"""
	unsigned __int128 wide = (unsigned __int128)a * (b | 1) + {w.integer(1, 10**9)};
	wide {w.pick(['/=', '%=', '*='])} (unsigned __int128)(b | {w.integer(1, 10**6)}u) << {w.integer(0, 60)};
	return (W)(wide >> 64) ^ (W)wide ^ {w.call()};""")


def floating(w):
    kind = w.pick(["double", "float", "long double"])
    count = w.integer(1, 11)
    names = [f"x{k}" for k in range(count)]
    helper = w.helper("real", f"{kind} {w.name}_real({', '.join(f'{kind} {n}' for n in names)}, W n)",
                      f"\tif (n && fuel-- > 0)\n\t\treturn {w.name}_real({', '.join(names[1:] + names[:1])}, n / 4)"
                      f" + {names[0]};\n\treturn {' + '.join(f'{n} * {k + 1}' for k, n in enumerate(names))};", mark="!")
    values = ", ".join(f"({kind})(a % {k + 10}) / 4" for k in range(count))
    return helper + w.function(f"""
	{kind} value = {w.name}_real({values}, b % 64);
	value += ({kind})({w.call()} % 100);
	return (W)value + (W)(value * 8);""")


def vectors(w):
    size = w.pick([16, 32])
    target = ['target("avx2")'] if size == 32 else []
    lanes = size // 8
    helper = w.helper("lanes", f"v{size} {w.name}_lanes(v{size} x, v{size} y, W n)",
                      f"\tif (n % 3 && fuel-- > 0)\n\t\treturn {w.name}_lanes(y * 3, x + y, n / 3);\n"
                      "\treturn x ^ (y << 1);", target, mark="!")
    inner = w.helper("vector", f"W {w.name}_vector(W a, W b)", f"""
	v{size} x = {{{', '.join('a + %du' % k for k in range(lanes))}}}, y = x * b;
	y = {w.name}_lanes(x, y, a);
	W other = {w.call()};
	y = y + {w.name}_lanes(y, x ^ other, b);
	return y[0] ^ y[{lanes - 1}];""", target)
    test = '__builtin_cpu_supports("avx2")' if size == 32 else "1"
    return helper + inner + w.function(f"\treturn {test} ? {w.name}_vector(a, b) : a;")


def structures(w):
    kind = w.pick(["pair", "large", "small", "floats"])
    change = {"pair": "x.word += n; x.real += 1;", "large": "x.words[n % 9] ^= n;",
              "small": "x.c += (char)n; x.d ^= (short)n;", "floats": "x.x += (float)(n % 9); x.z *= 2;"}[kind]
    start = {"pair": "{a, 2.5}", "large": "{{a, b, 3}}", "small": "{1, (short)a, 3}",
             "floats": "{1, (float)(a % 64), 2}"}[kind]
    result = {"pair": "x.word + (W)x.real", "large": "x.words[a % 9] + x.words[1]",
              "small": "(W)x.c + (W)x.d", "floats": "(W)(x.x + x.y + x.z)"}[kind]
    helper = w.helper("struct", f"struct {kind} {w.name}_struct(struct {kind} x, W n)",
                      f"\t{change}\n\treturn n % 4 && fuel-- > 0 ? {w.name}_struct(x, n / 4) : x;", mark="!")
    return helper + w.function(f"""
	struct {kind} x = {start};
	x = {w.name}_struct(x, b % 1000);
	mix ^= {w.call()};
	return {result};""")


def thread_local(w):
    name = f"{w.name}_local"
    kind = w.pick(["static __thread W", "__thread W"])
    return f"{kind} {name} = {w.integer(0, 99)}, {name}_more[4];\n" + w.function(f"""
	{name} += a;
	{name}_more[b & 3] ^= {w.call()};
	W *where = &{name}_more[a & 3];
	return {name} + *where + {name}_more[b & 3];""")


def atomics(w):
    name = f"{w.name}_word"
    return f"static W {name};\n" + w.function(f"""
	W old = __atomic_fetch_{w.pick(['add', 'xor', 'or', 'sub', 'nand'])}(&{name}, a, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(&{name}, &old, old * 3 + b, 1, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		;
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_exchange_n(&{name}, {expression(w)}, __ATOMIC_ACQ_REL) + {w.call()};""")


def locked_skip(w):
    """What the C library does: a lock prefix that one thread jumps over."""
    name = f"{w.name}_skipped"
    return f"static W {name};\n" + w.function(f"""
	W old = 0;
	__asm__ volatile("test %[a], %[a]; je 1f; lock; 1: xaddq %[old], %[word]"
		: [old] "+r"(old), [word] "+m"({name}) : [a] "r"(a & 1) : "cc", "memory");
	{name} += b;
	return old + {w.call()};""", ["noclone"])


def raised_signal(w):
    handler = w.helper("handler", f"void {w.name}_handler(int number)",
                       f"\t{w.name}_seen += (W)number;\n\tmix += {w.call(arguments=('1u', '2u'))};")
    return f"static volatile W {w.name}_seen;\n" + handler + w.function(f"""
	struct sigaction action, before;
	memset(&action, 0, sizeof(action));
	action.sa_handler = {w.name}_handler;
	action.sa_flags = {w.pick(['0', 'SA_NODEFER', 'SA_RESTART', 'SA_ONSTACK'])};
	sigaction(SIGUSR{w.pick('12')}, &action, &before);
	for (int i = 0; i < 3 && fuel-- > 0; i++)
		raise(SIGUSR1 == 10 ? SIGUSR1 : SIGUSR2);
	return {w.name}_seen + a;""".replace("SIGUSR1 == 10 ? SIGUSR1 : SIGUSR2", "w_number")
        .replace("w_number", "SIGUSR1").replace("SIGUSR2, &action", "SIGUSR1, &action"), ["noclone"])


def timer_signal(w):
    """Signals at any instruction. How many come is not the same twice; that they are counted is."""
    handler = w.helper("tick", f"void {w.name}_tick(int number)", f"\t{w.name}_ticks += number > 0;",
                       mark="~")
    return f"static volatile W {w.name}_ticks;\n" + handler + w.function(f"""
	static int used;
	struct sigaction action;
	struct itimerval every = {{{{0, {w.integer(50, 400)}}}, {{0, 50}}}}, never = {{{{0, 0}}, {{0, 0}}}};
	if (used++)
		return a;
	memset(&action, 0, sizeof(action));
	action.sa_handler = {w.name}_tick;
	action.sa_flags = SA_RESTART;
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (volatile int i = 0; i < 3000; i++) {{
		fuel += 2;
		a = a * 3 + {w.call()};
		for (volatile int k = 0; k < 300; k++)
			;
	}}
	setitimer(ITIMER_REAL, &never, NULL);
	return a;""", ["noclone"])


def sorting(w):
    compare = w.helper("order", f"int {w.name}_order(const void *left, const void *right)",
                       "\tconst W x = *(const W *)left, y = *(const W *)right;\n"
                       f"\tmix += x {w.pick('^+')} y;\n\treturn x < y ? -1 : x > y;")
    return compare + w.function(f"""
	W words[{w.integer(2, 40)}];
	const W count = sizeof(words) / sizeof(words[0]);
	for (W i = 0; i < count; i++)
		words[i] = (a * (i + 7)) % 1001;
	qsort(words, count, sizeof(words[0]), {w.name}_order);
	W *found = (W *)bsearch(&words[b % count], words, count, sizeof(words[0]), {w.name}_order);
	return words[0] + words[count - 1] + (W)(found - words) * 0 + {w.call()};""")


def cold_path(w):
    error = w.helper("unlikely", f"__attribute__((cold)) void {w.name}_unlikely(W a, const char *text)",
                     "\tmix ^= a + (W)text[0];")
    return error + w.function(f"""
	if (__builtin_expect(a % {w.integer(2, 50)} == 0, 0)) {{
		{w.name}_unlikely(a, "unlikely");
		a += {w.call()};
		{w.name}_unlikely(b, "again");
	}}
	for (W i = 0; i < b % 9; i++) {{
		if (__builtin_expect((a ^ i) % 64 == 1, 0)) {{
			{w.name}_unlikely(i, "loop");
			return {w.call()};
		}}
		a += i * b;
	}}
	return a;""")


def unreachable_end(w):
    return w.function(f"""
	switch (a % 4) {{
	case 0: return {expression(w)};
	case 1: return {w.call()};
	case 2: mix++; return b;
	case 3: return a - b;
	}}
	__builtin_unreachable();""")


def specialised(w):
    """Called with constants and unused results only: clones with conventions of their own."""
    helper = w.static_helper("special", f"W {w.name}_special(W a, struct large *room, W mode, W unused)", f"""
	for (W i = 0; i < mode; i++)
		room->words[i % 9] += a * mode + i;
	(void)unused;
	return room->words[mode % 9];""")
    mode = w.integer(1, 12)
    return helper + w.function(f"""
	struct large room = {{{{a, b}}}};
	W kept = {expression(w)};
	W sum = {w.name}_special(a, &room, {mode}, 9) + {w.name}_special(b, &room, {mode}, kept);
	return sum ^ kept ^ {w.call()};""")


def register_leaf(w):
    """Static leaves that write few registers: with -fipa-ra their callers know."""
    helper = w.static_helper("leaf", f"W {w.name}_leaf(W a)",
                             f"\treturn a {w.pick(['+ 1', '* 5', '^ 0x55', '- 7'])};")
    body = "".join(f"\tW v{k} = a * {k + 3}u + b;\n" for k in range(6))
    body += f"\tW t = {w.name}_leaf(v0);\n\tt += {w.name}_leaf(t ^ v1) + (a < b);\n"
    return helper + w.function(body + "\tmix += t;\n\treturn t + v1 + v2 * v3 + v4 - v5;")


def other_convention(w):
    helper = w.helper("windows", f"__attribute__((ms_abi)) W {w.name}_windows(W a, double x, W b, W c, W d, W e)",
                      f"\treturn a + (W)x + b * c - d ^ e ^ {w.call()};")
    return helper + w.function(f"""
	double kept = (double)(a % 100) / 2;
	W result = {w.name}_windows(a, kept, b, 1, 2, 3);
	return result + (W)(kept * 2);""")


def thread(w):
    start = w.helper("thread", f"void *{w.name}_thread(void *argument)",
                     f"\tconst W a = *(W *)argument, b = {w.integer(1, 9)};\n\t*(W *)argument = {w.call()};\n"
                     "\tif (a & 1)\n\t\tpthread_exit(argument);\n\treturn argument;")
    return start + w.function(f"""
	static int used;
	pthread_t thread;
	void *result;
	if (used++ > 3 || pthread_create(&thread, NULL, {w.name}_thread, &a))
		return b;
	pthread_join(thread, &result);
	return *(W *)result;""", ["noclone"])


def static_chain(w):
    """A nested function gets its frame through r10."""
    return w.function(f"""
	__attribute__((noinline)) W nested(W n)
	{{
		a += n;
		return n && fuel-- > 0 ? nested(n / 2) + b : a;
	}}
	return nested(b % 100) + {w.call()} + nested(3);""", ["noclone"])


def naked(w):
    k = w.counter("naked")
    return w.function(f"""
	W sum = {w.name}_naked(a, b);
	return sum + {w.name}_naked(sum, a) + {w.call()};""", before=f"""
__attribute__((naked, noinline, noclone, used)) static W {w.name}_naked(W a, W b)
{{
	__asm__("incq {w.counters}+{8 * k}(%rip); {w.pick(['lea (%rdi,%rsi,2), %rax; ret', 'mov %rdi, %rax; xor %rsi, %rax; jne 1f; inc %rax; 1: ret', 'xor %eax, %eax; mov %rdi, %rcx; and $15, %ecx; inc %ecx; 1: add %rsi, %rax; loop 1b; ret'])}");
}}
""")


def with_constructor(w):
    helper = w.helper("begin", f"__attribute__((constructor)) void {w.name}_begin(void)",
                      f'\t__asm__ volatile("");\n\t{w.name}_set = {w.integer(1, 99)};')
    last = w.helper("end", f"__attribute__((destructor)) void {w.name}_end(void)",
                    "\tmix++;", mark=None)
    return f"static W {w.name}_set;\n" + helper + last + w.function(f"\treturn {w.name}_set * a + {w.call()};")


def chosen_at_load(w):
    first = w.static_helper("first", f"W {w.name}_first(W a, W b)", f"\treturn a * 3 + b + {w.call()};")
    choice = (f"static W (*{w.name}_choose(void))(W, W)\n{{\n\treturn {w.name}_first;\n}}\n"
              f'static W {w.name}_chosen(W a, W b) __attribute__((ifunc("{w.name}_choose")));\n')
    return first + choice + w.function(f"\treturn {w.name}_chosen(a, b) ^ {w.name}_chosen(b, a);")


def output(w):
    return w.function(f"""
	char text[64];
	const int length = snprintf(text, sizeof(text), "%lu %s %.2f", a % 1000, b & 1 ? "odd" : "even",
		(double)(a % 100) / 3);
	return (W)length + (W)text[b % 4] + {w.call()};""")


COMMON = [arithmetic, leaf, branches, switches, switches, tail_call, tail_call, many_arguments, recursion,
          varargs, big_frame, string_instructions, loop_instruction, wide_integers, floating, vectors,
          structures, thread_local, atomics, locked_skip, raised_signal, timer_signal, sorting, cold_path,
          unreachable_end, specialised, register_leaf, register_leaf, other_convention, thread,
          flags_in_assembly, with_constructor, output]
C_ONLY = [computed_goto, computed_goto, long_jump, variable_arrays, chosen_at_load]
GCC_ONLY = [static_chain]
