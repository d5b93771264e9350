"""A generated program: source files, compiler options that it needs, and what may be left out of it.

The same seed gives the same program. Functions are numbered; each is one shape of code from bodies_c.py
or bodies_cpp.py, counts its calls, and calls others as long as `fuel` lasts. Leaving a function out
(`without`) keeps the rest as it is: its body becomes a constant, which is how a failing program is made
small.
"""
import random

from differential import bodies_c, bodies_cpp

HEADER = r"""
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#ifdef __cplusplus
#define C_LINKAGE extern "C"
#else
#define C_LINKAGE
#endif
typedef unsigned long W;
typedef W v16 __attribute__((vector_size(16)));
typedef W v32 __attribute__((vector_size(32)));
struct pair { W word; double real; };
struct large { W words[9]; };
struct small { char c; short d; char e; };
struct floats { float x, y, z; };
#ifdef __cplusplus
extern "C" {
#endif
extern volatile long fuel;
extern W mix;
#ifdef __cplusplus
}
#endif
"""

MAIN = r"""
volatile long fuel;
W mix;
int main(void)
{
	W sum = 0;
	static char stack[1 << 16];
	stack_t other;
	memset(&other, 0, sizeof(other));
	other.ss_sp = stack;
	other.ss_size = sizeof(stack);
	sigaltstack(&other, NULL);
	for (W round = 0; round < %(rounds)d; round++) {
%(calls)s
		printf("# %%lu %%lx %%lx\n", round, sum, mix);
	}
%(reports)s
	fflush(stdout);
	%(end)s
}
"""


class Writer:
    """Writes function `number` of a program, as its body asks for it."""

    def __init__(self, program, number, unit):
        self.program, self.number, self.unit = program, number, unit
        self.random = random.Random(f"{program.seed}/{number}")
        self.name = f"f{number}"
        self.counters = f"counters{unit}"

    # ---- choices ----

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, choices):
        return self.random.choice(choices)

    def integer(self, low, high):
        return self.random.randint(low, high)

    def shuffled(self, values):
        values = list(values)
        self.random.shuffle(values)
        return values

    def sample(self, values, count):
        return self.random.sample(values, count)

    # ---- pieces of source ----

    def counter(self, suffix="", mark=""):
        """Number of a new counter, for the function's own name and suffix; marks are in the driver."""
        name = self.name + (f"_{suffix}" if suffix else "")
        return self.program.add_counter(self.unit, mark + name)

    def count(self, suffix="", mark=""):
        return f"\t{self.counters}[{self.counter(suffix, mark)}]++;\n"

    def callee(self):
        """Another function: recursion may become a loop, which only some bodies allow for."""
        other = self.random.randrange(self.program.size - 1)
        return f"f{other + (other >= self.number)}"

    def call(self, arguments=None):
        first, second = arguments or (bodies_c.expression(self, depth=1), bodies_c.expression(self, depth=1))
        return f"(fuel-- > 0 ? {self.callee()}({first}, {second}) : {first})"

    def attributes(self, more=()):
        chosen = ["noinline"] + list(more)
        if self.chance(0.1):
            chosen.append(self.pick(["cold", "hot", "aligned(64)", "patchable_function_entry(5, 2)",
                                     "patchable_function_entry(3)"]))
        if self.chance(0.1):
            chosen.append("OWN_LEVEL")
        return f"__attribute__(({', '.join(chosen)})) ".replace("((OWN_LEVEL))", "((noinline))").replace(
            ", OWN_LEVEL", "" if self.program.compiler == "clang" else ', optimize("%s")' % self.pick(["O0", "Os", "O3"])
        ).replace("noclone, ", "" if self.program.compiler == "clang" else "noclone, ").replace(
            ", noclone", "" if self.program.compiler == "clang" else ", noclone")

    def function(self, body, attributes=(), before="", mark=""):
        return (f"{before}C_LINKAGE {self.attributes(attributes)}W {self.name}(W a, W b)\n{{\n"
                f"{self.count(mark=mark)}{body}\n}}\n\n")

    def helper(self, suffix, signature, body, attributes=(), declare=False, mark=""):
        """Another function; with mark None it does not count itself."""
        text = f"C_LINKAGE {self.attributes(attributes)}{signature}"
        count = "" if mark is None else self.count(suffix, mark)
        return (f"{text};\n" if declare else "") + f"{text}\n{{\n{count}{body}\n}}\n\n"

    def static_helper(self, suffix, signature, body):
        # extern "C" for the name alone.
        linkage = 'extern "C" {' if self.program.cpp else ""
        return (f"{linkage}\nstatic __attribute__((noinline)) {signature}\n{{\n{self.count(suffix)}{body}\n}}\n"
                f"{'}' if linkage else ''}\n")


