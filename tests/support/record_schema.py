# SPDX-License-Identifier: Apache-2.0
"""Common parts of the checks of records: every line must match a schema, and the schema must refuse spoilt lines.

Ends the program with 77 where the module jsonschema is missing (a skip in ctest).
"""
import copy
import json
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: the Python module jsonschema is not installed (Debian: python3-jsonschema)")
    sys.exit(77)

# How any good line becomes a bad one.
ALWAYS_WRONG = {
    "an unknown key": lambda o: o.update(surprise=1),
    "another kind": lambda o: o.update(kind="thought"),
    "no kind": lambda o: o.pop("kind"),
}


def no_json(word):
    raise ValueError(f"{word} is not JSON")


def faults_of_line(validator, line, changes):
    """The faults of a line; of a good one, the changes that the schema would not have noticed."""
    problems = [f"{problem.message[:300]}" for problem in validator.iter_errors(line)]
    if problems:
        return problems
    faults = []
    for what, change in {**ALWAYS_WRONG, **changes(line)}.items():
        broken = copy.deepcopy(line)
        change(broken)
        if validator.is_valid(broken):
            faults.append(f"the schema accepts {what}")
    return faults


def check_record(validator, path, changes, order):
    """All faults of one record. `changes(line)` gives what to spoil, `order(kinds)` says what is wrong with the lines' order."""
    faults, kinds = [], []
    with open(path, encoding="utf-8") as record:
        for number, text in enumerate(record, 1):
            try:
                line = json.loads(text, parse_constant=no_json)
            except ValueError as reason:
                faults.append(f"{path}:{number}: {reason}")
                continue
            kinds.append(line.get("kind"))
            faults += [f"{path}:{number}: {fault}" for fault in faults_of_line(validator, line, changes)]
    return faults + [f"{path}: {fault}" for fault in order(kinds)]


def main(usage, changes, order):
    """The whole program: SCHEMA RECORD... on the command line. Returns its exit status."""
    if len(sys.argv) < 3:
        print(usage)
        return 1
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    kind_of_schema = jsonschema.validators.validator_for(schema)
    kind_of_schema.check_schema(schema)
    validator = kind_of_schema(schema)
    records = sys.argv[2:]
    faults = [fault for path in records for fault in check_record(validator, path, changes, order)]
    print("\n".join(faults) or f"{len(records)} record(s) hold")
    return 1 if faults else 0
