#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""hogwild search from end to end: search_test.py HOGWILD SCHEMA"""
import json
import os
import pathlib
import pty
import random
import re
import resource
import select
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from command_case import HANGS, HOGWILD, command_case

SCHEMA = pathlib.Path(sys.argv.pop(1)).resolve()
KILLS = 15
SPACE = ["--space", "l2=log:1e-8:1e-2", "--space", "step=log:0.01:100"]


def checked(document):
    """Checks it against the schema, if there is a checker."""
    try:
        import jsonschema
    except ImportError:
        return
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    machine = json.loads((SCHEMA.parent / "run_record.schema.json").read_text(encoding="utf-8"))["$defs"]
    schema["$defs"] = {**machine, **schema["$defs"]}
    schema["properties"]["machine"] = {"$ref": "#/$defs/machine"}
    jsonschema.Draft202012Validator(schema).validate(document)


class a_search(command_case):
    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        folder = pathlib.Path(cls.shared.name)
        cls.data, cls.held, cls.large = (str(folder / name) for name in ("train.svm", "test.svm", "large.svm"))
        subprocess.run([HOGWILD, "generate", cls.data, "--test", cls.held, "--rows", "1500", "--columns", "2000"], check=True,
                       capture_output=True)
        subprocess.run([HOGWILD, "generate", cls.large, "--rows", "6000", "--columns", "4000"], check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    def setUp(self):
        super().setUp()
        self.journal = self.folder / "journal"

    def search(self, *arguments, data=None):
        """The document of a search that ends by itself."""
        done = self.run_command("search", data or self.data, "--quiet", "--json", *arguments)
        self.assertEqual(done.stderr, "")
        document = json.loads(done.stdout)
        checked(document)
        return document

    def trained(self, trial, data, test, *options):
        """Returns the JSON of a separate run with the options of a trial."""
        given = [word for name, value in trial["options"].items() for word in (f"--{name}", value)]
        return json.loads(self.said("train", data, "--test", test, "--engine", "serial", *given, *options, "--json", "--quiet"))

    def begun(self, command, **more):
        """A search that has reported its first trial."""
        run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, **{"stdout": subprocess.DEVNULL, **more})
        self.assertIn("trial", run.stderr.readline())
        return run

    def ended(self, run, asked):
        """How it ends after a signal: its output and its message."""
        run.send_signal(asked)
        return run.communicate(timeout=HANGS)

    @staticmethod
    def answer(document):
        """The parts that must be the same however often a search was killed."""
        return document["trials"], document["best"], document["finished"]

    def test_tells_on_a_terminal_how_far_folds_have_come(self):
        for more in ([], ["--optimizer", "adagrad"]):  # side by side, and by runs of their own
            ours, theirs = pty.openpty()
            command = [HOGWILD, "search", self.large, "--folds", "3", "--epochs", "100000", "--configurations", "4", *SPACE]
            running = subprocess.Popen([*command, *more], stdout=subprocess.DEVNULL, stderr=theirs)
            os.close(theirs)
            told, until = b"", time.monotonic() + 60
            try:
                while not re.search(rb"at hand: [1-9]\d* of [1-9]\d* epochs, \d+ %", told) and time.monotonic() < until:
                    if select.select([ours], [], [], 1)[0]:
                        told += os.read(ours, 1 << 16)
            finally:
                running.kill()
                running.wait()
                os.close(ours)
            self.assertRegex(told, rb"at hand: [1-9]\d* of [1-9]\d* epochs")

    def test_finds_the_planted_best(self):
        # A step too small to learn anything, and an l2 that holds all weights near zero, beside useful ones.
        found = self.search("--strategy", "grid", "--space", "step=1e-7,1", "--space", "l2=1e-6,0.9", "--epochs", "4")
        self.assertEqual(found["best"]["options"], {"step": "1", "l2": "1e-6"})
        self.assertEqual([t["state"] for t in found["trials"]], ["done"] * 4)
        self.assertLess(found["best"]["metric"], 0.65)
        by_accuracy = self.search("--strategy", "random", "--configurations", "40", "--space", "step=1e-7,1", "--space",
                                  "l2=1e-6,0.9", "--epochs", "4", "--metric", "accuracy", "--folds", "3")
        self.assertEqual(by_accuracy["best"]["options"], {"step": "1", "l2": "1e-6"})
        self.assertTrue(0.6 < by_accuracy["best"]["metric"] <= 1.0, "the mean of the folds")
        self.assertEqual(by_accuracy["best"]["metric"], max(t["metric"] for t in by_accuracy["trials"]))

    def test_measures_as_train_does(self):
        # Models side by side add up their margins in another order; runs of their own measure to the bit.
        for options, tolerance in (["--batch", "1"], 1e-6), (["--l1", "1e-5"], 1e-6), (["--optimizer", "adagrad"], 0.0):
            found = self.search("--validation", self.held, "--strategy", "halving", "--eta", "2", "--configurations", "4",
                                "--space", "step=0.3:1", "--epochs", "4", *options)
            self.assertEqual(sorted(trial["epochs"] for trial in found["trials"]), [1, 1, 2, 4])
            for trial in found["trials"]:  # a step that is given does not fall, so that a part of a run is a run
                run = self.trained(trial, self.data, self.held, "--epochs", str(trial["epochs"]), *options)
                self.assertAlmostEqual(run["test_loss"], trial["metric"], delta=tolerance)

    def test_trials_of_several_classes_are_what_runs_of_their_own_are(self):
        data, held = (self.folder / name for name in ("classes.svm", "held.svm"))
        for given, made in (self.data, data), (self.held, held):
            rows = [line.split() for line in pathlib.Path(given).read_text(encoding="utf-8").splitlines()]
            made.write_text("".join(f"{len(row) % 5} {' '.join(row[1:])}\n" for row in rows), encoding="utf-8")
        options = ["--model", "softmax", "--epochs", "3"]
        for metric in "loss", "accuracy":
            found = self.search("--validation", held, "--strategy", "grid", "--space", "l2=0,1e-5,1e-3", "--space", "step=0.1,1",
                                "--metric", metric, *options, data=data)
            for trial in found["trials"]:
                run = self.trained(trial, data, held, *options)
                self.assertAlmostEqual(run[f"test_{metric}"], trial["metric"], delta=1e-9)
            if metric == "loss":
                self.assertEqual(len({trial["metric"] for trial in found["trials"]}), 6, "each makes a difference")

    def test_trials_of_factors_are_what_runs_of_their_own_are(self):
        numbers, held = (self.folder / name for name in ("numbers.svm", "held.svm"))
        for given, made in (self.data, numbers), (self.held, held):
            rows = [line.split() for line in pathlib.Path(given).read_text(encoding="utf-8").splitlines()]
            made.write_text("".join(f"{len(row) % 7 / 3} {' '.join(row[1:])}\n" for row in rows), encoding="utf-8")
        for by in "adagrad", "sgd":
            for data, test, loss in (self.data, self.held, "logistic"), (numbers, held, "squared"):
                options = ["--model", "factorization_machine", "--factors", "5", "--loss", loss, "--optimizer", by,
                           "--epochs", "3"]
                found = self.search("--validation", test, "--strategy", "grid", "--space", "l2=0,1e-5,1e-3", "--space",
                                    "step=0.02,0.1", *options, data=data)
                self.assertEqual(len({trial["metric"] for trial in found["trials"]}), 6, "each makes a difference")
                for trial in found["trials"]:
                    self.assertAlmostEqual(self.trained(trial, data, test, *options)["test_loss"], trial["metric"], delta=1e-9)

    def test_each_trial_has_the_l1_that_it_names(self):
        options = ["--epochs", "3", "--batch", "1"]
        found = self.search("--validation", self.held, "--strategy", "grid", "--space", "l1=0,1e-6,1e-4,1e-3", "--space",
                            "l2=1e-6,1e-3", "--space", "step=0.3", *options)
        for trial in found["trials"]:
            self.assertAlmostEqual(self.trained(trial, self.data, self.held, *options)["test_loss"], trial["metric"], delta=1e-6)
        self.assertEqual(len({round(trial["metric"], 6) for trial in found["trials"]}), 8, "each makes a difference")

    def test_saves_what_the_told_command_trains(self):
        record, saved, again = (str(self.folder / name) for name in ("record", "saved.txt", "again.txt"))
        found = self.search("--strategy", "halving", "--configurations", "4", "--epochs", "3", "--folds", "2", "--bias",
                            *SPACE, "--save", saved, "--record", record)
        words = shlex.split(found["best"]["command"])
        self.assertEqual(words[0], "hogwild")
        self.run_command(*words[1:], "--quiet", "--save", again)
        self.assertEqual(pathlib.Path(saved).read_bytes(), pathlib.Path(again).read_bytes())
        self.assertEqual(json.loads(pathlib.Path(record).read_text(encoding="utf-8")), found)

    def test_answers_the_same_for_any_number_of_workers(self):
        options = ["--strategy", "hyperband", "--epochs", "9", *SPACE]
        one, two = (self.search(*options, "--workers", n) for n in "13")
        self.assertEqual(self.answer(one), self.answer(two))

    def test_a_trial_that_is_trained_further_is_the_run_of_all_its_epochs(self):
        for space in SPACE, [*SPACE, "--space", "l1=log:1e-7:1e-4"]:
            halved = self.search("--strategy", "halving", "--configurations", "9", "--epochs", "9", *space)
            whole = self.search("--strategy", "random", "--configurations", "9", "--epochs", "9", *space)
            done = [t for t in halved["trials"] if t["state"] == "done"]
            self.assertEqual(len(done), 1)
            self.assertEqual(done[0]["metric"], whole["trials"][done[0]["trial"]]["metric"])

    def test_each_trial_is_checked_as_train_checks_it(self):
        for sentence, *options in (
                ("step * l2", "--step", "1", "--space", "l2=0.1,200"),
                ("a geometric decay above 1", "--step", "0.01", "--schedule", "geometric", "--space", "decay=0.9,1.5"),
                ("has 1 to 16 rows", "--step", "0.01", "--space", "batch=8,32")):
            with self.subTest(sentence):
                saved = str(self.folder / "saved.txt")
                done = self.run_command("search", self.data, "--json", "--strategy", "grid", "--epochs", "2", *options,
                                        "--save", saved)
                self.assertIn("trial 1 cannot be: ", done.stderr)
                self.assertIn(sentence, done.stderr)
                found = json.loads(done.stdout)
                self.assertEqual([t["state"] for t in found["trials"]], ["done", "diverged"])
                self.assertEqual(found["best"]["trial"], 0)

    def test_a_lane_that_diverges_has_no_metric_of_any_name(self):
        for metric in "loss", "auc", "accuracy":
            found = self.search("--model", "squared_hinge", "--l2", "0", "--strategy", "grid", "--space", "step=1e3,0.01",
                                "--metric", metric, "--epochs", "3")
            self.assertEqual([t["state"] for t in found["trials"]], ["diverged", "done"], metric)
            self.assertEqual(found["best"]["trial"], 1)

    def test_refuses_the_journal_of_other_values(self):
        data = self.folder / "data.svm"
        text = pathlib.Path(self.data).read_text(encoding="utf-8")
        options = ["--strategy", "grid", "--space", "step=0.3,1", "--epochs", "2", "--journal", str(self.journal)]
        data.write_text(text, encoding="utf-8")
        self.search(*options, data=str(data))
        label, first, *rest = text.split(" ", 2)
        column, value = first.split(":")
        data.write_text(" ".join([label, f"{column}:{float(value) + 1.0}", *rest]), encoding="utf-8")
        self.assertIn("is the journal of another search", self.said("search", str(data), "--quiet", *options, code=3))

    def test_a_configuration_that_cannot_be_or_diverges_is_passed_over(self):
        done = self.run_command("search", self.data, "--json", "--strategy", "grid", "--model", "least_squares", "--space",
                                "step=1e30,0.01", "--space", "l2=0,1e-3", "--epochs", "2")
        found = json.loads(done.stdout)
        self.assertEqual([t["state"] for t in found["trials"]], ["diverged", "diverged", "done", "done"])
        self.assertIn("trial 1 cannot be: step * l2 is", done.stderr)
        self.assertIn("all configurations diverged",
                      self.said("search", self.data, "--quiet", "--strategy", "grid", "--model", "least_squares", "--space",
                                "step=1e29,1e30", "--l2", "0", code=5))

    def test_shows_trials_and_a_command(self):
        done = self.run_command("search", self.data, "--strategy", "grid", "--space", "step=0.3,1", "--epochs", "2")
        self.assertEqual(done.stderr.count("--step="), 2)
        self.assertIn("trials      2: 2 done", done.stdout)
        self.assertIn(f"train       hogwild train {self.data} --engine=serial --epochs=2 --step=", done.stdout)

    def test_leaves_no_folder_behind_where_it_fails(self):
        for arguments in (["--init", "nowhere.model"], ["--metric", "rmse"]):
            done = subprocess.run([HOGWILD, "search", self.data, "--strategy", "halving", *SPACE, *arguments],
                                  capture_output=True, text=True, check=False, timeout=HANGS,
                                  env={**os.environ, "TMPDIR": str(self.folder)})
            self.assertIn(done.returncode, (2, 3), done.stderr)
            self.assertEqual(list(self.folder.glob("hogwild-search-*")), [])

    def test_leaves_no_folder_behind_where_it_is_ended(self):
        for asked, code in (signal.SIGINT, 130), (signal.SIGQUIT, -signal.SIGQUIT):  # the latter at once
            run = self.begun([HOGWILD, "search", self.large, "--strategy", "hyperband", *self.BY_RUNS, *SPACE],
                             env={**os.environ, "TMPDIR": str(self.folder)},
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)))
            self.assertTrue(list(self.folder.glob("hogwild-search-*/*")), "trials wait")
            self.ended(run, asked)
            self.assertEqual(run.returncode, code)
            self.assertEqual(list(self.folder.iterdir()), [])

    def test_collects_the_folder_that_a_killed_one_has_left(self):
        command = [HOGWILD, "search", self.large, "--strategy", "hyperband", *self.BY_RUNS, *SPACE]
        env = {**os.environ, "TMPDIR": str(self.folder)}
        self.ended(self.begun(command, env=env), signal.SIGKILL)
        self.assertEqual(len(list(self.folder.iterdir())), 1)
        done = subprocess.run([HOGWILD, "search", self.data, "--strategy", "halving", "--configurations", "3", "--epochs", "3",
                               "--quiet", *SPACE], capture_output=True, text=True, check=False, timeout=HANGS, env=env)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_names_a_missing_place_for_temporary_files(self):
        missing = self.folder / "missing"
        done = subprocess.run([HOGWILD, "search", self.data, "--strategy", "halving", *SPACE], capture_output=True, text=True,
                              check=False, timeout=HANGS, env={**os.environ, "TMPDIR": str(missing)})
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertIn(str(missing), done.stderr)
        self.assertIn("TMPDIR", done.stderr)

    def test_collects_what_a_killed_one_has_left_beside_its_journal(self):
        trials = pathlib.Path(f"{self.journal}.trials")
        trials.mkdir()
        (trials / "3.0.abcdef.aside").write_text("half a checkpoint", encoding="utf-8")
        run = self.begun(self.resumable(self.BY_RUNS))
        self.ended(run, signal.SIGINT)
        self.assertEqual(run.returncode, 130)
        self.assertFalse((trials / "3.0.abcdef.aside").exists())

    def test_hears_signals_while_it_reads_its_configurations(self):
        run = subprocess.Popen([HOGWILD, "search", self.data, "--configurations", "300000", *SPACE], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True)
        while run.poll() is None:
            status = pathlib.Path(f"/proc/{run.pid}/status").read_text(encoding="ascii")
            blocked = int(re.search(r"^SigBlk:\s*(\w+)", status, re.MULTILINE)[1], 16)
            if blocked >> (signal.SIGINT - 1) & 1:  # one thread waits for it
                break
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=HANGS)
        self.assertEqual(run.returncode, 130, err)
        self.assertIn("ended at once", err)

    def test_tells_runs_of_their_own_as_they_end(self):
        # Beside trials that go side by side, 32 and more of them at a time.
        for l1 in "0", "1e-5":
            err = self.run_command("search", self.data, "--strategy", "grid", "--workers", "1", "--epochs", "1", "--l1", l1,
                                   "--space", "step=0.1,0.2,0.3", "--space", "optimizer=sgd,adagrad").stderr
            told = [int(line.split()[2]) for line in err.splitlines() if line.startswith("hogwild: trial")]
            self.assertEqual(told, [0, 2, 4, 1, 3, 5])

    # Under sgd trials of linear models are trained side by side, under adagrad each by a run of its own.
    BY_LANES, BY_RUNS = ["--epochs", "243"], ["--epochs", "9", "--optimizer", "adagrad"]

    def resumable(self, options, *more):
        """A search that takes a while, and goes on from its journal."""
        return [HOGWILD, "search", self.large, "--engine", "serial", "--json", "--strategy", "hyperband", *options, *SPACE,
                "--journal", str(self.journal), *more]

    def test_of_lanes_killed_at_any_moment_and_resumed_comes_to_the_same_answer(self):
        self.kill_and_resume(self.BY_LANES)

    def test_of_runs_killed_at_any_moment_and_resumed_comes_to_the_same_answer(self):
        self.kill_and_resume(self.BY_RUNS)

    def kill_and_resume(self, options):
        began = time.monotonic()
        whole = self.search("--engine", "serial", "--strategy", "hyperband", *options, *SPACE, data=self.large)
        seconds = time.monotonic() - began
        seed = random.SystemRandom().randrange(1 << 30)
        draw = random.Random(seed)
        killed = finished = replayed = 0
        while killed < KILLS or finished == 0:
            began = time.monotonic()
            run = subprocess.Popen(self.resumable(options, "--quiet"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            try:
                # After all kills it may run to its end.
                out, err = run.communicate(timeout=draw.uniform(0.02, 0.3) * seconds if killed < KILLS else None)
            except subprocess.TimeoutExpired:
                run.send_signal(signal.SIGKILL)
                run.communicate()
                killed += 1
                lines = self.journal.read_bytes().splitlines(keepends=True) if self.journal.exists() else []
                if len(lines) > 3 and draw.random() < 0.3:  # checkpoints may be ahead of the journal
                    self.journal.write_bytes(b"".join(lines[:-draw.randrange(1, 3)]))
                continue
            self.assertEqual((run.returncode, err), (0, ""), f"seed {seed}")
            resumed = json.loads(out)
            self.assertEqual(self.answer(resumed), self.answer(whole), f"seed {seed}")
            self.assertEqual([path.name for path in self.folder.iterdir()], ["journal"], "no checkpoint is left")
            finished += 1
            replayed += resumed["replayed"]
            self.journal.unlink()
            # If nothing was replayed the search takes another time than measured, as on a machine that was, or is now,
            # busy: all kills are repeated, by the new time.
            if replayed == 0:
                seconds, killed = time.monotonic() - began, 0

    def test_checkpoints_that_another_search_has_left_are_not_gone_on_from(self):
        run = self.begun(self.resumable(self.BY_RUNS))
        for _ in range(4):
            self.assertIn("trial", run.stderr.readline())  # in the first rung, in which all wait for its end
        self.ended(run, signal.SIGKILL)
        self.assertTrue(any(pathlib.Path(f"{self.journal}.trials").iterdir()))
        self.journal.unlink()
        space = ["--space", "step=0.1,0.2,0.3", "--space", "l2=1e-5,1e-6", "--strategy", "halving", "--configurations", "4",
                 "--epochs", "9"]  # its first rung has more epochs than theirs
        self.assertEqual(self.answer(self.search(*space, "--journal", str(self.journal), data=self.large)),
                         self.answer(self.search(*space, data=self.large)))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["journal"])

    def test_stops_when_it_is_asked_and_goes_on(self):
        run = self.begun(self.resumable(self.BY_RUNS), stdout=subprocess.PIPE)
        out, err = self.ended(run, signal.SIGINT)
        self.assertEqual(run.returncode, 130)
        self.assertIn("the same command continues from", err)
        stopped = json.loads(out)
        checked(stopped)
        self.assertFalse(stopped["finished"])
        resumed = json.loads(subprocess.run(self.resumable(self.BY_RUNS), check=True, capture_output=True, text=True).stdout)
        self.assertTrue(resumed["finished"])
        self.assertGreaterEqual(resumed["replayed"], stopped["trained"])

    def test_refuses_the_journal_of_another_search(self):
        options = ["--strategy", "grid", "--space", "step=0.3,1", "--epochs", "2", "--journal", str(self.journal)]
        first = self.search(*options)
        again = self.search(*options, "--workers", "1")
        self.assertEqual((again["trained"], again["replayed"]), (0, 2))
        self.assertEqual(self.answer(first), self.answer(again))
        text = self.journal.read_bytes()
        for more in (["--bias"], ["--seed", "2"], ["--metric", "auc"], ["--folds", "2"], ["--validation", "0.3"]):
            self.assertIn("is the journal of another search",
                          self.said("search", self.data, "--quiet", *options, *more, code=3))
        self.run_command("search", self.held, "--quiet", *options, code=3)
        self.assertEqual(self.journal.read_bytes(), text)


if __name__ == "__main__":
    unittest.main()
