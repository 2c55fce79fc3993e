#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""How the bench suite judges runs, and how it tunes."""
import dataclasses
import math
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from suite import quality, record, summary, tables, tuning, turns  # noqa: E402
from suite.engine import Engine  # noqa: E402
from suite.terms import Outcome, Point, Target, Task  # noqa: E402

TARGET = Target("objective", 0.2, True, "named")
TASK = Task("toy", "linear", lambda place: {}, (), TARGET, {"": {"step": 1.0}}, "by hand", 10)


def outcome(epochs=10, seconds=10.0, values=None, **changed):
    """An honest run of 1000 rows whose objective is 1 / epoch; half a second of reading and measuring an epoch."""
    points = [Point(seconds * e / epochs, e, values[e - 1] if values else 1 / e) for e in range(1, epochs + 1)]
    figures = {"train_seconds": seconds, "total_seconds": 1.5 * seconds, "cpu_seconds": 1.5 * seconds, "rows": 1000,
               "examples": 1000 * epochs}
    return Outcome(points, **{**figures, **changed})


class Turns(unittest.TestCase):
    def test_another_one_is_first_each_time_and_each_runs_as_often_as_asked(self):
        runs = [lambda turn, name=name: f"{name}{turn}" for name in "abc"]
        told = [returned for *_, returned in turns.in_turns(runs, [3, 1, 2], 0)]
        self.assertEqual(told, ["a0", "b0", "c0", "c1", "a1", "a2"])
        self.assertEqual(list(turns.in_turns([], [], 0)), [])


class Targets(unittest.TestCase):
    def test_the_moment_lies_between_two_measurements(self):
        points = [Point(1.0, 1, 0.5), Point(3.0, 2, 0.3), Point(7.0, 3, 0.1)]
        seconds, epochs = quality.to_target(points, TARGET)
        self.assertAlmostEqual(seconds, 5.0)
        self.assertAlmostEqual(epochs, 2.5)
        self.assertIsNone(quality.to_target(points[:2], TARGET))
        more = Target("test_accuracy", 0.4, False, "named")
        self.assertAlmostEqual(quality.to_target([Point(1.0, 1, 0.3), Point(2.0, 2, 0.5)], more)[0], 1.5)

    def test_few_measurements_and_few_epochs_are_flagged(self):
        self.assertIn("coarse", quality.flags(TASK, "serial", [7.9, 7.5, 7.9], [])[0])
        self.assertEqual(quality.flags(TASK, "serial", [8.0, 8.5, 8.5], []), [])
        self.assertIn("fewer epochs", quality.flags(TASK, "ring", [7.0, 7.0], [10.0, 10.5])[0])
        self.assertIn("fewer epochs", quality.flags(TASK, "ring", [7.0, 7.0], [8.0, 18.0])[0])  # one slow seed
        self.assertEqual(quality.flags(TASK, "ring", [9.6], [10.0, 10.5]), [])


