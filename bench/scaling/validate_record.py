#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each line of bench_scaling records against the schema, and that the schema refuses spoilt lines.

Usage: validate_record.py SCHEMA RECORD...
Ends with 0 where all holds, 1 with the reasons otherwise, 77 where the module jsonschema is missing (a skip in ctest).
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)

# What a record of everything holds at least once.
EXPECTED = {"context", "ceiling", "reference", "configuration", "telemetry", "ingest", "warm_start", "pss"}


def spoilt(line):
    """Lines that differ from a good one in one wrong thing each, with what is wrong."""
    changes = {
        "an unknown key": lambda o: o.update(surprise=1),
        "another kind": lambda o: o.update(kind="thought"),
        "no kind": lambda o: o.pop("kind"),
    }
    if line["kind"] == "context":
        changes["another schema version"] = lambda o: o.update(schema=o["schema"] + 1)
        changes["no machine"] = lambda o: o.pop("machine")
        changes["one epoch"] = lambda o: o["options"].update(epochs=1)
    if line["kind"] == "configuration" and line["state"] == "measured":
        changes["a speed in spite of failure"] = lambda o: o.update(state="failed", reason="too far off")
        changes["an epoch in no time"] = lambda o: o["runs"][0]["epoch_seconds"].append(0)
        changes["no runs"] = lambda o: o.update(runs=[])
    if "seconds" in line:
        changes["no times"] = lambda o: o.update(seconds=[])
    for what, change in changes.items():
        broken = copy.deepcopy(line)
        change(broken)
        yield what, broken


def check(validator, path):
    faults, kinds = [], []
    with open(path, encoding="utf-8") as record:
        for number, text in enumerate(record, 1):
            line = json.loads(text)
            kinds.append(line.get("kind"))
            problems = [problem.message for problem in validator.iter_errors(line)]
            faults += [f"{path}:{number}: {message[:300]}" for message in problems]
            if not problems:
                faults += [
                    f"{path}:{number}: the schema accepts {what}" for what, bad in spoilt(line) if validator.is_valid(bad)
                ]
    if kinds[:1] != ["context"] or kinds.count("context") != 1:
        faults.append(f"{path}: does not begin with its one context line")
    if missing := EXPECTED - set(kinds):
        faults.append(f"{path}: nothing was recorded of: {', '.join(sorted(missing))}")
    return faults


def main(schema_path, *records):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    faults = [fault for path in records for fault in check(validator, path)]
    print("\n".join(faults) or f"{len(records)} record(s) hold")
    return 1 if faults else 0


if len(sys.argv) < 3:
    sys.exit(__doc__)
sys.exit(main(*sys.argv[1:]))
