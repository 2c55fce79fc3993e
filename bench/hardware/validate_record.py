#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each line of bench_hardware records against the schema, and that the schema refuses spoilt lines.

Usage: validate_record.py SCHEMA RECORD...
Ends with 0 where all holds, 1 with the reasons otherwise, 77 where the module jsonschema is missing (a skip in ctest).
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))
import record_schema  # noqa: E402


def changes(line):
    """What to change in a good line of this kind, by what would be wrong with it then."""
    if line["kind"] == "context":
        return {"another schema version": lambda o: o.update(schema=o["schema"] + 1)}
    if line["kind"] == "stream":
        return {"no threads": lambda o: o.update(threads=0)}
    if line["kind"] == "exchange":
        return {"an exchange in no time": lambda o: o.update(nanoseconds_per_line=0)}
    if line["kind"] == "ping_pong":
        return {"a matrix of words": lambda o: o.update(one_way_nanoseconds=[["fast"]])}
    return {"no word on whether it is whole": lambda o: o.pop("cut")}


def order(kinds):
    steps = [kind for i, kind in enumerate(kinds) if i == 0 or kinds[i - 1] != kind]
    if steps != ["context", "stream", "exchange", "ping_pong", "end"]:
        yield f"the lines are {kinds}, not a context, streams, exchanges, the pairs and an end"


if __name__ == "__main__":
    sys.exit(record_schema.main(__doc__, changes, order))