class Records(unittest.TestCase):
    def test_lines_that_were_changed_take_their_place_in_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "record.jsonl"
            kept = record.Record(path)
            kept.put("context"), kept.put("run", state="failed").update(state="measured")
            kept.rewrite()
            kept.put("summary")
            kept.file.close()
            self.assertEqual([json.loads(line) for line in path.read_text().splitlines()],
                             [{"kind": "context"}, {"kind": "run", "state": "measured"}, {"kind": "summary"}])
            self.assertEqual([p.name for p in pathlib.Path(folder).iterdir()], ["record.jsonl"])

    def test_what_is_wrong_is_told_with_its_place_and_in_no_words_of_python(self):
        with tempfile.TemporaryDirectory() as folder:
            path, good = pathlib.Path(folder) / "record.jsonl", b'{"kind": "context"}\n'
            for text, said in ((b"\xef\xbb\xbf" + good, ":1: the file begins with a byte order mark; save it as "),
                               (good.decode().encode("utf-16"), ":1: the file begins with a byte order mark of UTF-16"),
                               (good + b'{"kind": "\xff"}', ":2: byte 0xff is no text in UTF-8"),
                               (good + b'{"a": ' + b"9" * 5000 + b"}", ":2: a number of 5000 characters is too long"),
                               (good + b'{"kind": 1e999}', ":2: 1e999 is no number"),
                               (good + b'{"kind": "\\ud800"}', r":2: \ud800 is half of a surrogate pair"),
                               (good + b'{"kind"', ":2:8: no JSON: "), (b"", ":1: no bench record: the file is empty")):
                path.write_bytes(text)
                with self.assertRaises(record.Damaged) as refused:
                    record.lines_of(path)
                self.assertTrue(str(refused.exception).startswith(f"{path}{said}"), refused.exception)
            path.write_bytes(b'{"a":\n{"b":\nNaN}}')
            with self.assertRaisesRegex(record.Damaged, ":3: NaN is no number"):
                record.document(path)
            for name, said in ((folder, "this is a folder, not a file"),
                               (path.parent / "b", "No such file or directory")):
                with self.assertRaises(OSError) as refused:
                    record.lines_of(name)
                self.assertEqual(str(refused.exception), f"{name}: {said}")

    def test_scripts_that_read_one_end_with_3_and_a_sentence(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "record.jsonl"
            kinds = b"".join(b'{"kind": "%s"}\n' % kind for kind in (b"context", b"epoch", b"result"))
            for script, *more in (["tools/lib/run_table.py"], ["bench/network/constants", "constants.json"]):
                for text in (b"", b"{", b"\xff\xfe{", b"[]\n", b'{"kind": "context"}\n', kinds):
                    path.write_bytes(text)
                    done = subprocess.run(["/usr/bin/python3", ROOT / script, path, *more], capture_output=True,
                                          text=True, check=False)
                    self.assertEqual(done.returncode, 3, done.stderr)
                    self.assertRegex(done.stderr, rf"^[a-z_]+: {path}(:1)?(:2)?: .*\n$")

    def test_a_table_of_runs_has_a_line_for_each(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = record.Record(pathlib.Path(folder) / "record.jsonl")
            kept.put("context", options={"engine": "ring", "workers": 2})
            for epoch in (1, 2):
                kept.put("epoch", epoch=epoch, train_seconds=0.5 * epoch, nonzeros=100 * epoch, train_loss=0.25)
            kept.put("result", seconds_to_target=None)
            kept.file.close()
            done = subprocess.run(["/usr/bin/python3", ROOT / "tools/lib/run_table.py", kept.path], capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout.splitlines()[1].split(),
                             ["ring", "2", "0.500", "200", "-", "0.25000", "-", "-"])

    def test_of_a_run_that_was_resumed_each_epoch_stands_there_once(self):
        read = record.of_one_run([
            {"kind": "context"}, *({"kind": "epoch", "epoch": e, "of": 1} for e in (1, 2, 3)), {"kind": "result"},
            {"kind": "resumed", "epoch": 2}, {"kind": "epoch", "epoch": 3, "of": 2}, {"kind": "result"}])
        self.assertEqual([(x["epoch"], x["of"]) for x in record.of(read, "epoch")], [(1, 1), (2, 1), (3, 2)])
        self.assertEqual(len(record.of(read, "result")), 1)
        self.assertEqual(read[0]["kind"], "context")


class Summaries(unittest.TestCase):
    def test_say_that_no_serial_run_reached_the_target(self):
        def flags(contestant, state):
            line = {"task": "t", "contestant": contestant, "workers": 1, "place": "here", "state": state,
                    "reason": "so", "seconds_to_target": 1.0, "epochs_to_target": 9.0, "points": [[1.0, 9.0, 0.1]],
                    "examples": 1, "nonzeros": None, "train_seconds": None,
                    **dict.fromkeys(("total_seconds", "cpu_seconds", "peak_bytes"))}
            return " ".join(summary.of_runs(TASK, [line], [line])["flags"])
        self.assertIn("no serial run reached the target, so nothing is compared", flags("serial", "short"))
        self.assertNotIn("no serial run", flags("serial", "measured") + flags("threads", "short"))


class Cheats(unittest.TestCase):
    def refused(self, cheat, why, **how):
        state, reason = quality.judge(TASK, cheat, [outcome(), outcome()], **how)
        self.assertEqual(state, "failed")
        self.assertIn(why, reason)

    def test_honest_runs_are_believed(self):
        two = outcome(seconds=5.0, total_seconds=10.0, cpu_seconds=15.0)
        self.assertEqual(quality.judge(TASK, outcome(), [outcome()], quiet=True), ("measured", ""))
        self.assertEqual(quality.judge(TASK, two, [outcome()], workers=2, quiet=True), ("measured", ""))
        waiting = outcome(total_seconds=60.0, cpu_seconds=50.0)
        self.assertEqual(quality.judge(TASK, waiting, [outcome()]), ("measured", ""))
        self.assertEqual(quality.judge(TASK, outcome(values=[0.5] * 10), [outcome()])[0], "short")

    def test_a_target_that_is_lost_again(self):
        values = [1 / e for e in range(1, 10)]
        self.refused(outcome(values=[*values, 0.3]), "it passed the target, but ends with objective 0.3")
        near = [outcome(values=[*values, 0.28]), outcome(values=[*values, 0.295])]  # serial runs lose it, too
        self.assertEqual(quality.judge(TASK, outcome(values=[*values, 0.3]), near), ("measured", ""))
        self.assertEqual(quality.judge(TASK, outcome(values=[*values, 0.35]), near)[0], "failed")
        self.assertEqual(quality.judge(TASK, outcome(values=[*values, None]), near)[0], "failed")

    def test_rows_that_are_left_out(self):
        self.refused(outcome(examples=9000), "90.0% of the rows")

    def test_an_early_stop(self):
        self.refused(outcome(epochs=4, seconds=4.0), "stopped after 4 of 10 epochs")

    def test_half_of_the_time(self):
        half = {"train_seconds": 5.0, "total_seconds": 15.0}
        self.refused(outcome(**half), "CPU time", quiet=True)
        self.refused(outcome(**half, cpu_seconds=None), "that passed", quiet=True)
        self.refused(outcome(train_seconds=2.5, total_seconds=10.0, cpu_seconds=15.0), "CPU time", workers=2,
                     quiet=True)


class Grids(unittest.TestCase):
    def test_batches_are_tuned_where_an_engine_has_them(self):
        engine = Engine("meets", [], meeting=(16, 64), batch=(1, 4))
        self.assertEqual(engine.grid(TASK), {"step": [0.5, 1.0, 2.0], "meeting": [16, 64], "batch": [1, 4]})
        self.assertNotIn("batch", engine.grid(dataclasses.replace(TASK, family="images")))


class Tuning(unittest.TestCase):
    def toy(self, best, settings, seed):
        """Needs more epochs the farther the step is from the best one: a parabola in its logarithm. Seeds change their
        number by 2 %, and an epoch's time by half."""
        self.calls += 1
        chance = random.Random(f"{settings} {seed}")
        epochs = (1 + math.log2(settings["step"] / best) ** 2) * (1 + 0.01 * chance.uniform(-1, 1))
        return Outcome([Point(epochs * chance.uniform(1.0, 1.5), epochs, 0.1)])

    def test_the_known_best_step_is_found_and_not_on_an_edge(self):
        for best in (0.125, 1.0, 16.0):
            self.calls = 0
            tried = tuning.tune(lambda s, seed, b=best: self.toy(b, s, seed), {"step": [0.5, 1.0, 2.0]}, {"step": 1.0},
                                TARGET, 12)
            found = [t for t in tried if t["best"]]
            self.assertEqual([t["settings"]["step"] for t in found], [best])
            self.assertFalse(found[0]["on_edge"])
            self.assertEqual(self.calls, 3 * len(tried))
            self.assertLessEqual(len(tried), 12)

    def test_a_larger_step_with_a_shorter_decay_is_found_where_neither_is_better_alone(self):
        def run(settings, _):
            step, reach = math.log2(settings["step"]), math.log2(1 - settings["decay"])
            epochs = 1 + 10 * abs(step - reach - 3) + abs(step - 2)
            return Outcome([Point(epochs, epochs, 0.1)])
        begun = {"step": 1.0, "decay": 0.875}  # on the ridge; four times the step wants half a decay
        tried = tuning.tune(run, {"step": [0.5, 1.0, 2.0], "decay": [0.75, 0.875, 0.9375]}, begun, TARGET, 16)
        self.assertEqual([t["settings"] for t in tried if t["best"]], [{"step": 4.0, "decay": 0.5}])

    def test_trials_go_on_while_the_best_one_lies_on_an_edge(self):
        self.calls = 0
        tried = tuning.tune(lambda s, seed: self.toy(16.0, s, seed), {"step": [0.5, 1.0, 2.0]}, {"step": 1.0},
                            TARGET, 4)
        best = [t for t in tried if t["best"]][0]
        self.assertEqual((best["settings"], best["on_edge"], len(tried)), ({"step": 16.0}, False, 7))

    def test_an_edge_is_told_where_as_many_trials_again_do_not_leave_it(self):
        self.calls = 0
        tried = tuning.tune(lambda s, seed: self.toy(1e6, s, seed), {"step": [0.5, 1.0, 2.0]}, {"step": 1.0},
                            TARGET, 4)
        self.assertTrue([t for t in tried if t["best"]][0]["on_edge"])
        self.assertEqual((len(tried), self.calls), (8, 24))

    def test_a_table_names_the_space_that_was_tried(self):
        def line(step, meeting, **more):
            return {"kind": "tried", "task": "toy", "contestant": "all_reduce", "workers": 2, "place": "here",
                    "settings": {"step": step, "meeting": meeting}, "best": False, "on_edge": False, **more}
        lines = [line(0.5, 16384), line(8.0, 16384), line(2.0, 16384, best=True)]
        told = "all_reduce, 2: step 2 (0.5 to 8), meeting 16384; 3 settings were tried"
        self.assertEqual(list(tables.settings(lines, "toy")), [told])
        lines[-1]["on_edge"] = True
        self.assertEqual(list(tables.settings(lines, "toy")), [told + "; the best lies on the edge of what was tried"])

    def test_where_most_seeds_do_not_arrive_a_point_is_worse(self):
        def run(settings, seed):
            late = settings["step"] > 1.0 and seed > tuning.SEEDS[0]
            epochs = 1 if settings["step"] > 1.0 else 2
            return Outcome([Point(0.5 * epochs, epochs, 0.3 if late else 0.1)])
        tried = tuning.tune(run, {"step": [1.0, 2.0]}, {"step": 1.0}, TARGET, 2)
        self.assertEqual([t["settings"] for t in tried if t["best"]], [{"step": 1.0}])

    def test_a_setting_that_loses_the_target_again_is_not_the_best(self):
        def run(settings, seed):
            large = settings["step"] > 1.0
            lost = large and seed == tuning.SEEDS[1]  # one of three is enough
            return Outcome([Point(1.0, 1, 0.1 if large else 0.3), Point(2.0, 2, 0.9 if lost else 0.1)])
        lost_too = [outcome(values=[0.1] * 9 + [0.9])]  # serial runs do, too: then no step is at fault
        for references, best in (((), 1.0), ([outcome(values=[0.1] * 10)], 1.0), (lost_too, 2.0)):
            tried = tuning.tune(run, {"step": [1.0, 2.0]}, {"step": 1.0}, TARGET, 2, references)
            self.assertEqual([t["settings"]["step"] for t in tried if t["best"]], [best])


if __name__ == "__main__":
    unittest.main()
