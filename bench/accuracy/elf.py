"""Where parts of an executable file go in memory; breakpoints.py reads it inside of gdb, too."""
import struct

LOAD = 1


def segments(path):
    """[(offset in the file, link address, bytes in the file)] of what is loaded; none of other files."""
    with open(path, "rb") as file:
        header = file.read(64)
        if header[:5] != b"\x7fELF\x02":
            return []
        begin, = struct.unpack_from("<Q", header, 32)
        size, count = struct.unpack_from("<HH", header, 54)
        file.seek(begin)
        table = file.read(size * count)
    entries = [struct.unpack_from("<IIQQQQ", table, i * size) for i in range(count)]
    return [(offset, addr, length) for kind, _, offset, addr, _, length in entries if kind == LOAD]
