#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Checks each line of run records against the schema, and that the schema refuses spoilt lines.

Usage: validate_run_record.py SCHEMA RECORD...
Ends with 0 where all holds, 1 with the reasons otherwise, 77 where the module jsonschema is missing (a skip in ctest).
"""
import re
import sys

sys.dont_write_bytecode = True  # the source folder stays as it is
import record_schema  # noqa: E402


def changes(line):
    """Changes to a good line of this kind, by the fault that each makes."""
    if line["kind"] == "context":
        return {
            "another schema version": lambda o: o.update(schema=o["schema"] + 1),
            "no machine": lambda o: o.pop("machine"),
            "a fraction of a row": lambda o: o["dataset"].update(n=0.5),
            "a nested option": lambda o: o["options"].update(nested={}),
        }
    if line["kind"] == "resumed":
        return {
            "no epoch": lambda o: o.pop("epoch"),
            "half an epoch": lambda o: o.update(epoch=0.5),
            "no machine": lambda o: o.pop("machine"),
        }
    if line["kind"] == "epoch":
        return {
            "epoch 0": lambda o: o.update(epoch=0),
            "text for a loss": lambda o: o.update(train_loss="nan"),
            "no objective": lambda o: o.pop("objective"),
            "an accuracy above 1": lambda o: o.update(test_accuracy=1.5),
        }
    if line["kind"] == "result":
        return {
            "another status": lambda o: o.update(status="fine"),
            "negative seconds": lambda o: o.update(wall_seconds=-1),
            "a lost loss that is not diverged": lambda o: o.update(train_loss=None, status="done"),
        }
    return {}


def order(kinds):
    if not re.fullmatch(r"context (epoch )*((result )?resumed (epoch )*)*result ", "".join(f"{k} " for k in kinds)):
        yield f"the lines are {kinds}, not one context, epochs, perhaps where it was resumed and more epochs, one result"


if __name__ == "__main__":
    sys.exit(record_schema.main(__doc__, changes, order))
