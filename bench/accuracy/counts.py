"""Calls of functions beside those that callgrind counts.

callgrind knows a function without a symbol by its address, and counts a jump into it as no call. So jumps
from outside of the function to its first instruction are added. Of functions in libraries that tare does
not instrument, only calls from instrumented files count.
"""
import collections
import hashlib
import json
import os
import re
import shutil
import subprocess

import elf

WITNESSED_CALLS = 200_000  # a breakpoint takes a tenth of a millisecond
RECORDINGS = 5  # to find out what is other each time
PACKAGES = "/var/lib/dpkg/status"  # changes with each that is installed
# The C library chooses one of several functions by the processor; callgrind names the one chosen.
VARIANT = re.compile(r"^__(?:new_)?(\w+?)_(?:sse\d\w*|ssse\d\w*|avx\w*|evex\w*|erms|unaligned\w*|generic|ifunc|fma\w*)$")


def environment_under_valgrind(environment):
    """What programs see under valgrind, which adds variables: they are work for programs that read them."""
    told = subprocess.run(["valgrind", "-q", "--tool=callgrind", "--callgrind-out-file=/dev/null", "env", "-0"],
                          capture_output=True, check=True, env=environment, cwd=environment["ACCURACY_OUT"])
    return dict(entry.split("=", 1) for entry in os.fsdecode(told.stdout).split("\0") if entry)


def files_of(command):
    """What a result depends on: the program, the libraries that it is linked with, and the files it is given."""
    program = shutil.which(command[0])
    linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    given = [word.rpartition(" ")[2] for word in command[1:]]
    return [program, *re.findall(r"(/\S+) \(0x", linked), *filter(os.path.isfile, given)]


def digest_of(command, environment):
    """Interpreters look at all that is installed for them, too."""
    digest = hashlib.sha256("\0".join(f"{name}={value}" for name, value in environment.items()).encode())
    if os.path.exists(PACKAGES):
        digest.update(str(os.stat(PACKAGES).st_mtime_ns).encode())
    digest.update("\0".join(["selves", *command]).encode())
    for path in files_of(command):
        with open(path, "rb") as file:
            digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:24]


def parse(path):
    """{"calls": [[from module, module, address, name, count]], "jumps": [[module, from, to, count]], "selves":
    [[module, from, to, count]]}, the last of a function's calls of itself"""
    calls, jumps, selves = collections.Counter(), collections.Counter(), collections.Counter()
    this = callee = jump = called = None
    name = caller = ""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                this = callee = os.path.basename(value)
            elif key == "fn":
                callee, caller = this, re.sub(r"'\d+$", "", value)
            elif key == "cob":
                callee = os.path.basename(value)
            elif key == "cfn":
                name = re.sub(r"'\d+$", "", value)
            elif key == "calls":
                words = value.split()
                calls[this, callee, int(words[1], 16), name] += int(words[0])
                called = (int(words[1], 16), int(words[0])) if (callee, name) == (this, caller) else None
                callee = this
            elif key in ("jump", "jcnd"):
                words = value.split()
                jump = int(words[1], 16), int(words[0].split("/")[0])
            elif called and line.startswith("0x"):
                selves[this, int(line.split()[0], 16), called[0]] += called[1]
                called = None
            elif jump and line.startswith("0x"):
                jumps[this, int(line.split()[0], 16), jump[0]] += jump[1]
                jump = None
    return {"calls": [[*key, count] for key, count in calls.items()],
            "jumps": [[*key, count] for key, count in jumps.items()],
            "selves": [[*key, count] for key, count in selves.items()]}


def callgrind(command, cache, environment):
    """What callgrind has counted, now or at an earlier time of the same command."""
    os.makedirs(cache, exist_ok=True)
    kept = os.path.join(cache, digest_of(command, environment) + ".json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            return json.load(file)
    out = os.path.join(environment["ACCURACY_OUT"], "callgrind.out")
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--collect-jumps=yes",
                    "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file=" + out, *command],
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
                   env=environment, cwd=environment["ACCURACY_OUT"])
    found = parse(out)
    os.unlink(out)
    with open(kept + ".part", "w", encoding="utf-8") as file:
        json.dump(found, file)
    os.rename(kept + ".part", kept)
    return found


