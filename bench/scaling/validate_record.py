#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each line of bench_scaling records against the schema, and that the schema refuses spoilt lines.

Usage: validate_record.py SCHEMA RECORD...
Ends with 0 where all holds, 1 with the reasons otherwise, 77 where the module jsonschema is missing (a skip in ctest).
"""
import pathlib
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "support"))
import record_schema  # noqa: E402

# What a record of everything holds at least once.
EXPECTED = {"context", "ceiling", "reference", "configuration", "rounds", "speedup", "rival", "telemetry", "ingest",
            "warm_start", "pss"}


def changes(line):
    """What to change in a good line of this kind, by what would be wrong with it then."""
    wrong = {}
    measured = line.get("state") == "measured"
    if line["kind"] == "context":
        wrong["another schema version"] = lambda o: o.update(schema=o["schema"] + 1)
        wrong["no machine"] = lambda o: o.pop("machine")
        wrong["one epoch"] = lambda o: o["options"].update(epochs=1)
    if line["kind"] == "configuration":
        wrong["a way of sharing that is unknown"] = lambda o: o.update(sharing="gossip")
    if measured:
        wrong["a speed in spite of failure"] = lambda o: o.update(state="failed", reason="too far off")
        wrong["no runs"] = lambda o: o.update(runs=[])
    if line["kind"] == "configuration" and measured:
        wrong["an epoch in no time"] = lambda o: o["runs"][0]["epoch_seconds"].append(0)
    if line["kind"] == "rival":
        wrong["an unknown evaluator"] = lambda o: o.update(evaluator="hearsay")
    if line["kind"] == "rival" and measured:
        wrong["a command in no time"] = lambda o: o["runs"][0].update(command_seconds=0)
    if line["kind"] == "speedup":
        wrong["a speed-up of one worker"] = lambda o: o.update(workers=1)
    if "seconds" in line:
        wrong["no times"] = lambda o: o.update(seconds=[])
    return wrong


def order(kinds):
    if kinds[:1] != ["context"] or kinds.count("context") != 1:
        yield "does not begin with its one context line"
    if missing := EXPECTED - set(kinds):
        yield f"nothing was recorded of: {', '.join(sorted(missing))}"


if __name__ == "__main__":
    sys.exit(record_schema.main(__doc__, changes, order))
