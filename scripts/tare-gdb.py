"""For gdb: reads the symbols and unwind tables of the instrumented files that a process under
`tare record` runs from, which its loader knows by the names of the originals.

  gdb -x tare-gdb.py -p PID
"""
import re

import gdb

COPY = re.compile(r"^([0-9a-f]+)-[0-9a-f]+ \S+ 00000000 \S+ \S+\s+(/.*/files/[0-9a-f]{64}/copy/[^/]+)$")
known = set()


def copies_of(pid):
    with open(f"/proc/{pid}/maps", encoding="utf-8", errors="surrogateescape") as maps:
        for line in maps:
            match = COPY.match(line.rstrip("\n"))
            if match:
                yield match.group(2), int(match.group(1), 16)


def read_copies(_event=None):
    """Those that gdb has not read as files of their own: the executable's is known to it."""
    pid = gdb.selected_inferior().pid
    if not pid:
        return
    known.update(objfile.filename for objfile in gdb.objfiles() if objfile.filename)
    confirm = gdb.parameter("confirm")
    gdb.execute("set confirm off")
    for path, base in copies_of(pid):
        if path not in known:
            known.add(path)
            gdb.execute(f'add-symbol-file "{path}" -o {base:#x}', to_string=True)
    gdb.execute(f"set confirm {'on' if confirm else 'off'}")


gdb.events.stop.connect(read_copies)
read_copies()
