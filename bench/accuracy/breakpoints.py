"""How often a plain run of a program calls functions: by breakpoints of gdb, a witness besides callgrind.

callgrind runs programs on a processor of its own, at other addresses, and some do other things there. What a
plain run does decides then.
"""
import json
import os
import shutil
import subprocess

LIMIT_SECONDS = 300
# Reads ACCURACY_BREAKPOINTS: {module: [link address]}, and the program's ACCURACY_ENVIRONMENT; writes {module:
# {link address: hits}} to ACCURACY_HITS. Of ACCURACY_LIBRARIES, calls from ACCURACY_CALLERS alone.
SCRIPT = r"""
import gdb, json, os, re, struct, subprocess, sys
sys.path.insert(0, os.environ["ACCURACY_CODE"])
import elf

wanted = json.loads(os.environ["ACCURACY_BREAKPOINTS"])
callers = set(json.loads(os.environ["ACCURACY_CALLERS"]))
libraries = {tuple(key) for key in json.loads(os.environ["ACCURACY_LIBRARIES"])}
placed = {}
chosen_later = []  # (module, address, address in the process) of functions of which the loader chooses one

class Counted(gdb.Breakpoint):
    '''Calls from those files alone.'''
    hits = 0

    def stop(self):
        inferior = gdb.selected_inferior()
        word = inferior.read_memory(int(gdb.parse_and_eval("$sp")), 8)
        addr, = struct.unpack("<Q", bytes(word))
        with open(f"/proc/{inferior.pid}/maps") as maps:
            for line in maps:
                begin, end = (int(part, 16) for part in line.split()[0].split("-"))
                if begin <= addr < end:
                    self.hits += os.path.basename(line.split(None, 5)[-1].strip()) in callers
        return False

def first_address(path):
    '''The link address of what lies at the file's begin.'''
    return next((addr for offset, addr, _ in elf.segments(path) if offset == 0), 0)

def chosen_by_loader(path):
    '''Link addresses of functions that only tell which one is to be called (STT_GNU_IFUNC).'''
    symbols = subprocess.run(["readelf", "-W", "--dyn-syms", path], capture_output=True, text=True).stdout
    return {int(words[1], 16) for words in map(str.split, symbols.splitlines()) if words[3:4] == ["IFUNC"]}

def watch(module, addr, there):
    kind = Counted if (module, addr) in libraries else gdb.Breakpoint
    point = kind(f"*{there}")
    point.silent = True
    if kind is gdb.Breakpoint:
        point.ignore_count = 1 << 30
    placed[module][addr] = point

def place():
    with open(f"/proc/{gdb.selected_inferior().pid}/maps") as maps:
        for line in maps:
            words = line.split(None, 5)
            path = words[5].strip() if len(words) > 5 else ""
            module = os.path.basename(path)
            if int(words[2], 16) or module not in wanted or module in placed:
                continue
            base = int(words[0].split("-")[0], 16) - first_address(path)
            placed[module] = {}
            choosing = chosen_by_loader(path)
            for addr in wanted[module]:
                if addr in choosing:
                    chosen_later.append((module, addr, base + addr))
                else:
                    watch(module, addr, base + addr)

def place_chosen():
    '''Once the libraries are relocated, those functions can be asked.'''
    for module, addr, there in chosen_later:
        watch(module, addr, int(gdb.parse_and_eval(f"((unsigned long (*)(void)) {there})()")))
    chosen_later.clear()

for command in ("set pagination off", "set confirm off", "set debuginfod enabled off", "set auto-load no",
                "set startup-with-shell off", "handle all nostop noprint pass", "set stop-on-solib-events 1", "set disable-randomization off",
                "unset environment"):
    gdb.execute(command, to_string=True)
for name, value in json.loads(os.environ["ACCURACY_ENVIRONMENT"]).items():
    gdb.execute(f"set environment {name} {value}", to_string=True)

gdb.execute("starti", to_string=True)
place()
entry = int(re.search(r"Entry point: (0x[0-9a-f]+)", gdb.execute("info files", to_string=True))[1], 16)
gdb.Breakpoint(f"*{entry}", temporary=True).silent = True
while gdb.selected_inferior().pid:
    gdb.execute("continue", to_string=True)
    if not gdb.selected_inferior().pid:
        break
    place()
    if gdb.selected_frame().pc() == entry:
        place_chosen()
hits = {module: {addr: point.hits if isinstance(point, Counted) else point.hit_count for addr, point in points.items()} for module, points in placed.items()}
with open(os.environ["ACCURACY_HITS"], "w") as file:
    json.dump(hits, file)
"""


def calls_of(command, functions, libraries, callers, environment):
    """{(module, address): calls} of a plain run, of libraries' functions from the callers' files. Empty where gdb
    cannot say.
    """
    if not functions + libraries or not shutil.which("gdb"):
        return {}
    folder = environment["ACCURACY_OUT"]
    script, hits = os.path.join(folder, "breakpoints.gdb.py"), os.path.join(folder, "hits.json")
    with open(script, "w", encoding="ascii") as file:
        file.write(SCRIPT)
    wanted = {}
    for module, addr in functions + libraries:
        wanted.setdefault(module, []).append(addr)
    command = ["gdb", "-nx", "-batch", "-x", script, "--args",
               shutil.which(command[0], path=environment["PATH"]), *command[1:]]
    try:
        subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                       timeout=LIMIT_SECONDS, check=True, cwd=folder,
                       env={**os.environ, "ACCURACY_BREAKPOINTS": json.dumps(wanted), "ACCURACY_HITS": hits,
                            "ACCURACY_ENVIRONMENT": json.dumps(environment),
                            "ACCURACY_CODE": os.path.dirname(os.path.abspath(__file__)),
                            "ACCURACY_LIBRARIES": json.dumps(libraries),
                            "ACCURACY_CALLERS": json.dumps(sorted(callers))})
        with open(hits, encoding="ascii") as file:
            found = json.load(file)
    except (subprocess.SubprocessError, OSError, ValueError):
        return {}
    return {(module, int(addr)): count for module, points in found.items() for addr, count in points.items()}
