#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Reports of made-up records, opened in a browser where there is one. Usage: report_test.py [HOGWILD]"""
import base64
import copy
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.dom.minidom

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from filled_record import filled  # noqa: E402
from suite import draw, panels, tables, text  # noqa: E402

try:
    import matplotlib  # noqa: F401
    LACKING = ""
except ImportError:
    LACKING = "matplotlib is not installed"
BROWSER = shutil.which("chromium") or shutil.which("chromium-headless-shell")
MACHINE = {"cpu_model": "a <model> & more", "usable_cpus": 2, "kernel": "6.1"}
CONTEXT = {"kind": "context", "schema": 1, "version": "1", "commit": "abc", "compiler": "GNU", "suite": "tiny",
           "seeds": 1, "machine": MACHINE, "peers": {}, "began": "today", "build_type": "Release", "ceiling": None}
TARGET = {"metric": "objective", "value": 0.5, "less_is_better": True, "found": "made up"}


def interval(value):
    return {"median": value, "low": value * 0.9, "high": value * 1.2, "runs": 6}


def who(contestant, workers):
    return {"task": "toy", "contestant": contestant, "workers": workers, "place": "here"}


def run(contestant, workers, seconds, state="measured"):
    return {"kind": "run", **who(contestant, workers), "state": state, "reason": "" if state == "measured" else "bad",
            "target": TARGET, "points": [[seconds / 2, 1, 0.9], [seconds, 2, 0.4]],
            "seconds_to_target": seconds if state == "measured" else None, "epochs_to_target": 1.8, "staleness": 3.0,
            "conflict_rate": 0.1, "bytes_exchanged": 1000}


def summary(contestant, workers, seconds, failed=0):
    return {"kind": "summary", **who(contestant, workers), "runs": 1, "arrived": 1 - failed, "failed": failed,
            "seconds_to_target": None if failed else interval(seconds), "epochs_to_target": interval(2),
            "epoch_seconds": interval(1), "total_seconds": interval(1), "cpu_seconds": interval(1),
            "peak_bytes": interval(1e6), "flags": ["bad"] * failed}


def tried(step, epochs):
    return {"kind": "tried", **who("serial", 1), "settings": {"step": step}, "seeds": 3, "seconds": step,
            "seconds_to_target": epochs, "epochs_to_target": epochs, "last_value": 0.45, "best": False, "on_edge": False}


def bench_record():
    return [CONTEXT, {"kind": "skipped", "task": "toy", "contestant": "other", "reason": "not installed"},
            *(tried(step, 1 / step) for step in (0.5, 1.0, 2.0)), run("serial", 1, 2.0), run("threads", 1, 2.0),
            run("threads", 2, 1.0), run("ring", 2, 0.1, "failed"), summary("serial", 1, 2.0), summary("threads", 1, 2.0),
            summary("threads", 2, 1.0), summary("ring", 2, 0.1, 1)]


RUN_RECORD = [{"kind": "context", "schema": 2, "version": "1", "commit": "abc", "compiler": "GNU", "machine": MACHINE,
               "options": {"model": "logistic", "engine": "threads", "workers": 2, "sharing": "buffered"},
               "dataset": {"n": 10}},
              *({"kind": "epoch", "epoch": e, "train_seconds": 0.1 * e, "objective": 1 / e,
                 "staleness": {"p50": 1.0, "p99": 4.0}, "conflict_rate": 0.2, "test_accuracy": 0.9} for e in (1, 2)),
              {"kind": "result", "status": "done", "train_seconds": 0.2}]
BENCH_PLOTS = {"objective over seconds of training", "objective over epochs", "time to target, 95 % interval",
               "sooner at the target than serial", "staleness, median", "conflicts", "exchanged in a run",
               "quality against time, all settings tried", "epochs to target by step (best of the other settings)"}
RUN_PLOTS = {"loss over seconds of training", "loss over epochs", "score over seconds of training",
             "score over epochs", "staleness", "conflicts"}


