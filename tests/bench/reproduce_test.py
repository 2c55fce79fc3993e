#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/reproduce from end to end on tiny data. Usage: reproduce_test.py HOGWILD"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
HOGWILD = sys.argv.pop(1)


def reproduce(*arguments):
    return subprocess.run([sys.executable, ROOT / "bench" / "reproduce", *arguments], capture_output=True, text=True,
                          check=False, timeout=100)


class Reproduce(unittest.TestCase):
    def test_a_paper_leaves_a_record_with_a_verdict_on_each_claim(self):
        with tempfile.TemporaryDirectory() as out:
            done = reproduce("workers-1-4-10", "--scale", "tiny", "--hogwild", HOGWILD, "--out", out)
            self.assertEqual(done.returncode, 0, done.stderr)
            path = pathlib.Path(out) / "workers-1-4-10" / "record.jsonl"
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        verdicts = [x for x in lines if x["kind"] == "verdict"]
        self.assertEqual(len(verdicts), 3)
        # One of these claims holds by arithmetic alone on any machine: larger batches are fewer iterations an epoch.
        self.assertEqual(verdicts[0]["verdict"], "reproduced", verdicts[0])
        self.assertEqual(len([x for x in lines if x["kind"] == "run" and x["state"] != "failed"]), 6)
        # 10 workers have 30 epochs of 3.6 iterations here: with the step of one they do not arrive.
        self.assertIn("same step, times fewer with 10: at most ", done.stdout)
        self.assertIn("measured: same step, times fewer with 10 at most ", verdicts[2]["why"])
        self.assertRegex(verdicts[2]["figures"]["same step, times fewer with 10"], r"^at most \S+$")
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((ROOT / "bench" / "schema" / "bench.schema.json").read_text(encoding="utf-8"))
        for line in lines:
            jsonschema.validate(line, schema)

    def test_papers_on_embeddings_run_on_made_data(self):
        with tempfile.TemporaryDirectory() as out:
            for name in ("bpr", "complex", "fasttext", "node2vec", "word2vec"):
                done = reproduce(name, "--scale", "tiny", "--hogwild", HOGWILD, "--out", out)
                self.assertEqual(done.returncode, 0, done.stderr)
                path = pathlib.Path(out) / name / "record.jsonl"
                lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
                runs = [x for x in lines if x["kind"] == "run"]
                self.assertTrue(runs)
                self.assertEqual([r["reason"] for r in runs if r["state"] == "failed"], [])
                verdicts = [x["verdict"] for x in lines if x["kind"] == "verdict"]
                # Relations that are made decide these claims: products of real numbers are the same both ways.
                if name == "complex":
                    self.assertEqual(verdicts[:2], ["reproduced"] * 2, done.stdout)
                    self.assertIn("(at this scale there are no facts)", done.stdout)

    def test_data_that_are_lacking_are_named_before_anything_else(self):
        with tempfile.TemporaryDirectory() as out:
            done = reproduce("hogwild-fig3", "--scale", "tiny", "--hogwild", HOGWILD, "--out", out)
        self.assertEqual(done.returncode, 0, done.stderr)
        _, *whys = done.stdout.split("not decidable here: Abdomen: ")
        self.assertEqual(len(whys), 4)
        for why in whys:
            self.assertRegex(why.splitlines()[1], r"^ +not measured: Abdomen, .*\(at this scale there is no graph\)")

    def test_whatever_asks_it_to_stop_leaves_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            out, temporary = pathlib.Path(folder) / "out", pathlib.Path(folder) / "tmp"
            temporary.mkdir()
            child = subprocess.Popen([sys.executable, ROOT / "bench" / "reproduce", "workers-1-4-10", "--scale", "tiny",
                                      "--hogwild", HOGWILD, "--out", out], stdout=subprocess.DEVNULL,
                                     stderr=subprocess.PIPE, text=True, env={**os.environ, "TMPDIR": str(temporary)})
            while child.poll() is None and not (out / "workers-1-4-10" / "record.jsonl").exists():
                time.sleep(0.01)
            self.assertEqual(len(list(temporary.iterdir())), 1)
            child.terminate()
            _, said = child.communicate(timeout=1400)
            self.assertEqual(child.returncode, 130, said)
            self.assertIn("reproduce: stopped", said)
            self.assertEqual(list(temporary.iterdir()), [])

    def test_what_is_not_there_is_said(self):
        self.assertEqual(reproduce("workers-1-4-10", "--hogwild", "/nowhere/hogwild").returncode, 2)
        self.assertEqual(reproduce("no-such-paper").returncode, 2)


if __name__ == "__main__":
    unittest.main()
