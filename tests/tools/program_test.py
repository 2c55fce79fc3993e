#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/program.md do what the page says: program_test.py FOLDER HOGWILD"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import unittest

FOLDER, HOGWILD = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))


class programs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.file = f"{cls.scratch.name}/train.svm"
        subprocess.run([HOGWILD, "generate", cls.file, "--rows", "5000", "--columns", "300", "--nonzeros", "20"],
                       check=True, capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def run_program(self, name, *arguments):
        done = subprocess.run([FOLDER / name, *arguments], capture_output=True, text=True, check=False, timeout=1400)
        self.assertEqual(done.returncode, 0, done.stderr)
        # Notes that the program does not take go to standard error.
        self.assertEqual([line for line in done.stderr.splitlines() if not line.startswith("note: ")], [])
        return done.stdout

    def numbers(self, text):
        return [float(x) for x in re.findall(r"-?\d+\.\d+", text)]

    def test_row_weights(self):
        self.assertAlmostEqual(self.numbers(self.run_program("row_weights"))[0], 1.0986, delta=0.02)

    def test_own_arrays(self):
        told = dict(re.findall(r"column (\d+) has weight (\S+)", self.run_program("own_arrays")))
        self.assertAlmostEqual(float(told["10"]), 2.0, delta=0.01)
        self.assertAlmostEqual(float(told["70"]), -1.0, delta=0.01)

    def test_callbacks(self):
        lines = self.run_program("callbacks", self.file).splitlines()
        self.assertEqual([line.split(":")[0] for line in lines[:3]], ["epoch 1", "epoch 2", "epoch 3"])
        self.assertEqual(lines[3:], ["ended after 3 epochs", "cancelled, with its parameters so far"])

    def test_save_and_score(self):
        model = f"{self.scratch.name}/model"
        loss, accuracy, score = self.numbers(self.run_program("save_and_score", self.file, model))[:3]
        self.assertLess(loss, 0.6)
        self.assertGreater(accuracy, 0.7)
        subprocess.run([HOGWILD, "inspect", model], check=True, capture_output=True)

    def test_live_reader(self):
        name = f"hogwild-program-test-{os.getpid()}"
        told = ""
        for _ in range(20):  # a run of half a second may be over before its reader gets a CPU
            job, until = subprocess.Popen([FOLDER / "live_reader", "train", self.file, name]), time.monotonic() + 120
            try:
                while "epoch" not in told and job.poll() is None and time.monotonic() < until:
                    done = subprocess.run([FOLDER / "live_reader", "read", name], capture_output=True, text=True,
                                          check=False, timeout=1400)
                    told = done.stdout if done.returncode == 0 else ""
                self.assertEqual(job.wait(timeout=1400), 0)
            finally:
                job.kill()
                job.wait()
            if "epoch" in told:
                break
        self.assertRegex(told, r"^(epoch \d+, rows \d+ to \d+: first weight \S+\n)+"
                               r"the run has ended; what was read last stays\n$")

    def test_stream(self):
        lines = self.run_program("stream", f"{self.scratch.name}/checkpoint").splitlines()
        self.assertEqual(lines[-1], "goes on behind row 100000, with 20 columns")
        losses = [self.numbers(line)[0] for line in lines[:-1]]
        self.assertEqual(len(losses), 5)
        self.assertLess(losses[-1], 0.1)

    def test_several_trainings(self):
        losses = [self.numbers(line.split(":")[1])[0] for line in self.run_program("several_trainings", self.file)
                  .splitlines()]
        self.assertEqual(len(losses), 4)
        self.assertTrue(all(loss < 0.6 for loss in losses))

    def test_cross_validation(self):
        chosen, measured, *path = self.run_program("cross_validation", self.file).splitlines()
        self.assertRegex(chosen, r"^l2 \S+ of 8$")
        loss, deviation = (float(number) for number in re.fullmatch(r"loss (\S+), deviation (\S+)", measured).groups())
        self.assertTrue(0.0 < deviation < loss < 0.69, measured)
        self.assertEqual([line.split(":")[0] for line in path], ["l2 0.1", "l2 0.01", "l2 0.001"])

    def test_search_options(self):
        first = self.run_program("search_options", self.file, f"{self.scratch.name}/journal").splitlines()
        self.assertRegex(first[-1], r"^--l2=\S+ --step=\S+: validation loss 0\.[0-5]")
        again = self.run_program("search_options", self.file, f"{self.scratch.name}/journal").splitlines()
        self.assertEqual(first[-1], again[-1])

    def test_all_say_how_they_are_called(self):
        for name in ("callbacks", "save_and_score", "live_reader", "stream", "several_trainings", "search_options",
                     "cross_validation"):
            done = subprocess.run([FOLDER / name], capture_output=True, text=True, check=False, timeout=1400)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"usage: {name} ", done.stdout)


if __name__ == "__main__":
    unittest.main()
