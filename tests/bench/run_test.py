#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""`hogwild bench` from end to end on tiny data. Usage: run_test.py HOGWILD"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
HOGWILD = sys.argv.pop(1)
# The suite, told that nobody else uses the CPUs; it judges times only then.
QUIET = f"""import runpy, sys
sys.path.insert(0, {str(ROOT / 'bench')!r})
from suite import turns
turns.wait = lambda seconds: 1.0
runpy.run_path({str(ROOT / 'bench' / 'run')!r}, run_name='__main__')"""


def bench(*arguments):
    return subprocess.run([HOGWILD, "bench", *arguments], capture_output=True, text=True, check=False, timeout=300)


def unignore():
    """Resets the signals that a caller such as nohup may have ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


FREE = ("settings", "machine", "peers", "ceiling")  # objects with arbitrary names


def spoiled(line):
    """The line without each of its fields in turn, with an extra one, and with an invalid value; nested ones too."""
    for name, value in line.items():
        yield {k: v for k, v in line.items() if k != name}
        yield {**line, name: [None]}
        if isinstance(value, dict) and name not in FREE:
            yield from ({**line, name: inside} for inside in spoiled(value))
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
        self.fits_the_schema(lines)

    def fits_the_schema(self, lines):
        try:
            import jsonschema
        except ImportError:
            self.skipTest("the module jsonschema is missing")
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
        self.assertEqual({t["seeds"] for t in tried}, {3})
        self.assertIn(len(tried), range(3, 7))  # and as many again while the best one lies on an edge
        self.assertIn(f"; {len(tried)} settings were tried", done.stdout)
        best = [t["settings"] for t in tried if t["best"]]
        self.assertEqual(best, [x["settings"] for x in lines if x["kind"] == "run"])
        self.fits_the_schema(lines)

    def cheat(self, change, task="tiny_ratings", after="", quiet=False):
        """The runs of a planted engine: a program like hogwild, except that `change` acts where threads train."""
        with tempfile.TemporaryDirectory() as folder:
            program, out = pathlib.Path(folder) / "hogwild", pathlib.Path(folder) / "out"
            program.write_text(f"#!{sys.executable}\nimport json, subprocess, sys\nwords = sys.argv[1:]\n"
                               f"planted = 'threads' in words\n{change}\n"
                               f"code = subprocess.run([{HOGWILD!r}, *words]).returncode\n{after}\nsys.exit(code)\n",
                               encoding="utf-8")
            program.chmod(0o755)
            call = ["--hogwild", program, "--task", task, "--contestant", "threads", "--seeds", "1", "--workers", "1",
                    "--wait", "0", "--out", out]
            done = subprocess.run([sys.executable, "-c", QUIET, *call], capture_output=True, text=True, check=False,
                                  timeout=300) if quiet else bench(*call)
            lines = [json.loads(x) for x in (out / "bench.jsonl").read_text(encoding="utf-8").splitlines()]
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        runs = {x["contestant"]: x for x in lines if x["kind"] == "run"}
        self.assertEqual(runs["serial"]["state"], "measured")
        self.assertFalse([x for x in lines if x["kind"] == "ratio"])
        return runs["threads"]

    def test_an_engine_that_skips_a_tenth_of_the_rows_is_refused(self):
        run = self.cheat("""if planted:
    rows = open(words[1]).read().splitlines(keepends=True)
    words[1] += '.fewer'
    open(words[1], 'w').writelines(rows[:len(rows) * 9 // 10])""")
        self.assertEqual(run["state"], "failed")
        self.assertRegex(run["reason"], "it trained (89|90).*% of the rows")

    def test_an_engine_that_stops_early_is_refused(self):
        run = self.cheat("if planted: words[words.index('--epochs') + 1] = '3'")
        self.assertEqual(run["state"], "failed")
        self.assertIn("it stopped after 3 of 25 epochs", run["reason"])

    def test_an_engine_that_reports_half_of_its_time_is_refused(self):
        # Both train longer vectors than the task says, so that half of the time is more than startup may take.
        run = self.cheat("if 'skip_gram' in words: words[words.index('--dimension') + 1] = '1536'", "tiny_words", """
if planted:
    path = words[words.index('--record') + 1]
    lines = [json.loads(x) for x in open(path)]
    for line in lines:
        if 'train_seconds' in line: line['train_seconds'] /= 2
    open(path, 'w').writelines(json.dumps(x) + '\\n' for x in lines)""", quiet=True)
        self.assertEqual(run["state"], "failed")
        self.assertIn("it says that it trained for", run["reason"])

    def test_each_way_of_sharing_is_a_contestant(self):
        with tempfile.TemporaryDirectory() as out:
            done = bench("--suite", "tiny", "--task", "tiny_text", "--contestant", "threads", "--sharing",
                         "direct,buffered", "--workers", "2", "--out", out)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            text = (pathlib.Path(out) / "bench.jsonl").read_text(encoding="utf-8")
        runs = [x for x in map(json.loads, text.splitlines()) if x["kind"] == "run"]
        self.assertEqual({r["contestant"] for r in runs}, {"serial", "threads_direct", "threads_buffered"})

    def begun(self, out, temporary):
        """Starts a call and waits until it has made a run."""
        path = out / "bench.jsonl"
        child = subprocess.Popen([HOGWILD, "bench", "--suite", "tiny", "--workers", "1,2", "--out", out],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "TMPDIR": str(temporary), "MARKED": str(out)},
                                 preexec_fn=unignore)
        while child.poll() is None and not (path.exists() and '"kind": "run"' in path.read_text(encoding="utf-8")):
            time.sleep(0.05)
        self.assertIsNone(child.poll())
        return child

    @staticmethod
    def of_call(out):
        """The processes that a call of begun() has started, including itself."""
        found = []
        for place in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if f"MARKED={out}".encode() in (place / "environ").read_bytes().split(b"\0"):
                    found.append((place / "cmdline").read_bytes())
        return found

    def require_nothing_left(self, out):
        end = time.monotonic() + 60
        while self.of_call(out) and time.monotonic() < end:  # a killed process takes a moment to go
            time.sleep(0.01)
        self.assertEqual(self.of_call(out), [])

    def test_whatever_asks_it_to_stop_keeps_the_runs_that_had_ended_and_leaves_nothing(self):
        for asks in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(asks), tempfile.TemporaryDirectory() as folder:
                out, temporary = pathlib.Path(folder) / "out", pathlib.Path(folder) / "tmp"
                temporary.mkdir()
                child = self.begun(out, temporary)
                for _ in range(2):  # as timeout(1) does
                    child.send_signal(asks)
                _, said = child.communicate(timeout=1400)
                self.assertEqual(child.returncode, 130, said)
                self.assertIn("stopped", said)
                kinds = [json.loads(x)["kind"] for x in (out / "bench.jsonl").read_text(encoding="utf-8").splitlines()]
                self.assertIn("run", kinds)
                self.require_nothing_left(out)
                self.assertEqual(list(temporary.iterdir()), [])

    def test_where_it_is_killed_its_programs_go_along_and_its_folder_with_the_next_call(self):
        with tempfile.TemporaryDirectory() as folder:
            out, other_out, temporary = (pathlib.Path(folder) / name for name in ("killed", "living", "tmp"))
            temporary.mkdir()
            child = self.begun(out, temporary)
            child.kill()
            child.communicate(timeout=1400)
            self.require_nothing_left(out)
            left = set(temporary.iterdir())
            self.assertEqual(len(left), 1)
            living = self.begun(other_out, temporary)
            living.send_signal(signal.SIGSTOP)  # so that it does not end meanwhile
            mine = set(temporary.iterdir())
            self.assertEqual(len(mine), 1)
            self.assertNotEqual(mine, left)
            done = subprocess.run([HOGWILD, "bench", "--list"], capture_output=True, text=True, check=False, timeout=300,
                                  env={**os.environ, "TMPDIR": str(temporary)})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(set(temporary.iterdir()), mine, "that of a call that lives stays")
            living.terminate()
            living.send_signal(signal.SIGCONT)
            living.communicate(timeout=1400)
            self.assertEqual(living.returncode, 130)

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
        self.assertEqual(bench("--sharing", "none").returncode, 2)
        self.assertEqual(bench("--seeds", "0").returncode, 2)

    def test_a_place_for_temporary_files_that_is_missing_is_told(self):
        for name, program in (("bench", [HOGWILD, "bench", "--suite", "tiny"]),
                              ("compare", [ROOT / "bench" / "compare", "old.jsonl", "new.jsonl"])):
            done = subprocess.run(program, capture_output=True, text=True, check=False, timeout=300,
                                  env={**os.environ, "TMPDIR": "/nowhere"})
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn(f"{name}: /nowhere, which TMPDIR names, is no folder", done.stderr)

    def test_files_of_suites_that_are_none_are_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "suite.json"
            for wrong in ('{"workers": 2}', '{"workers": []}', '{"workers": [null]}', '{"workers": [0]}', '{"seeds": "x"}',
                          '{"seeds": 1.5}', '{"seeds": 0}', '{"tasks": 3}', '{"tasks": "imdb"}', '{"tasks": [["a"]]}',
                          '{"places": "here"}', '{"other": 1}', "[]", "{"):
                path.write_text(wrong, encoding="utf-8")
                done = bench("--suite", path)
                self.assertEqual(done.returncode, 2, wrong)
                self.assertIn("bench: error: --suite", done.stderr, wrong)
                self.assertNotIn("Traceback", done.stderr, wrong)

    def test_what_cannot_be_used_is_told_and_no_record_is_lost(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "bench.jsonl"
            path.write_text("kept", encoding="utf-8")
            for wrong in (["--hogwild", "/bin/false", "--out", folder], ["--out", path / "below"]):
                done = subprocess.run([sys.executable, ROOT / "bench" / "run", "--suite", "tiny", "--hogwild", HOGWILD,
                                       *wrong], capture_output=True, text=True, check=False, timeout=300)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertEqual(path.read_text(encoding="utf-8"), "kept")
            listed = bench("--list", "--python", "/nowhere/python")
            self.assertEqual(listed.returncode, 0, listed.stderr)
            self.assertIn("/nowhere/python cannot be run", listed.stdout)


if __name__ == "__main__":
    unittest.main()