class Program:
    def __init__(self, seed, compiler="gcc", cpp=False, units=1, without=()):
        self.seed, self.compiler, self.cpp, self.units = seed, compiler, cpp, units
        self.random = random.Random(f"program/{seed}")
        self.size = self.random.randint(8, 30)
        self.without = set(without)
        self.counter_names = [[] for _ in range(units)]
        self.sources = self.write()

    def add_counter(self, unit, name):
        self.counter_names[unit].append(name)
        return len(self.counter_names[unit]) - 1

    def kinds(self):
        kinds = list(bodies_c.COMMON)
        if self.cpp:
            return kinds + bodies_cpp.ALL * 3
        return kinds + bodies_c.C_ONLY + (bodies_c.GCC_ONLY if self.compiler == "gcc" else [])

    def write_function(self, number):
        kind = self.random.choice(self.kinds())
        unit = number * self.units // self.size
        writer = Writer(self, number, unit)
        if number in self.without:
            return unit, writer.function("\treturn a + b;")
        return unit, f"/* {kind.__name__} */\n" + kind(writer)

    def write_report(self, unit):
        names = self.counter_names[unit]
        entries = ", ".join(f'"{name}"' for name in names)
        return f"""
C_LINKAGE __attribute__((noinline)) void report{unit}(void)
{{
	static const char *const names[] = {{{entries}}};
	for (unsigned i = 0; i < {len(names)}; i++)
		if (names[i][0] != '~' || getenv("FUZZ_COUNTS"))
			printf("%s %lu\\n", names[i], counters{unit}[i]);
}}
"""

    def write_main(self):
        calls = "\n".join(f"\t\tfuel = 60;\n\t\tsum = sum * 3 + f{k}(round * {k + 1}u + 1, sum ^ {k}u);"
                          for k in range(self.size) if k not in self.without)
        reports = "\n".join(f"\treport{unit}();" for unit in range(self.units))
        end = self.random.choice(["return (int)(sum & 63);", "exit((int)(mix & 63));"])
        return MAIN % {"rounds": self.random.randint(2, 12), "calls": calls, "reports": reports, "end": end}

    def write(self):
        bodies = [[] for _ in range(self.units)]
        for number in range(self.size):
            unit, text = self.write_function(number)
            bodies[unit].append(text)
        declarations = "\n".join(f"C_LINKAGE W f{k}(W a, W b);" for k in range(self.size))
        declarations += "\n" + "\n".join(f"C_LINKAGE void report{k}(void);" for k in range(self.units))
        sources = []
        for unit in range(self.units):
            counters = (f"static W counters{unit}[{max(1, len(self.counter_names[unit]))}] "
                        f'__asm__("counters{unit}") __attribute__((used));\n')
            text = HEADER + (bodies_cpp.HEADER if self.cpp else "") + declarations + "\n" + counters
            text += "\n".join(bodies[unit]) + self.write_report(unit)
            if unit == 0:
                text += MAIN_LINKAGE(self.cpp) + self.write_main()
            sources.append(text)
        return sources


def MAIN_LINKAGE(cpp):
    return 'extern "C" { extern volatile long fuel; extern W mix; }\n' if cpp else ""
