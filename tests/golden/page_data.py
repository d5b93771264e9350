"""The data of a page of the HTML report, read as docs/development/page.md describes them."""
import base64
import collections
import json
import re
import zlib


def numbers_in(data):
    """Whole numbers in LEB128."""
    numbers, number, shift = [], 0, 0
    for byte in data:
        number |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(number)
            number = shift = 0
    assert not shift
    return numbers


def signed(number):
    return -(number + 1) // 2 if number & 1 else number // 2


class Page:
    def __init__(self, html):
        found = re.search(rb'<script type="application/octet-stream" id="tare-profile">([^<]*)</', html)
        data = zlib.decompress(base64.b64decode(found[1]))
        size = int.from_bytes(data[:8], "little")
        self.about = json.loads(data[8:8 + size].decode("utf-8"))
        assert self.about["format"] == "tare-html"
        for number, cause in enumerate(self.about["cause_titles"], 1):
            for color in (f"--cause-{number}:", f"--cause-{number}-soft:"):
                assert html.count(color.encode()) == 3, f"{color} of {cause}: light, dark, of the system"
        self.columns = {}
        at = 8 + size
        for name, count, length in self.about["columns"]:
            self.columns[name] = numbers_in(data[at:at + length])
            assert len(self.columns[name]) == count, name
            at += length
        assert at == len(data)

    def text(self, number):
        return self.about["strings"][number - 1] if number else ""

    def pairs(self, name):
        values = [signed(number) for number in self.columns[name]]
        return dict(zip(values[::2], values[1::2]))

    def parents(self):
        return [path - back if back else None for path, back in enumerate(self.columns["tree.parent"])]

    def functions(self, quantity):
        """Exclusive and inclusive values by function, from the tree alone."""
        subjects, flags = self.columns["tree.subject"], self.columns["tree.flags"]
        parents, own = self.parents(), self.columns["tree." + quantity]
        beyond, elsewhere = (self.pairs(f"tree.{quantity}.{part}") for part in ("beyond", "elsewhere"))
        whole = [value + beyond.get(path, 0) for path, value in enumerate(own)]
        for path in range(len(own) - 1, -1, -1):
            if parents[path] is not None and not flags[path] & 1:
                whole[parents[path]] += whole[path]
        exclusive, inclusive = collections.Counter(), collections.Counter()
        outside, above = 0, []
        for path, parent in enumerate(parents):
            if parent is None:
                above.append(frozenset())
                outside += own[path]
                continue
            function = subjects[path]
            exclusive[function] += own[path]
            if function not in above[parent]:
                inclusive[function] += whole[path]
            inclusive[function] += elsewhere.get(path, 0)
            above.append(above[parent] | {function})
        if any(flag & 1 for flag in flags):
            most = sum(own)
            for function, value in inclusive.items():
                inclusive[function] = max(exclusive[function], min(value, most))
        return exclusive, inclusive, outside

    def cells(self, table, column):
        """Of a table of a view, as JSON reports have them; texts and addresses are left out."""
        name = f"{table['name']}.{column['name']}"
        scale = 1e4 if column["type"].endswith("percent") else 1
        read = signed if column["type"].startswith("signed") else int
        return [read(number - 1) / scale if number else None for number in self.columns[name]]

    def name(self, function):
        return self.text(self.columns["function.name"][function])