def is_jump(path, addr):
    """Whether the instruction at that link address is a jump that names its target."""
    for offset, begin, length in elf.segments(path):
        if begin <= addr < begin + length:
            with open(path, "rb") as file:
                file.seek(offset + addr - begin)
                code = file.read(2)
            return code[0] in (0xe9, 0xeb) or 0x70 <= code[0] < 0x80 or (
                code[0] == 0x0f and 0x80 <= code[1] < 0x90)
    return False


def name_of_library(name):
    """memcpy and memmove are one function on most processors, and callgrind knows it by one name."""
    variant = VARIANT.match(name)
    name = variant[1] if variant else name
    return "memcpy" if name == "memmove" else name


def calls_by_function(found, functions):
    """{(module, address): calls} of functions in instrumented files, {name: calls} of others, and of the
    former those that are jumps from inside to their begin."""
    ours, libraries, loops = collections.Counter(), collections.Counter(), collections.Counter()
    for source, module, addr, name, count in found["calls"]:
        if not functions.is_library(module):
            ours[module, addr] += count
        elif not functions.is_library(source):
            libraries[name_of_library(name)] += count
    for module, source, target, count in found["jumps"]:
        begin, size = target, functions.size(module, target)
        if not functions.is_library(module) and not begin <= source < begin + size:
            ours[module, target] += count
    for module, source, target, count in found["selves"]:
        if not functions.is_library(module) and is_jump(functions.paths[module], source):
            loops[module, target] += count
    return ours, libraries, loops


class Difference:
    """A function's calls where callgrind's are others, and why."""

    def __init__(self, name, key, mine, theirs, why):
        self.name, self.key, self.mine, self.theirs, self.why = name, key, mine, theirs, why

    def calls_in(self, rows):
        return rows.calls[self.key] if self.name not in rows.imported_calls else rows.imported_calls[self.name]


# docs/reference/instrumentation.md: calls by conventions of their own.
NOT_COUNTED = ("__tls_get_addr", "__fentry__", "mcount", "_mcount")


def reason(functions, key, name, difference, loops):
    """Why calls differ, as far as these counts themselves show it."""
    if name in NOT_COUNTED:
        return "a compiler's own call, which is not counted"
    if key in functions.approximate:
        return "shown with ≈ or ≥"
    return "jumps to its own begin, which are no calls" if loops[key] and difference == loops[key] else ""


def ask_plain_run(open_ones, functions, witness):
    """Where a plain run has as many as tare, the program does other things under valgrind, or callgrind is blind."""
    asked = [one for one in open_ones if one.key and one.mine <= WITNESSED_CALLS]
    ours = [one.key for one in asked if not functions.is_library(one.key[0])]
    theirs = [one.key for one in asked if functions.is_library(one.key[0])]
    seen = witness(ours, theirs, [module for module, library in functions.system.items() if not library])
    for one in asked:
        if seen.get(one.key) == one.mine:
            one.why = "a plain run has tare's number"


def compare(found, rows, record, witness):
    """(functions compared, [(function, tare's calls, callgrind's, reason or "")]), of libraries' functions, too.

    `record()` makes one more recording: what differs there is other each time. The calls of what still differs
    are asked of `witness(functions, functions of libraries, files that call these)`, which counts a plain run's.
    """
    ours, libraries, loops = calls_by_function(found, rows.functions)
    pairs = [(f"{key[0]}:{name}", key, rows.calls[key], ours[key])
             for key, name in rows.names.items() if key[1] and key not in rows.functions.startup]
    pairs += [(name, rows.imported_places.get(name), calls, libraries[name])
              for name, calls in rows.imported_calls.items() if name in libraries]
    wrong = [Difference(name, key, mine, theirs, reason(rows.functions, key, name, theirs - mine, loops))
             for name, key, mine, theirs in pairs if mine != theirs]
    for attempt in range(RECORDINGS):
        open_ones = [one for one in wrong if not one.why]
        if not open_ones:
            break
        if attempt == 1:
            ask_plain_run(open_ones, rows.functions, witness)
        again = record()
        for one in open_ones:
            if not one.why and one.calls_in(again) != one.mine:
                one.why = "differs from run to run"
    wrong.sort(key=lambda one: (bool(one.why), -abs(one.mine - one.theirs)))
    return len(pairs), [(one.name, one.mine, one.theirs, one.why) for one in wrong]
