# The list as JSON holds what the list holds, and its totals are sums of its rows.
command -v python3 >/dev/null || skip "python3 is not installed"
tare instrument --json /bin/bash >list.json
tare instrument --list /bin/bash >list.text
tare instrument --json --null --only-units 10-19 /bin/bash >null.json
python3 - <<'EOF'
import json

with open("list.json", encoding="utf-8") as file:
    whole = json.load(file)
functions, verdicts, statistics = whole["functions"], whole["verdicts"], whole["statistics"]
print(whole["file"], len(functions) == whole["functions_found"] > 1000)
rows = [line.split(None, 4) for line in open("list.text", encoding="utf-8")][1:-1]
print("rows agree", all((int(row[0], 16), int(row[1]), int(row[2]), row[3]) ==
                        (entry["address"], entry["size"], entry["unit"], entry["verdict"])
                        for row, entry in zip(rows, functions, strict=True)))
for verdict in verdicts:
    same = [entry for entry in functions if entry["verdict"] == verdict["verdict"]]
    print(verdict["verdict"], len(same) == verdict["functions"],
          all(entry["reason"] == verdict["reason"] for entry in same))
print("sum of verdicts", sum(v["functions"] for v in verdicts) == len(functions))
print("instrumented", whole["functions_instrumented"] ==
      sum(v["functions"] for v in verdicts if v["verdict"] in ("instrumented", "part")))
print("refused", whole["functions_refused"] ==
      sum(v["functions"] for v in verdicts
          if v["verdict"] not in ("instrumented", "part", "counted", "not-selected", "no-syscall")))
print("units", {entry["unit"] for entry in functions} == set(range(whole["units"])))
print("ascending", all(a["address"] + a["size"] <= b["address"]
                       for a, b in zip(functions, functions[1:])))
print("jumps", statistics["jumps_indirect"] ==
      sum(statistics["jumps_" + way] for way in
          ("by_table", "translated", "translated_with_saves", "by_labels", "leaving")))
print("counted", all(statistics[key] > 0 for key in
                     ("instructions", "probes", "input_bytes", "output_bytes", "code_bytes")))

with open("null.json", encoding="utf-8") as file:
    null = json.load(file)
print("null has no probes", null["statistics"]["probes"] == 0)
print("only units 10-19", all(10 <= entry["unit"] <= 19 for entry in null["functions"]
                              if entry["verdict"] in ("instrumented", "part")),
      null["functions_instrumented"] >= 10)
EOF
