"""Executions of instructions: those of a recording, and those that callgrind counts."""
import bisect
import collections
import os
import sqlite3
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "accuracy"))
import elf

REP = {0xf2, 0xf3}
STRING = {0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xac, 0xad, 0xae, 0xaf}


class Blocks:
    """{module: executed ranges} of one recording."""

    def __init__(self, path):
        database = sqlite3.connect(path)
        rows = database.execute(
            "SELECT m.path, f.id, f.name, b.link_addr, b.size, b.instructions, coalesce(sum(e.count), 0) FROM block b "
            "JOIN module m ON m.id = b.module LEFT JOIN function f ON f.id = b.function "
            "LEFT JOIN execution e ON e.block = b.id GROUP BY b.id ORDER BY b.link_addr").fetchall()
        self.modules = collections.defaultdict(list)
        for path, function, name, begin, size, _, count in rows:
            self.modules[os.path.realpath(path)].append((begin, begin + size, function, name, count))
        self.instructions = sum(row[5] * row[6] for row in rows)
        database.close()

    def at(self, module, addr):
        blocks = self.modules[module]
        index = bisect.bisect_right(blocks, (addr, float("inf"))) - 1
        return blocks[index] if index >= 0 and blocks[index][0] <= addr < blocks[index][1] else None


def callgrind(command, environment, folder, **more):
    """{(module, address): executions}; `more`: how subprocess.run differs (cwd: `folder`, stdin: none, check: yes)"""
    out = os.path.join(folder, "callgrind.out")
    subprocess.run(["valgrind", "-q", "--tool=callgrind", "--dump-instr=yes", "--compress-strings=no",
                    "--compress-pos=no", "--skip-plt=no", "--callgrind-out-file=" + out, *command],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment,
                   **{"cwd": folder, "stdin": subprocess.DEVNULL, "check": True, **more})
    found, module, call = collections.Counter(), "", False
    with open(out, encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if line.startswith("ob="):
                module = os.path.realpath(line[3:].rstrip("\n"))
            elif line.startswith("calls="):
                call = True
            elif line.startswith("0x"):
                words = line.split()
                if not call and len(words) == 3:
                    found[module, int(words[0], 16)] += int(words[2])
                call = False
    os.unlink(out)
    return found


def repeats(module, addr):
    code = elf_bytes(module, addr)
    return code[0] in REP and any(byte in STRING for byte in code[1:3])


def elf_bytes(path, addr):
    for offset, begin, length in elf.segments(path):
        if begin <= addr < begin + length:
            with open(path, "rb") as file:
                file.seek(offset + addr - begin)
                return file.read(4)
    return b"\0\0\0\0"