class Panels(unittest.TestCase):
    def test_are_all_that_a_record_has(self):
        self.assertEqual({p.title for p in panels.sections(bench_record())[0].panels}, BENCH_PLOTS)
        self.assertEqual({p.title for p in panels.sections(RUN_RECORD)[0].panels}, RUN_PLOTS)

    def test_tell_no_time_of_a_failed_run_and_why_it_failed(self):
        section = panels.sections(bench_record())[0]
        drawn = {name for p in section.panels for name in (*p.lines, *(bar[0] for bar in p.bars))}
        self.assertIn("threads, 2", drawn)
        self.assertNotIn("ring, 2", drawn)
        self.assertIn("ring, 2: bad", section.notes)

    def test_tell_what_was_left_out_once_by_its_reason(self):
        lines = [CONTEXT, run("serial", 1, 2.0), {**run("serial", 1, 2.0), "task": "second"},
                 *({"kind": "skipped", "task": t, "contestant": c, "reason": "not installed"} for t in ("toy", "second")
                   for c in ("xlearn", "vw")),
                 {"kind": "skipped", "task": "toy", "contestant": "ring", "reason": "needs 4 workers, not 2"},
                 {"kind": "skipped", "task": "gone", "contestant": None, "reason": "no data"}]
        self.assertEqual(tables.left_out(lines).splitlines(),
                         ["Left out:", "  xlearn, vw on toy, second: not installed", "  ring on toy: needs 4 workers, not 2",
                          "  all on gone: no data"])
        self.assertEqual(panels.sections(lines)[-1].title, "left out")
        self.assertNotIn("not installed", str([s.notes for s in panels.sections(lines)[:-1]]))

    def test_of_the_same_rows_lie_over_each_other_named_by_what_differs(self):
        other = copy.deepcopy(RUN_RECORD)
        other[0]["options"].update(update="exact", sharing="direct")
        elsewhere = copy.deepcopy(RUN_RECORD)
        elsewhere[0]["dataset"]["n"] = 11
        overlaid, = panels.together([RUN_RECORD, other, elsewhere])
        self.assertEqual({p.title for p in overlaid.panels}, {
            f"{what} over {over}" for what in ("objective", "test_accuracy") for over in ("epochs", "seconds of training")})
        self.assertEqual({tuple(p.lines) for p in overlaid.panels}, {("buffered", "direct")})
        self.assertEqual(panels.together([RUN_RECORD, elsewhere]), [])

    def test_have_units_and_a_line_where_nothing_is_gained(self):
        self.assertEqual([text.in_bytes(x) for x in (0, 999, 1000, 12_345_678)],
                         ["0 bytes", "999 bytes", "1 kB", "12.3 MB"])
        sooner, = (p for p in panels.sections(bench_record())[0].panels if p.title.startswith("sooner"))
        self.assertEqual(sooner.target, 1.0)


