#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/compare: its verdicts on records, and how it makes records of two builds."""
import json
import math
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from filled_record import filled  # noqa: E402
from suite import comparison, google_benchmark, sides, terms  # noqa: E402

SEED = random.SystemRandom().randrange(2 ** 32)
EQUAL = json.loads((pathlib.Path(__file__).parent / "equal_builds.json").read_text(encoding="utf-8"))["seconds"]
MACHINE = {"cpu_model": "toy", "usable_cpus": 2}


def run(task, turn, seconds, contestant="threads", state="measured", reason=""):
    return {"kind": "run", "task": task, "contestant": contestant, "workers": 2, "place": "here", "turn": turn,
            "seed": turn, "state": state, "reason": reason, "seconds_to_target": seconds, "cpu_seconds": 1.0,
            "train_seconds": 2.0, "points": [[1.0, 2, 0.5], [2.0, 4, 0.4]]}


def record(*runs, began="today", machine=MACHINE, peers=None):
    return [{"kind": "context", "began": began, "commit": "c", "machine": machine, "peers": peers or {}}, *runs]


def drawn(numbers, turns, factor=1.0):
    """Seconds of A and of B in turns: recorded pairs of one build, each in random order; B is slower by a factor."""
    a, b = [], []
    for _ in range(turns):
        i = 2 * numbers.randrange(len(EQUAL) // 2)
        x, y = numbers.sample(EQUAL[i:i + 2], 2)
        a.append(x)
        b.append(factor * y)
    return a, b


def told(a, b, *, figure="seconds_to_target", anchors=()):
    return {(x.task, x.contestant): x for x in comparison.compare(a, b, figure, anchors)}


class OneCall(unittest.TestCase):
    def test_finds_a_planted_tenth_in_95_of_100_and_nothing_in_99_of_100_equal_builds(self):
        # 200 comparisons of ten lines with a planted 10 % and ten equal ones, 20 runs a side.
        # Equal: a pair is drawn in either order, so A and B are exchangeable, and a line's p is below 0.002 in at most
        # 0.2 % of draws, whatever the others do: of 2,000 lines 4 are expected, and more than 20, which would be 1 %,
        # have a probability below 2e-9 (binomial tail). Planted: 0.7 % of 20,000 draws were not found with p < 0.0001,
        # which is what Holm's correction asks for at worst. Were it 2 %, 40 of 2,000 would be missed on average, and
        # more than 100, which are 5 %, with a probability below 2e-16.
        numbers, found, wrong = random.Random(SEED), 0, 0
        for _ in range(200):
            lines = [[], []]
            for task in range(20):
                for side, seconds in zip(lines, drawn(numbers, 20, 1.1 if task < 10 else 1.0)):
                    side += [run(f"{task:02}", i, x) for i, x in enumerate(seconds)]
            for (task, _), line in told(*(record(*side) for side in lines)).items():
                if int(task) < 10:
                    found += line.verdict == "worse"
                else:
                    wrong += line.verdict != "noise"
        self.assertGreaterEqual(found, 1900, SEED)
        self.assertLessEqual(wrong, 20, SEED)

    def test_says_how_many_runs_can_decide(self):
        a, b = ([run("t", i, s) for i in range(6)] for s in (1.0, 2.0))
        line = told(record(*a), record(*b))["t", "threads"]
        self.assertEqual(line.verdict, "undecided")
        self.assertIn("6 runs a side cannot reach p < 0.002 with 1 lines; 7 can", line.why)

    def test_says_whether_noise_could_hide_an_effect(self):
        wide = [1.0 + 0.4 * (i % 5) for i in range(20)]
        for seconds, why in ((wide, True), ([1.0 + 0.001 * (i % 5) for i in range(20)], False)):
            runs = record(*(run("t", i, x) for i, x in enumerate(seconds)))
            line = told(runs, runs)["t", "threads"]
            self.assertEqual((line.verdict, "not excluded" in line.why), ("noise", why))

    def test_small_effects_are_noise_however_sure(self):
        for factor, verdict in ((1.04, "noise"), (1.06, "worse"), (1 / 1.06, "better")):
            a, b = ([run("t", i, f * (1 + 0.0001 * i)) for i in range(20)] for f in (1.0, factor))
            self.assertEqual(told(record(*a), record(*b))["t", "threads"].verdict, verdict)

    def test_that_do_not_arrive_are_worse_and_failed_ones_decide_nothing(self):
        good = [run("t", i, 1.0 + 0.01 * i) for i in range(12)]
        short = [run("t", i, None, state="short") for i in range(12)]
        self.assertEqual(told(record(*good), record(*short))["t", "threads"].difference.ratio, math.inf)
        self.assertEqual(told(record(*good), record(*short))["t", "threads"].verdict, "worse")
        failed = [*good[:11], run("t", 11, 9.0, state="failed", reason="it trained 90 % of the rows")]
        line = told(record(*good), record(*failed))["t", "threads"]
        self.assertEqual((line.verdict, line.why), ("undecided", "a run of B failed: it trained 90 % of the rows"))

    def test_lines_of_one_side_are_told(self):
        line = told(record(run("t", 0, 1.0)), record())["t", "threads"]
        self.assertEqual((line.verdict, line.why), ("undecided", "only A has runs of it"))

    def test_other_figures(self):
        line = told(record(run("t", 0, 1.0)), record(run("t", 0, 1.0)), figure="epoch_seconds")["t", "threads"]
        self.assertEqual((line.a, line.b), ([0.5], [0.5]))


class OtherCalls(unittest.TestCase):
    def two(self, factor, **of_b):
        """B's machine is slower by half in everything, and B's threads by a factor."""
        sides_ = []
        for slower, f in ((1.0, 1.0), (1.5, factor)):
            runs = []
            for i in range(15):
                moment = slower * (1.0 + 0.3 * math.sin(i))
                runs += [run("t", i, f * moment * (1 + 0.001 * i)), run("t", i, 2 * moment, contestant="solver")]
            sides_.append(runs)
        return (record(*sides_[0], peers={"solver": "2.1"}),
                record(*sides_[1], began="later", **{"peers": {"solver": "2.1"}, **of_b}))

    def test_are_compared_relative_to_what_both_have(self):
        for factor, verdict in ((1.0, "noise"), (1.2, "worse"), (0.8, "better")):
            lines = told(*self.two(factor))
            self.assertEqual([line.verdict for line in lines.values()], [verdict])
            self.assertAlmostEqual(lines["t", "threads"].difference.ratio, factor, 3)

    def test_are_undecided_without_and_on_other_machines(self):
        other = self.two(1.2, peers={"solver": "2.2"})
        self.assertIn("no contestant on this task", told(*other)["t", "threads"].why)
        self.assertEqual(told(*other, anchors=["solver"])["t", "threads"].verdict, "worse")
        elsewhere = told(*self.two(1.2, machine={**MACHINE, "cpu_model": "other"}))["t", "threads"]
        self.assertEqual((elsewhere.verdict, elsewhere.why), ("undecided", "the records are of different machines"))


class Command(unittest.TestCase):
    def compare(self, folder, *arguments):
        return subprocess.run([ROOT / "bench" / "compare", *arguments], cwd=folder, capture_output=True, text=True)

    def write(self, folder, name, seconds):
        path = pathlib.Path(folder) / name
        lines = record(*(run("t", i, s) for i, s in enumerate(seconds)))
        path.write_text("".join(json.dumps(filled("bench", x)) + "\n" for x in lines))
        return path

    def test_ends_by_what_it_found_and_writes_repetitions(self):
        with tempfile.TemporaryDirectory() as folder:
            a = self.write(folder, "a.jsonl", [1.0 + 0.001 * i for i in range(12)])
            b = self.write(folder, "b.jsonl", [1.2 + 0.001 * i for i in range(12)])
            ended = self.compare(folder, a, b, "--format", "google-benchmark", "--out", "gb")
            self.assertEqual(ended.returncode, 1, ended.stderr)
            self.assertIn("worse", ended.stdout)
            self.assertEqual(self.compare(folder, b, a).returncode, 0)
            benchmarks = json.loads((pathlib.Path(folder) / "gb" / "B.json").read_text())["benchmarks"]
            self.assertEqual([x["repetition_index"] for x in benchmarks], list(range(12)))
            self.assertEqual({(x["run_type"], x["repetitions"], x["time_unit"]) for x in benchmarks},
                             {("iteration", 12, "ms")})
            self.assertAlmostEqual(benchmarks[3]["real_time"], 1203.0)

    def test_refuses_what_cannot_be_compared(self):
        with tempfile.TemporaryDirectory() as folder:
            a = self.write(folder, "a.jsonl", [1.0])
            ended = self.compare(folder, a, folder, "--task", "t")
            self.assertEqual(ended.returncode, 2)
            self.assertIn("a record and a build cannot be compared", ended.stderr)

    def test_ends_with_3_for_a_damaged_record_which_is_no_regression(self):
        with tempfile.TemporaryDirectory() as folder:
            whole = self.write(folder, "a.jsonl", [1.0 + 0.001 * i for i in range(12)])
            good, torn = whole.read_bytes(), pathlib.Path(folder) / "torn.jsonl"
            for spoilt, why in ((b'{"kind": "run"}\n', "no bench record"), (b"", "no bench record"),
                                (good[:-9], ":13:"), (good.replace(b'"workers": 2', b'"workers": "2"', 1), ":2: workers:"),
                                (b'{"kind":' + b"[" * 100_000, "nested too deeply"), (bytes(range(256)), ":1:"),
                                (good.replace(b'"t"', b'"\\ud800"', 1), "surrogate"),
                                (good.replace(b"2.0,", b"1e999,", 1), "is no number"),
                                (good.replace(b"2.0,", b"9" * 5000 + b",", 1), ":2:")):
                torn.write_bytes(spoilt)
                ended = self.compare(folder, whole, torn)
                self.assertEqual(ended.returncode, 3, (spoilt[:40], ended.stderr[-300:]))
                self.assertIn(f"{torn}:", ended.stderr)
                self.assertIn(why, ended.stderr)

    def test_shows_no_control_character_and_lives_with_figures_of_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "odd.jsonl"
            lines = record(*(run("\x1b]0;owned\x07 \0 \u2028 \x85", i, 0.0 if i == 3 else 1.0) for i in range(12)))
            path.write_text("".join(json.dumps(filled("bench", x), ensure_ascii=False) + "\n" for x in lines),
                            encoding="utf-8")
            ended = self.compare(folder, path, path)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn("owned", ended.stdout)
            self.assertEqual([c for c in ended.stdout if not c.isprintable() and c != "\n"], [])
        nothing = [*(run("t", i, 0.0) for i in range(12)), *(run("t", i, 0.0, "serial") for i in range(12))]
        told(record(*nothing), record(*nothing))
        told(record(*nothing), record(*nothing, began="later"), anchors=["serial"])


class Builds(unittest.TestCase):
    def test_run_in_turns_and_each_has_its_record(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(sys.modules, {"suite.turns": mock.Mock()}):
            sys.modules["suite.turns"].wait.return_value = 0.95
            import suite
            with mock.patch.object(suite, "turns", sys.modules["suite.turns"], create=True):
                from suite import two_builds
                order = []

                def trained(task, place, workers, settings, seed):
                    order.append((place.hogwild, seed))
                    return terms.Outcome([terms.Point(1.0, 1, 0.1)])
                contestant = types.SimpleNamespace(name="serial", run=trained, settings=lambda task: {"step": 1})
                task = types.SimpleNamespace(name="t", data=lambda place: {})
                parts = types.SimpleNamespace(
                    context=lambda place, given, peers: {"began": place.hogwild, "commit": place.hogwild},
                    entries=lambda task, contestants, place, workers, kept: [(contestants[0], 1)],
                    run_line=lambda task, who, settings, turn, idle, outcome, references: {
                        **who, "turn": turn, "idle": idle, "settings": settings, "references": len(references)})
                places = [terms.Place(name, None, None, "") for name in ("one", "two")]
                given = types.SimpleNamespace(out=folder, workers=[1], seeds=3, wait=0)
                paths = two_builds.measure(parts, places, [task], [contestant], given)
                self.assertEqual("".join(name[0] for name, _ in order[2:]), "ot" "to" "ot")
                self.assertEqual([seed for _, seed in order[2:]], [1, 1, 2, 2, 3, 3])
                a, b = ([json.loads(x) for x in pathlib.Path(p).read_text().splitlines()] for p in paths)
                self.assertEqual((a[0]["commit"], b[0]["commit"]), ("one", "two"))
                self.assertEqual(a[0]["began"], b[0]["began"])
                self.assertEqual([(x["turn"], x["references"]) for x in b[1:]], [(0, 3), (1, 3), (2, 3)])

    def test_of_a_commit_are_made_with_the_options_given_and_leave_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "bin").mkdir()
            cmake = root / "bin" / "cmake"
            cmake.write_text('#!/bin/sh\necho "$@" >> "$CALLS"\n[ "$1" = --build ] || exit 0\n'
                             'mkdir -p "$2/bin"; : > "$2/bin/hogwild"; chmod +x "$2/bin/hogwild"\n')
            cmake.chmod(0o755)
            git = ["git", "-C", str(root), "-c", "user.name=t", "-c", "user.email=t@example.org"]
            subprocess.run([*git, "init", "-q"], check=True)
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "first"], check=True)
            environment = {"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "CALLS": str(root / "calls")}
            with mock.patch.dict(os.environ, environment):
                with sides.program("HEAD", root, ["-DX=1"], root) as program:
                    self.assertTrue(program.is_file())
                self.assertFalse(program.exists())
            self.assertIn("-DX=1", (root / "calls").read_text())
            listed = subprocess.run([*git, "worktree", "list"], capture_output=True, text=True).stdout
            self.assertEqual(len(listed.splitlines()), 1)
            with self.assertRaisesRegex(terms.Unavailable, "nosuch: no record, program"):
                with sides.program("nosuch", root, [], root):
                    pass


if __name__ == "__main__":
    unittest.main()
