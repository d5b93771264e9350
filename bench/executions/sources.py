"""Programs of Debian's that are built here, to be compared line by line: their sources, and work of a second or less.

They come by apt-get from Debian's archive, into a folder that stays as it is. Each is a handful of files that one command compiles.
"""
import dataclasses
import glob
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "accuracy"))
import programs

ARCHIVE = "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian bookworm main\n"


OTHERS = {"bzip2recover.c", "luac.c"}  # programs of their own


@dataclasses.dataclass
class Source:
    """{text}, {few} and {script} in its words are files; `sources` and `folder`, where it runs, are below its own."""
    package: str
    sources: list
    flags: str = ""
    words: str = ""
    stdin: str = ""
    folder: str = "."

    def paths(self, place):
        return sorted({path for pattern in self.sources for path in glob.glob(os.path.join(place, pattern))
                       if os.path.basename(path) not in OTHERS})


SOURCES = [
    Source("brotli", ["c/*/*.c"], "-Ic/include -DOS_LINUX", "-c -q 7 {text}"),
    Source("bzip2", ["b[lz]*.c", "[chr]*.c", "decompress.c"], "-D_FILE_OFFSET_BITS=64", "-k -c {text}"),
    Source("libjsoncpp", ["src/lib_json/*.cpp", "src/test_lib_json/*.cpp"], "-Iinclude"),
    Source("lua5.4", ["src/*.c"], "-DLUA_COMPAT_5_3 -DLUA_USE_POSIX -Dluai_makeseed(L)=((void)(L),1)", "{script} 1"),
    Source("lz4", ["programs/*.c", "lib/*.c"], "-Ilib -DXXH_NAMESPACE=LZ4_", "-9 -c {text}"),
    Source("lzip", ["*.cc"], '-DPROGVERSION="1"', "-c -6 {few}"),
    Source("tinyxml2", ["tinyxml2.cpp", "xmltest.cpp"]),
    Source("xxhash", ["xxhash.c", "cli/*.c"], "-I. -DXXH_DISPATCH=0", "-H0 -H1 -H2 -H3 {text}"),
    Source("zlib", ["*.c", "test/minigzip.c"], "-I. -DHAVE_UNISTD_H", "-9 -c", "{text}"),
    Source("zopfli", ["src/zopfli/*.c"], "", "-c {few}"),
]


def fetch(folder):
    """{package: its folder}"""
    lists, found = os.path.join(folder, "lists"), {}
    os.makedirs(os.path.join(lists, "partial"), exist_ok=True)
    archive = os.path.join(folder, "sources.list")
    with open(archive, "w", encoding="ascii") as file:
        file.write(ARCHIVE.replace("deb ", "deb-src ", 1))
    apt = ["apt-get", "-qq", "-o", "Dir::Etc::sourcelist=" + archive, "-o", "Dir::Etc::sourceparts=/dev/null", "-o",
           "Dir::State::lists=" + lists, "-o", "APT::Sandbox::User=root"]
    subprocess.run([*apt, "update"], check=True)
    for source in SOURCES:
        place = os.path.join(folder, source.package)
        if not os.path.isdir(place):
            os.makedirs(place + ".part", exist_ok=True)
            subprocess.run([*apt, "source", "--download-only", source.package], cwd=place + ".part", check=True,
                           stdout=subprocess.DEVNULL)
            packed, = glob.glob(os.path.join(place + ".part", "*.orig.tar.*[!c]"))
            subprocess.run(["tar", "--strip-components=1", "-xf", packed], cwd=place + ".part", check=True)
            os.rename(place + ".part", place)
        found[source.package] = place
    return found


def words(source, folder):
    """The program's arguments, and the file that it reads, or os.devnull."""
    inputs = programs.Inputs(os.path.join(folder, "inputs"))
    files = {"text": inputs.text(20_000), "few": inputs.text(2_000),
             "folder": os.path.join(folder, source.package), "script": os.path.join(programs.E2E_DATA, "algorithms.lua")}
    return source.words.format(**files).split(), source.stdin.format(**files) or os.devnull
