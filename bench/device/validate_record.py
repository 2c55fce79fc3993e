#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each line of bench_device records against the schema, and that the schema refuses spoilt lines.

Usage: validate_record.py SCHEMA RECORD...
Ends with 0 where all holds, 1 with the reasons otherwise, 77 where the module jsonschema is missing (a skip in ctest).
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))
import record_schema  # noqa: E402

SPOILT = {
    "context": {"another schema version": lambda o: o.update(schema=o["schema"] + 1)},
    "ceiling": {"no figure": lambda o: o.pop("value"), "a ceiling of nothing": lambda o: o.update(value=0)},
    "task": {"an objective in words": lambda o: o.update(objective="low")},
    "ratio": {"no time at all": lambda o: o.update(sooner=0)},
    "kernel": {"no row in flight": lambda o: o.update(rows_in_flight=0),
               "a fraction of an unknown ceiling": lambda o: (o.pop("ceiling", None), o.update(of_ceiling=1.0))},
    "skipped": {"no reason": lambda o: o.pop("reason")},
    "end": {"no word on whether it is whole": lambda o: o.pop("cut")},
}


def changes(line):
    """What to change in a good line of this kind, by what would be wrong with it then."""
    if line["kind"] != "run":
        return SPOILT[line["kind"]]
    if line["state"] == "measured":
        return {"a run that failed and has a speed": lambda o: o.update(state="failed", reason="so"),
                "no objective": lambda o: o.pop("objective")}
    return {"no reason": lambda o: o.pop("reason"), "a speed": lambda o: o.update(rows_per_second=1.0)}


def order(kinds):
    if kinds[:1] != ["context"] or kinds[1:7] != ["ceiling"] * 6 or kinds[-1:] != ["end"]:
        yield f"the lines are {kinds}, not a context, six ceilings, tasks and an end"
    if "task" not in kinds or set(kinds[7:-1]) - {"task", "run", "ratio", "kernel", "skipped"}:
        yield f"behind the ceilings are {kinds[7:-1]}, not tasks with their runs"


if __name__ == "__main__":
    sys.exit(record_schema.main(__doc__, changes, order))
