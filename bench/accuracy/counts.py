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
import subprocess

# The C library chooses one of several functions by the processor; callgrind names the one chosen.
VARIANT = re.compile(r"^__(?:new_)?(\w+?)_(?:sse\d\w*|ssse\d\w*|avx\w*|evex\w*|erms|unaligned\w*|generic|ifunc|fma\w*)$")


def digest_of(command):
    digest = hashlib.sha256()
    for word in command:
        path = word.rpartition(" ")[2]
        digest.update(word.encode() + b"\0")
        if os.path.isfile(path):
            with open(path, "rb") as file:
                digest.update(hashlib.sha256(file.read()).digest())
    return digest.hexdigest()[:24]


def parse(path):
    """{"calls": [[from module, module, address, name, count]], "jumps": [[module, from, to, count]]}"""
    calls, jumps = collections.Counter(), collections.Counter()
    this = callee = jump = None
    name = ""
    with open(path, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            key, _, value = line.rstrip("\n").partition("=")
            if key == "ob":
                this = callee = os.path.basename(value)
            elif key == "fn":
                callee = this
            elif key == "cob":
                callee = os.path.basename(value)
            elif key == "cfn":
                name = re.sub(r"'\d+$", "", value)
            elif key == "calls":
                words = value.split()
                calls[this, callee, int(words[1], 16), name] += int(words[0])
                callee = this
            elif key in ("jump", "jcnd"):
                words = value.split()
                jump = int(words[1], 16), int(words[0].split("/")[0])
            elif jump and line.startswith("0x"):
                jumps[this, int(line.split()[0], 16), jump[0]] += jump[1]
                jump = None
    return {"calls": [[*key, count] for key, count in calls.items()],
            "jumps": [[*key, count] for key, count in jumps.items()]}


def callgrind(command, cache, environment):
    """What callgrind has counted, now or at an earlier time of the same command."""
    os.makedirs(cache, exist_ok=True)
    kept = os.path.join(cache, digest_of(command) + ".json")
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


def library_name(name):
    """memcpy and memmove are one function on most processors, and callgrind knows it by one name."""
    variant = VARIANT.match(name)
    name = variant[1] if variant else name
    return "memcpy" if name == "memmove" else name


def calls_by_function(found, functions):
    """{(module, address): calls} of functions in instrumented files, {name: calls} of others."""
    ours, libraries = collections.Counter(), collections.Counter()
    for source, module, addr, name, count in found["calls"]:
        if not functions.is_library(module):
            ours[module, addr] += count
        elif not functions.is_library(source):
            libraries[library_name(name)] += count
    for module, source, target, count in found["jumps"]:
        begin, size = target, functions.size(module, target)
        if not functions.is_library(module) and not begin <= source < begin + size:
            ours[module, target] += count
    return ours, libraries


def compare(found, rows, again, explained):
    """(functions compared, [(function, tare's calls, callgrind's, reason or "")]), of libraries' functions, too.

    `again` is a second recording: where it differs, the program does other things each time. `explained`
    has reasons for what differs else.
    """
    ours, libraries = calls_by_function(found, rows.functions)
    pairs = [(f"{key[0]}:{name}", rows.calls[key], again.calls[key], ours[key])
             for key, name in rows.names.items() if key[1] and key not in rows.functions.startup]
    pairs += [(name, calls, again.library_calls[name], libraries[name])
              for name, calls in rows.library_calls.items() if name in libraries]
    wrong = []
    for name, mine, second, theirs in pairs:
        if mine != theirs:
            why = "differs from run to run" if mine != second else explained.get(name) or explained.get("*", "")
            wrong.append((name, mine, theirs, why))
    return len(pairs), sorted(wrong, key=lambda entry: (bool(entry[3]), -abs(entry[1] - entry[2])))
