"""Inside gdb, attached to fixtures/debugged: steps on and checks the stack each time."""
import gdb

CALLERS = {
    "leaf": {"compares", "sorts", "works"},
    "compares": {"sorts"},
    "sorts": {"works"},
    "works": {"main"},
    "main": {"_start"},
}
STEPS, STACKS = 23, 250


def stack():
    frame, names = gdb.newest_frame(), []
    while frame:
        names.append(frame.name() or "?")
        frame = frame.older()
    return names


def is_right(names):
    """Frames of the program call one another; those between are of libraries."""
    own = [name for name in names if name in CALLERS or name == "_start"]
    if not own or own[-1] != "_start" or names[-1] != "_start":
        return False
    return all(caller in CALLERS[callee] for callee, caller in zip(own, own[1:]))


gdb.execute("set backtrace past-main on")
gdb.execute("set backtrace past-entry on")
gdb.execute("set pagination off")
seen, wrong = set(), []
for _ in range(STACKS):
    gdb.execute(f"stepi {STEPS}", to_string=True)
    names = stack()
    seen.add(" ".join(names))
    if not is_right(names):
        wrong.append(f"{gdb.newest_frame().pc():#x}: {' '.join(names)}")
print(f"{STACKS} stacks, {len(seen)} different, {len(wrong)} wrong")
for line in wrong[:5]:
    print(line)
gdb.execute("kill")
gdb.execute(f"quit {1 if wrong or len(seen) < 5 else 0}")
