"""Bodies of generated C++ functions: exceptions above all. See bodies_c.py for the rules."""

HEADER = r"""
#include <algorithm>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>
struct Base { W value; explicit Base(W v) : value(v) {} virtual ~Base() {} virtual W get() const { return value; } };
struct Left : virtual Base { explicit Left(W v) : Base(v) {} W get() const override { return value * 3; } };
struct Right : virtual Base { explicit Right(W v) : Base(v) {} };
struct Both : Left, Right { explicit Both(W v) : Base(v), Left(v), Right(v) {} W get() const override { return value ^ 5; } };
struct Guard { W *sum; W step; Guard(W *s, W n) : sum(s), step(n) {} ~Guard() { *sum = *sum * 5 + step; } };
"""


def thrown(w):
    return w.pick(["(int)(a % 100)", "Base(a)", "Left(a)", "Both(a)", "a", 'std::runtime_error("generated")',
                   "std::string(3 + a % 9, 'x')", "(const char *)\"text\""])


def handler(w, kind, name="e"):
    use = {"int": f"a += (W){name};", "const Base &": f"a ^= {name}.get();", "W": f"a -= {name};",
           "const Left &": f"a *= {name}.get();", "const std::exception &": f"a += {name}.what()[0];",
           "const std::string &": f"a += {name}.size();", "const char *": f"a ^= (W){name}[1];"}[kind]
    more = w.pick(["", f" a += {w.call()};", " throw;" if w.chance(0.2) else "", f" return {w.call()};"])
    return f" catch ({kind}{name}) {{\n\t\t{use}{more}\n\t}}".replace("int" + name, "int " + name).replace(
        "(W" + name, "(W " + name)


KINDS = ["int", "const Base &", "W", "const Left &", "const std::exception &", "const std::string &",
         "const char *"]


def throws(w):
    """Throws at some depth; frames between have destructors."""
    helper = w.helper("deep", f"W {w.name}_deep(W a, W b, W *sum)",
                      f"\tGuard guard(sum, a);\n\tif (!(b & 15) || fuel-- <= 0)\n\t\tthrow {thrown(w)};\n"
                      f"\treturn {w.name}_deep(a + 1, b >> 1, sum) + a;", declare=True, mark="!")
    handlers = "".join(handler(w, kind) for kind in w.sample(KINDS, w.integer(0, 4)))
    return helper + w.function(f"""
	W sum = 0;
	try {{
		Guard guard(&sum, 77);
		a += {w.name}_deep(a, {w.integer(0, 4000)}u + b % 64, &sum);
	}}{handlers} catch (...) {{
		a += 11;
	}}
	return a ^ sum ^ {w.call()};""")


def rethrows(w):
    return w.function(f"""
	W sum = 0;
	try {{
		try {{
			Guard guard(&sum, 3);
			if (a % {w.integer(1, 4)} == 0)
				throw {thrown(w)};
			sum += {w.call()};
		}} catch ({w.pick(["...", "int", "const Base &"])}) {{
			Guard guard(&sum, 5);
			sum += {w.call()};
			throw;
		}}
	}} catch (const Base &e) {{
		sum += e.get();
	}} catch (...) {{
		sum ^= 99;
	}}
	return sum + a;""")


def pointer_to_exception(w):
    return w.function(f"""
	std::exception_ptr kept;
	try {{
		throw {thrown(w)};
	}} catch (...) {{
		kept = std::current_exception();
	}}
	W other = {w.call()};
	try {{
		std::rethrow_exception(kept);
	}} catch (int e) {{
		other += (W)e;
	}} catch (...) {{
		other ^= 7;
	}}
	return other;""")


def throwing_constructor(w):
    before = f"""
struct {w.name}_part {{
	Guard guard;
	std::string text;
	__attribute__((noinline)) {w.name}_part(W *sum, W n) try : guard(sum, n), text(n % 40, 'y') {{
		if (n % 3 == 0)
			throw (int)n % 50;
		mix += text.size();
	}} catch (int e) {{
		mix ^= (W)e;
	}}
}};
"""
    return w.function(f"""
	W sum = 1;
	for (W i = 0; i < 5; i++) {{
		try {{
			{w.name}_part part(&sum, a + i), other(&sum, b + i);
			sum += part.text.size() + {w.call()};
		}} catch (int e) {{
			sum += (W)e;
		}}
	}}
	return sum;""", before=before)


def virtual_calls(w):
    return w.function(f"""
	std::unique_ptr<Base> all[] = {{std::unique_ptr<Base>(new Left(a)), std::unique_ptr<Base>(new Both(b)),
		std::unique_ptr<Base>(new Base({w.call()}))}};
	W sum = 0;
	for (auto &one : all)
		sum = sum * 3 + one->get() + (dynamic_cast<Right *>(one.get()) ? 1 : 0);
	return sum;""")


def closures(w):
    return w.function(f"""
	std::vector<W> words;
	for (W i = 0; i < 1 + a % 30; i++)
		words.push_back((i * 37 + b) % 101);
	std::function<bool(W, W)> less = [&](W x, W y) {{ mix++; return x < y; }};
	std::sort(words.begin(), words.end(), less);
	std::map<W, W> table;
	for (W word : words)
		table[word % 7] += word;
	return table.begin()->second + words.back() + {w.call()};""")


def through_c(w):
    """An exception passes frames of C functions with cleanups, and qsort-like callbacks of our own."""
    each = w.helper("each", f"W {w.name}_each(W (*to)(W, W *), W count, W *sum)",
                    "\tW total = 0;\n\tfor (W i = 0; i < count; i++)\n\t\ttotal += to(i, sum);\n\treturn total;")
    call = w.helper("callback", f"W {w.name}_callback(W a, W *sum)",
                    f"\tGuard guard(sum, a);\n\tif (a == {w.integer(0, 9)})\n\t\tthrow a;\n\treturn a * 2;")
    return each + call + w.function(f"""
	W sum = 0;
	try {{
		sum += {w.name}_each({w.name}_callback, b % 12, &sum);
	}} catch (W e) {{
		sum += e * 100;
	}}
	return sum ^ {w.call()};""")


ALL = [throws, throws, rethrows, pointer_to_exception, throwing_constructor, virtual_calls, closures, through_c]
