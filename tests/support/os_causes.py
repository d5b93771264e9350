"""The causes of OS time, as abi/os_cause.h lists them."""
import collections
import pathlib
import re

HEADER = pathlib.Path(__file__).resolve().parents[2] / "abi" / "os_cause.h"
TEXT = r'"([^"]*)",?[\s\\]*'
LINE = re.compile(r"\bCAUSE\(\d+, [A-Z_]+, ([a-z_]+), \d+, " + TEXT * 3 + r"\)")

Cause = collections.namedtuple("Cause", "name title words meaning")

CAUSES = [Cause(*match) for match in LINE.findall(HEADER.read_text(encoding="utf-8"))]
NAMES = [cause.name for cause in CAUSES]
assert len(CAUSES) == HEADER.read_text(encoding="utf-8").count("CAUSE("), HEADER
