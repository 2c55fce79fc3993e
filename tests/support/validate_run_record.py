#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each line of run records against the schema, and that the schema refuses spoilt lines.

Usage: validate_run_record.py SCHEMA RECORD...
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
        changes["a fraction of a row"] = lambda o: o["dataset"].update(n=0.5)
        changes["a nested option"] = lambda o: o["options"].update(nested={})
    if line["kind"] == "epoch":
        changes["epoch 0"] = lambda o: o.update(epoch=0)
        changes["text for a loss"] = lambda o: o.update(train_loss="nan")
        changes["no objective"] = lambda o: o.pop("objective")
        changes["an accuracy above 1"] = lambda o: o.update(test_accuracy=1.5)
    if line["kind"] == "result":
        changes["another status"] = lambda o: o.update(status="fine")
        changes["negative seconds"] = lambda o: o.update(wall_seconds=-1)
        changes["a lost loss that is not diverged"] = lambda o: o.update(train_loss=None, status="done")
    for what, change in changes.items():
        broken = copy.deepcopy(line)
        change(broken)
        yield what, broken


def check(validator, path):
    faults = []
    kinds = []
    with open(path, encoding="utf-8") as record:
        for number, text in enumerate(record, 1):
            try:
                line = json.loads(text, parse_constant=lambda word: (_ for _ in ()).throw(ValueError(f"{word} is not JSON")))
            except ValueError as reason:
                faults.append(f"{path}:{number}: {reason}")
                continue
            kinds.append(line.get("kind"))
            good = True
            for problem in validator.iter_errors(line):
                good = False
                faults.append(f"{path}:{number}: {jsonschema.exceptions.best_match([problem]).message}")
            if good:
                faults += [f"{path}:{number}: the schema accepts {what}"
                           for what, broken in spoilt(line) if validator.is_valid(broken)]
    if kinds != ["context"] + ["epoch"] * (len(kinds) - 2) + ["result"]:
        faults.append(f"{path}: the lines are {kinds}, not one context, epochs, one result")
    return faults


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 1
    with open(arguments[0], encoding="utf-8") as file:
        schema = json.load(file)
    kind_of_schema = jsonschema.validators.validator_for(schema)
    kind_of_schema.check_schema(schema)
    validator = kind_of_schema(schema)
    faults = [fault for path in arguments[1:] for fault in check(validator, path)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
