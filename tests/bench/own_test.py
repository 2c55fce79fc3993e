#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`hogwild bench DATA`: a task of the user's own rows. Usage: own_test.py HOGWILD"""
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from suite import made, own, record  # noqa: E402
from contestants import liblinear, libmf  # noqa: E402
from suite.terms import Outcome, Point, Task, Unavailable  # noqa: E402
import tasks  # noqa: E402

HOGWILD = sys.argv.pop(1)


class Own(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.kept.cleanup)
        cls.folder = pathlib.Path(cls.kept.name)
        cls.rows, cls.test_rows = cls.folder / "mine.svm", cls.folder / "mine.t"
        subprocess.run([HOGWILD, "generate", cls.rows, "--test", cls.test_rows, "--rows", "8000", "--columns", "1000",
                        "--nonzeros", "20", "--seed", "1"], check=True, capture_output=True)

    def bench(self, *words, program=HOGWILD):
        """A call in a folder of its own. Returns how it ended and the lines of its record, if there are any."""
        with tempfile.TemporaryDirectory() as out:
            at = words.index("--") if "--" in words else len(words)
            done = subprocess.run([HOGWILD, "bench", *words[:at], "--hogwild", program, "--seeds", "1", "--workers", "2",
                                   "--wait", "0", "--out", out, *words[at:]], capture_output=True, text=True, check=False,
                                  timeout=300)
            path = pathlib.Path(out) / "bench.jsonl"
            lines = [json.loads(x) for x in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
        return done, lines

    def measured(self, *words):
        """The output of a call that succeeds, its record, and its runs by contestant."""
        done, lines = self.bench(*words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        runs = {x["contestant"]: x for x in record.of(lines, "run")}
        self.assertEqual(runs["serial"]["state"], "measured", runs["serial"])
        return done.stdout, lines, runs

    def logging(self, change=""):
        """A program like hogwild except for `change`, and the file to which it appends its arguments."""
        program, log = self.folder / "logging", self.folder / "log.jsonl"
        log.unlink(missing_ok=True)
        program.write_text(f"#!{sys.executable}\nimport json, subprocess, sys\nwords = sys.argv[1:]\n"
                           f"print(json.dumps(words), file=open({str(log)!r}, 'a'))\n"
                           f"code = subprocess.run([{HOGWILD!r}, *words]).returncode\n{change}\nsys.exit(code)\n",
                           encoding="utf-8")
        program.chmod(0o755)
        return program, log

    def test_engines_that_are_named_train_rows_of_ones_own_to_what_serial_runs_reach(self):
        told, lines, runs = self.measured(self.rows, "--test", self.test_rows, "--model", "logistic", "--engines",
                                          "threads,processes,all_reduce", "--target", "auto")
        self.assertEqual(list(runs), ["serial", "threads", "processes", "all_reduce"])
        self.assertEqual({r["task"] for r in runs.values()}, {"mine.svm"})
        self.assertEqual(lines[0]["suite"], "own data")
        target = runs["serial"]["target"]
        self.assertEqual((target["metric"], target["less_is_better"]), ("objective", True))
        self.assertRegex(target["found"], r"^\S+ \+ \S+ %: the median of 3 serial runs of 20 epochs($|, and by how )")
        end, _, part = target["found"].split()[:3]
        end, part = float(end), float(part) / 100
        self.assertAlmostEqual(target["value"], (1 + part) * end, delta=1e-5)
        self.assertAlmostEqual(runs["serial"]["points"][-1][2], end, delta=0.02)
        for name, run in runs.items():  # one step for many rows is larger than one for each
            (self.assertGreater if name == "all_reduce" else self.assertEqual)(
                run["settings"]["step"], runs["serial"]["settings"]["step"], name)
            self.assertEqual(run["settings"]["decay"], runs["serial"]["settings"]["decay"])
        self.assertIn("mine.svm: objective <= ", told)
        try:
            import jsonschema
        except ImportError:
            return
        schema = json.loads((ROOT / "bench" / "schema" / "bench.schema.json").read_text(encoding="utf-8"))
        for line in lines:
            jsonschema.validate(line, schema)

    def test_without_names_all_engines_take_part_and_programs_of_others_do_not(self):
        _, lines, runs = self.measured(self.rows, "--", "--epochs", "6")
        self.assertLessEqual({"serial", "threads", "processes", "ring", "all_reduce", "local_sgd"}, set(runs))
        self.assertFalse({"liblinear", "sklearn_sgd"} & {x["contestant"] for x in lines if "contestant" in x})

    def test_a_target_is_a_measure_of_the_test_rows_with_or_without_its_value(self):
        _, _, runs = self.measured(self.rows, "--test", self.test_rows, "--engines", "serial", "--target",
                                   "test_accuracy")
        target = runs["serial"]["target"]
        self.assertEqual((target["metric"], target["less_is_better"]), ("test_accuracy", False))
        self.assertAlmostEqual(target["value"], 0.99 * float(target["found"].split()[0]), delta=1e-5)
        _, _, runs = self.measured(self.rows, "--test", "0.2", "--engines", "serial", "--target", "test_loss=0.69")
        self.assertEqual(runs["serial"]["target"], {"metric": "test_loss", "value": 0.69, "less_is_better": True,
                                                    "found": "named in the call"})

    def test_every_serial_run_reaches_the_target_that_they_chose(self):
        def chosen(metric, *ends):
            task = dataclasses.replace(tasks.TASKS["tiny_text"], epochs=10, target=dataclasses.replace(
                tasks.TASKS["tiny_text"].target, metric=metric, less_is_better=metric.endswith(own.LESS)))
            runs = iter(Outcome([Point(1.0, 10, end)]) for end in ends[1:])
            serial = types.SimpleNamespace(settings=lambda _: {}, run=lambda *_: next(runs))
            with mock.patch("suite.quality.to_target", return_value=(9.0, 9.0)):
                return own.reached(task, None, serial, {"model": "logistic", metric: ends[0]}, None)
        for metric, ends in (("objective", (0.4, 0.41, 0.6)), ("objective", (0.1, 0.1, 0.3)),
                             ("objective", (0.0, 0.0, 1.0)), ("objective", (-2.0, -1.0, -1.5)),
                             ("test_accuracy", (0.9, 0.5, 0.8)), ("test_accuracy", (0.7, 0.7, 0.1))):
            target = chosen(metric, *ends)
            self.assertTrue(all(map(target.passed, ends)), target)
            self.assertIn("the median of 3 serial runs of 10 epochs, and by how much these differ", target.found)
        self.assertEqual(chosen("objective", 0.5, 0.501, 0.502).found,
                         "0.501 + 1 %: the median of 3 serial runs of 10 epochs")
        with self.assertRaisesRegex(Unavailable, "ends without objective"):
            chosen("objective", 0.5, None, 0.5)

    def test_a_target_that_no_serial_run_reaches_is_told_in_a_sentence(self):
        done, lines = self.bench(self.rows, "--engines", "serial", "--target", "objective=0.0001", "--", "--epochs",
                                 "6")
        self.assertEqual(record.of(lines, "run", contestant="serial")[0]["state"], "short")
        self.assertIn("serial, 1: no serial run reached the target, so nothing is compared", done.stdout)

    def test_what_stands_behind_two_dashes_is_of_every_run(self):
        program, log = self.logging()
        done, lines = self.bench(self.rows, "--engines", "threads", "--", "--l2=0.001", "--bias", "--step", "0.5",
                                 "--decay", "0.9", "--epochs", "7", program=program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = [words for words in map(json.loads, log.read_text(encoding="utf-8").splitlines())
                 if str(self.rows) in words]
        self.assertEqual(len(calls), 6)  # three to find the target, one that writes caches, one of each contestant
        for words in calls:
            self.assertIn("--bias", words)
            for name, value in (("--l2", "0.001"), ("--step", "0.5"), ("--decay", "0.9"), ("--epochs", "7")):
                self.assertEqual(words.count(name), 1, words)
                self.assertEqual(words[words.index(name) + 1], value)
        for run in record.of(lines, "run"):
            self.assertEqual(run["settings"], {"step": 0.5, "decay": 0.9})
            self.assertEqual(run["points"][-1][1], 7)

    def test_models_with_steps_and_schedules_of_their_own_keep_them(self):
        text, ratings = self.folder / "text.txt", self.folder / "ratings.tsv"
        text.write_text("".join(f"{line}\n" for _, line in made.sentences(1000)), encoding="utf-8")
        ratings.write_text("".join(f"{line}\n" for _, line in made.ratings(200, 100, 20, test=False)), encoding="ascii")
        program, log = self.logging()
        done, lines = self.bench(text, "--model", "skip_gram", "--engines", "threads", "--", "--dimension", "16",
                                 "--epochs", "3", program=program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(record.of(lines, "run", contestant="serial")[0]["state"], "measured")
        first, second = [words for words in map(json.loads, log.read_text(encoding="utf-8").splitlines())
                         if str(text) in words][:2]
        self.assertNotIn("--schedule", first)
        self.assertEqual(second[second.index("--schedule") + 1], "linear")
        _, _, runs = self.measured(ratings, "--test", "0.1", "--model", "matrix_factorization", "--target", "test_rmse",
                                   "--engines", "threads", "--", "--factors", "4", "--epochs", "5")
        self.assertEqual(runs["serial"]["target"]["metric"], "test_rmse")

    def test_a_run_that_ends_outside_of_the_serial_ones_has_no_figures(self):
        program, _ = self.logging("""
if 'threads' in words:
    path = words[words.index('--record') + 1]
    lines = [json.loads(x) for x in open(path)]
    [x for x in lines if x['kind'] == 'epoch'][-1]['objective'] *= 1.1
    open(path, 'w').writelines(json.dumps(x) + '\\n' for x in lines)""")
        done, lines = self.bench(self.rows, "--engines", "threads", program=program)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        run = record.of(lines, "run", contestant="threads")[0]
        self.assertEqual((run["state"], run["seconds_to_target"]), ("failed", None))
        self.assertIn("it passed the target, but ends with objective", run["reason"])
        self.assertIn("it passed the target, but ends with objective", done.stdout)
        self.assertFalse(record.of(lines, "ratio"))

    def test_what_cannot_be_measured_is_told_in_a_sentence_and_leaves_no_record(self):
        broken = self.folder / "broken.svm"
        broken.write_text("1 1:1\n-1 no entry\n", encoding="ascii")
        rows, nowhere = self.rows, self.folder / "nowhere.svm"
        for words, sentence in (
                ([nowhere], "nowhere.svm"),
                ([rows, "--test", nowhere], "nowhere.svm"),
                ([broken], "broken.svm:2"),
                ([rows, "--model", "no_such_model"], "no_such_model"),
                ([rows, "--engines", "threads,no_such_engine"], "there is no contestant no_such_engine"),
                ([rows, "--target", "test_accuracy"], "give test rows with --test FILE"),
                ([rows, "--target", "no_such_measure"], "--target no_such_measure: auto, objective or"),
                ([rows, "--target", "=3"], "--target =3: auto, objective or"),
                ([rows, "--target", "objective=low"], "a number is expected behind ="),
                ([rows, "--target", "objective=nan"], "a number is expected behind ="),
                ([rows, "--test", "0.2", "--target", "test_rmse"], "test_rmse is not measured for logistic"),
                ([rows, "--task", "tiny_text"], "DATA is a task by itself: leave out --task"),
                ([rows, "--suite", "tiny"], "DATA is a task by itself: leave out --suite"),
                (["-"], "name a file"),
                (["--model", "logistic"], "--model is for your own rows"),
                (["--", "--l2", "1"], "-- is for your own rows"),
                ([rows, "--", "--engine", "ring"], "-- --engine: who trains"),
                ([rows, "--", "--save=kept.bin"], "-- --save: runs that are measured leave nothing behind"),
                ([rows, "--", "--tolerance", "0.1"], "-- --tolerance: runs are compared over all of their epochs"),
                ([rows, "--", "--no-such-option"], "--no-such-option"),
                ([rows, "--", "--step", "1e9", "--epochs", "3"], "the serial run that says what to reach failed")):
            with self.subTest(words=words):
                done, lines = self.bench(*words)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(sentence, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(lines, [])

    def test_programs_of_others_take_part_where_they_can_train_the_same(self):
        words = [self.rows, "--engines", "serial,liblinear", "--", "--bias", "--epochs", "6"]
        _, lines, runs = self.measured(*words)
        self.assertEqual(list(runs), ["serial"])
        self.assertTrue(record.of(lines, "skipped", contestant="liblinear"))
        self.assertEqual(own.ours_alone(["--factors", "8"], False, "ffm", 0), "")
        self.assertEqual(own.ours_alone([], False, "logistic", 0.1), "")
        self.assertIn("test rows", own.ours_alone([], True, "logistic", 0.1))
        self.assertIn("l2", own.ours_alone([], False, "logistic", 0))
        for peer, task in ((liblinear, tasks.TASKS["tiny_text"]), (libmf, tasks.TASKS["tiny_ratings"])):
            self.assertNotIn("it does not know", peer.contestant.refuses(task))
            reason = "it does not know --bias"
            self.assertEqual(peer.contestant.refuses(dataclasses.replace(task, ours_alone=reason)), reason)

    def test_the_task_that_the_page_shows_is_one(self):
        page = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
        shown = page.partition("### A task of the suite")[2].partition("```python\n")[2].partition("```")[0]
        exec(compile(shown, "mine.py", "exec"), dict(vars(tasks)))
        mine = tasks.TASKS.pop("mine")
        self.assertIsInstance(mine, Task)
        self.assertEqual([type(value) for value in dataclasses.astuple(mine)],
                         [type(value) for value in dataclasses.astuple(tasks.TASKS["tiny_text"])])
        self.assertEqual(mine.suites, ("full",))


if __name__ == "__main__":
    unittest.main()
