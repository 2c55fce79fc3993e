#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What the tables of bench/make_tables.py say of records."""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import make_tables  # noqa: E402


def record(epochs_of_two):
    """One worker with 4 epochs of 3 s, and a ring of two whose epochs take 2 s."""
    who = {"model": "logistic", "update": "lossy", "sharing": "auto", "reproducible": False}
    one = {**who, "engine": "serial", "workers": 1}
    two = {**who, "engine": "ring", "workers": 2, "exchange": "average"}
    measured = {"kind": "configuration", "state": "measured"}
    return [{"kind": "context", "dataset": {"name": "toy"}, "options": {"epochs": 4}},
            {**measured, **one, "runs": [{"epoch_seconds": [3.0] * 4}]},
            {**measured, **two, "runs": [{"epoch_seconds": [2.0] * epochs_of_two}]},
            {"kind": "speedup", **two, "ratio": 1.5}]


class Records(unittest.TestCase):
    def test_of_runs_are_no_records_of_scaling(self):
        context = {"kind": "context", "schema": make_tables.SCHEMA, "dataset": {}}
        self.assertTrue(make_tables.is_of_scaling({**context, "options": {"engines": ["serial"]}}))
        self.assertFalse(make_tables.is_of_scaling({**context, "options": {"engine": "serial"}}))


class Gains(unittest.TestCase):
    def test_are_told_over_the_whole_schedule(self):
        told = make_tables.gains([record(8)])[2]
        self.assertTrue(told.endswith("| 2 ring | lossy | 0.75 |"), told)
        self.assertEqual(make_tables.more_epochs([record(8)]), ", of which `average` had 2 times as many")

    def test_are_those_of_epochs_where_all_have_as_many(self):
        told = make_tables.gains([record(4)])[2]
        self.assertTrue(told.endswith("| 2 ring | lossy | 1.50 |"), told)
        self.assertEqual(make_tables.more_epochs([record(4)]), "")


if __name__ == "__main__":
    unittest.main()