@unittest.skipIf(LACKING, LACKING)
class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, *records, code=0, fill=True):
        paths = []
        for k, text in enumerate(records):
            paths.append(self.folder / f"record_{k}.jsonl")
            if not isinstance(text, str):
                name = "bench" if "suite" in text[0] else "run_record"
                text = "".join(json.dumps(filled(name, line) if fill else line) + "\n" for line in text)
            paths[-1].write_text(text, encoding="utf-8")
        command = [sys.argv[1], "report"] if len(sys.argv) > 1 else [ROOT / "bench" / "report"]
        done = subprocess.run([*command, *paths, "--out", self.folder / "out"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def test_has_every_plot_and_needs_no_network(self):
        self.report(bench_record(), RUN_RECORD)
        page = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
        self.assertEqual(len(pictures), len(BENCH_PLOTS) + len(RUN_PLOTS))
        self.assertIsNone(re.search(r'(src|href)="(?!data:)', page))
        self.assertNotIn("<model>", page)
        self.assertIn(b"objective", base64.b64decode(pictures[0]))
        self.assertEqual(len(list((self.folder / "out").glob("*.svg"))), len(pictures))
        pdf = (self.folder / "out" / "report.pdf").read_bytes()
        self.assertEqual(len(re.findall(rb"/Type /Page\b", pdf)), len(pictures))

    def test_figures_of_papers_have_three_panels_abreast_with_axes_and_no_lone_dot(self):
        figure = draw.figure_of([draw.panel_of(f"t{k}: speed-up over threads", {"a": [(1, 1.0), (2, 1.5)]})
                                 for k in range(7)])
        self.assertEqual((len(figure.axes), len({round(a.get_position().x0, 3) for a in figure.axes})), (7, 3))
        axis = figure.axes[0]
        self.assertEqual((axis.get_xlabel(), axis.get_ylabel()), ("threads", "speed-up"))
        self.assertIn([1.0, 1.0], [list(line.get_ydata()) for line in axis.lines])
        self.assertFalse(draw.panel_of("t: objective over epochs", {"a": [(1, 1.0)]}))
        self.assertIn("nothing to draw", draw.draw({"t: objective over epochs": {"a": [(1, 1.0)]}}, "", self.folder))

    @unittest.skipUnless(BROWSER, "there is no Chromium")
    def test_is_drawn_by_a_browser_without_a_word_of_error(self):
        self.report(bench_record(), RUN_RECORD)
        page = self.folder / "out" / "report.html"
        probe = ("<script>addEventListener('load',()=>{const d=[...document.images];document.title='drawn '+"
                 "d.filter(i=>i.complete&&i.naturalWidth>99).length+' of '+d.length;});</script>")
        page.write_text(page.read_text(encoding="utf-8").replace("</body>", probe + "</body>"), encoding="utf-8")
        done = subprocess.run([BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0",
                               "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.folder / 'profile'}",
                               "--dump-dom", page.as_uri()], capture_output=True, text=True, check=False, timeout=1400)
        count = len(BENCH_PLOTS) + len(RUN_PLOTS)
        self.assertIn(f"<title>drawn {count} of {count}</title>", done.stdout)
        self.assertNotIn("CONSOLE", done.stderr)

    def test_of_what_is_no_record_is_refused_with_its_place(self):
        self.assertIn("record_0.jsonl:1:", self.report("", code=3))
        self.assertIn("record_0.jsonl:2:", self.report(json.dumps(filled("bench", CONTEXT)) + "\n{broken\n", code=3))
        spoilt = [filled("bench", line) for line in bench_record()]
        del spoilt[5]["target"]
        self.assertRegex(self.report(spoilt, code=3, fill=False), "record_0.jsonl:6: .*target")
        spoilt = bench_record()
        spoilt[5] = {**spoilt[5], "points": "text"}
        self.assertIn("record_0.jsonl:6: ", self.report(spoilt, code=3))
        self.assertIn("nested too deeply", self.report("[" * 100_000, code=3))
        self.assertIn("required", self.report(code=2))

    def test_of_names_with_odd_characters_is_sound(self):
        odd = bench_record()
        for line in odd[1:]:
            line["task"] = "\x1b[2J\0 \u2028 \x85 $x_{ <script>" + "long" * 200
        self.report(odd)
        page = (self.folder / "out" / "report.html").read_text(encoding="utf-8")
        self.assertEqual([c for c in page if not c.isprintable() and c not in "\n"], [])
        self.assertNotIn("<script>", page)
        for picture in (self.folder / "out").glob("*.svg"):
            xml.dom.minidom.parse(str(picture))

    def test_of_long_and_of_foreign_names_leaves_no_warning(self):
        for name in ("x" * 3000, "W" * 3000, "\u6570\u636e"):
            odd = bench_record()
            for line in odd[1:]:
                line["task"] = name
                line["contestant"] = name if line["contestant"] == "other" else f"{line['contestant']} {name} its end"
                if "target" in line:
                    line["target"] = {**TARGET, "metric": name}
            self.assertEqual(self.report(odd), "")
        page = "".join(p.read_text(encoding="utf-8") for p in (self.folder / "out").glob("*time-to-target*.svg"))
        self.assertIn("its end, 2", page)

    @unittest.skipUnless(len(sys.argv) > 1, "the program alone chooses a Python")
    def test_by_the_python_of_an_environment_that_was_entered(self):
        python = self.folder / "bin" / "python3"
        python.parent.mkdir()
        python.write_text("#!/bin/sh\necho the environment\n", encoding="ascii")
        python.chmod(0o755)
        places = {**os.environ, "PATH": f"{python.parent}:{os.environ['PATH']}"}
        places.pop("VIRTUAL_ENV", None)
        for entered, said in (({}, ""), ({"VIRTUAL_ENV": str(self.folder)}, "the environment\n")):
            done = subprocess.run([sys.argv[1], "report"], capture_output=True, text=True, check=False,
                                  env={**places, **entered})
            self.assertEqual(done.stdout, said, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
