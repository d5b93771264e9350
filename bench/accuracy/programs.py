"""The programs that `make accuracy` measures, and the work that each is given.

A program has work of two seconds or more, and a small piece of the same for callgrind, which takes fifty times
as long. Both are made here, the same each time. Nothing was tuned to programs that are `held_out`.
"""
import dataclasses
import json
import os
import re
import shlex
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "data")
E2E_DATA = os.path.join(os.path.dirname(os.path.dirname(HERE)), "tests", "e2e", "data")
SHAPES = os.path.join(DATA, "shapes.cpp")


@dataclasses.dataclass
class Program:
    name: str
    command: list
    small: list
    held_out: bool = False

    @property
    def missing(self):
        return not (self.command[0] and shutil.which(self.command[0]))


class Inputs:
    """Files in `folder`, which runs at the same time share: they appear whole, and are the same each time."""

    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def file(self, name, lines):
        path = os.path.join(self.folder, name)
        beside = f"{path}.{os.getpid()}"
        with open(beside, "w", encoding="ascii") as file:
            file.writelines(line + "\n" for line in lines)
        os.replace(beside, path)
        return path

    def text(self, count):
        return self.file(f"text{count}", (
            f"{i * 7919 % 10000019:08d} host{i % 211:03d} state={i % 17} "
            f"ratio={i * 7919 % 10007 / 10007:.4f}" for i in range(count)))

    def objects(self, count):
        return self.file(f"objects{count}.json", (
            json.dumps({"id": i, "name": f"user{i * 7919 % 10007}", "tags": [i % 7, i % 11, "x" * (i % 5)],
                        "sum": i * 31 % 997 / 4}) for i in range(count)))

    def shop(self, orders):
        """The shop of the end-to-end tests with so many orders."""
        with open(os.path.join(E2E_DATA, "orders.sql"), encoding="ascii") as file:
            text = file.read()
        text = text.replace("i < 20000)", f"i < {orders})").replace("i < 60000)", f"i < {3 * orders})")
        return self.file(f"shop{orders}.sql", re.sub(r"% 20000\b", f"% {orders}", text).split("\n"))

    def units(self, count):
        unit = os.path.join(DATA, "unit.c")
        return self.file(f"units{count}.c", (
            f'#undef NAME\n#define NAME(x) unit{i}_##x\n#include "{unit}"' for i in range(count)))

    def shapes(self, count):
        """SHAPES so many times, each in a namespace of its own behind what it includes."""
        with open(SHAPES, encoding="ascii") as file:
            includes = [line.rstrip() for line in file if line.startswith("#include")]
        return self.file(f"shapes{count}.cpp", includes + [
            f'namespace unit{i}\n{{\n#include "{SHAPES}"\n}}' for i in range(count)])

    def numbers(self, digits):
        return self.file(f"numbers{digits}.bc", [f"2^{digits * 25} % 99999999977", f"scale={digits}",
                                                 "a(1)*4", "quit"])

    def built(self, name, level):
        path = os.path.join(self.folder, name)
        beside = f"{path}.{os.getpid()}"
        subprocess.run(["g++", level, "-g", "-pthread", "-o", beside, SHAPES], check=True)
        os.replace(beside, path)
        return path


def given(line):
    """A command as words of a shell, which nothing was tuned to and whose calls are not compared."""
    command = shlex.split(line)
    return Program(" ".join([os.path.basename(command[0]), *command[1:]])[:40], command, [])


def compiler(name):
    """The path of a part of gcc."""
    if not shutil.which("gcc"):
        return ""
    return subprocess.run(["gcc", "-print-prog-name=" + name], capture_output=True, text=True,
                          check=True).stdout.strip()


def all_programs(folder):
    """Each takes two seconds and more by itself: what starting costs is not what is asked."""
    inputs = Inputs(folder)
    data = os.path.join(E2E_DATA, "")
    many, few = inputs.text(1_000_000), inputs.text(4_000)
    awk = ["-f", os.path.join(DATA, "fields.awk")]
    sqlite, perl = ["sqlite3", ":memory:"], ["perl", "-e", "do $ARGV[0] for 1 .. $ARGV[1]", data + "text.pl"]
    cc1, cc1plus = ([compiler(name), "-quiet", "-O2"] for name in ("cc1", "cc1plus"))
    python = ["/usr/bin/python3", os.path.join(DATA, "words.py")]
    php, ruby = (["php", "-n", os.path.join(DATA, "records.php")], ["ruby", os.path.join(DATA, "records.rb")])
    jq = ["jq", "-c", "select(.sum > 20) | {name, tags: (.tags | map(tostring) | join(\"-\"))}"]
    sort = ["sort", "--parallel=1", "-k3,3", "-k4,4r"]

    def text_work(name, *options, lines=many, **more):
        return Program(name, [name, *options, lines], [name, *options, few], **more)

    programs = [
        Program("lua", ["lua5.4", data + "algorithms.lua", "18"], ["lua5.4", data + "algorithms.lua", "1"]),
        Program("sqlite3", sqlite + [f".read {inputs.shop(96_000)}"], sqlite + [f".read {inputs.shop(1_000)}"]),
        text_work("zstd", "-q", "-c", "-12", "--single-thread", lines=inputs.text(700_000)),
        text_work("gawk", *awk, lines=inputs.text(800_000)),
        text_work("bzip2", "-k", "-c"),
        text_work("xz", "-0", "-T1", "-k", "-c", lines=inputs.text(2_000_000)),
        text_work("gzip", "-9", "-k", "-c", lines=inputs.text(450_000)),
        Program("perl", perl + ["20"], perl + ["1"]),
        Program("jq", jq + [inputs.objects(200_000)], jq + [inputs.objects(2_000)]),
        Program("python3", python + ["170"], python + ["2"]),
        Program("php", php + ["240"], php + ["1"]),
        Program("ruby", ruby + ["120"], ruby + ["1"]),
        Program("bash", ["bash", data + "loop.sh", "800000"], ["bash", data + "loop.sh", "5000"]),
        Program("cc1", cc1 + [inputs.units(120), "-o", os.devnull], cc1 + [inputs.units(2), "-o", os.devnull]),
    ]
    if shutil.which("g++"):
        plain, optimised = inputs.built("shapes-O0", "-O0"), inputs.built("shapes-O2", "-O2")
        programs += [
            Program("c++ -O0", [plain, "250"], [plain, "4"]),
            Program("c++ -O2", [optimised, "1600"], [optimised, "20"]),
            Program("c++ -O2, 8 threads", [optimised, "1600", "8"], [optimised, "20", "8"]),
        ]
    return programs + [
        text_work("mawk", *awk, held_out=True),
        text_work("sort", "-k3,3", "-k4,4r", lines=inputs.text(1_300_000), held_out=True),
        Program("sort, 1 thread", [*sort, inputs.text(1_300_000)], [*sort, few], held_out=True),
        Program("bc", ["bc", "-l", inputs.numbers(2_400)], ["bc", "-l", inputs.numbers(200)], held_out=True),
        Program("cc1plus", cc1plus + [inputs.shapes(4), "-o", os.devnull],
                [cc1plus[0], "-quiet", "-O0", inputs.units(1), "-o", os.devnull], held_out=True),
    ]
