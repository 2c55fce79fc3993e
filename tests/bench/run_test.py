#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`hogwild bench` from end to end on tiny data. Usage: run_test.py HOGWILD"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
HOGWILD = sys.argv.pop(1)


def bench(*arguments):
    return subprocess.run([HOGWILD, "bench", *arguments], capture_output=True, text=True, check=False, timeout=100)


def spoiled(line):
    """The line without each of its fields in turn, and with one more."""
    for name in line:
        yield {k: v for k, v in line.items() if k != name}
    yield {**line, "no_such_field": 1}


class Run(unittest.TestCase):
    def test_the_tiny_suite_leaves_a_record_as_the_schema_has_it(self):
        with tempfile.TemporaryDirectory() as out:
            done = bench("--suite", "tiny", "--workers", "2", "--out", out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = (pathlib.Path(out) / "bench.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        runs = [x for x in lines if x["kind"] == "run"]
        self.assertLessEqual({"serial", "threads", "processes", "ring", "all_reduce", "local_sgd"},
                             {r["contestant"] for r in runs})
        for serial in (r for r in runs if r["contestant"] == "serial"):
            self.assertEqual(serial["state"], "measured", serial)
        self.assertEqual(len([x for x in lines if x["kind"] == "summary"]), len(runs))
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((ROOT / "bench" / "schema" / "bench.schema.json").read_text(encoding="utf-8"))
        valid = jsonschema.Draft202012Validator(schema).is_valid
        for line in lines:
            self.assertTrue(valid(line), line)
        for line in {x["kind"]: x for x in lines}.values():
            for wrong in spoiled(line):
                self.assertFalse(valid(wrong), wrong)

    def test_trials_of_settings_are_recorded_and_one_is_used(self):
        with tempfile.TemporaryDirectory() as out:
            done = bench("--suite", "tiny", "--task", "tiny_ratings", "--contestant", "serial", "--tune", "3",
                         "--out", out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = (pathlib.Path(out) / "bench.jsonl").read_text(encoding="utf-8")
        lines = [json.loads(line) for line in text.splitlines()]
        tried = [x for x in lines if x["kind"] == "tried"]
        self.assertEqual([t["seeds"] for t in tried], [3, 3, 3])
        best = [t["settings"] for t in tried if t["best"]]
        self.assertEqual(best, [x["settings"] for x in lines if x["kind"] == "run"])

    def test_the_list_says_what_there_is(self):
        done = bench("--list")
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("tiny_text", "tiny_cut", "all_reduce", "local_sgd"):
            self.assertIn(name, done.stdout)

    def test_help_ends_with_an_example(self):
        done = bench("--help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Example:\n  hogwild bench", done.stdout)

    def test_wrong_calls_are_told(self):
        self.assertEqual(bench("--task", "no_such_task").returncode, 2)
        self.assertEqual(bench("--suite", "/nowhere/suite.json").returncode, 2)
        self.assertEqual(bench("--workers", "two").returncode, 2)


if __name__ == "__main__":
    unittest.main()
