#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Drawings of search records, made up and real. Usage: search_panels_test.py [HOGWILD]"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
sys.path.insert(0, str(ROOT / "tests" / "support"))
from filled_record import filled  # noqa: E402
from suite import draw, panels  # noqa: E402

try:
    import matplotlib  # noqa: F401
    LACKING = ""
except ImportError:
    LACKING = "matplotlib is not installed"
HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
MACHINE = {"cpu_model": "a model", "usable_cpus": 2, "kernel": "6.1"}


def trial(number, state, *measured, bracket=0, **options):
    """`measured`: pairs of epochs and metric."""
    epochs, metric = measured[-1] if measured else (0, None)
    return {"trial": number, "options": options, "bracket": bracket, "epochs": epochs, "state": state, "metric": metric,
            "measured": [list(pair) for pair in measured]}


def search(space, trials, best=0, **more):
    found = {"kind": "search", "schema": 1, "version": "1", "commit": "abc", "compiler": "GNU", "machine": MACHINE,
             "data": "toy.svm", "rows": 10, "folds": 0, "validation_rows": 2, "strategy": "grid", "space": space,
             "epochs": 9, "metric": "loss", "finished": True, "seconds": 0.5, "trials": trials, **more}
    return found if best is None else {**found, "best": {**trials[best], "command": "hogwild train toy.svm"}}


def hyperband():
    return search(
        ["l2=log:1e-8:1e-2", "step=0.1:2", "model=logistic,hinge_svm"],
        [trial(0, "stopped", (1, 0.7), l2="1e-7", step="0.5", model="hinge_svm"),
         trial(1, "done", (1, 0.6), (3, 0.5), (9, 0.4), l2="1e-4", step="1", model="logistic"),
         trial(2, "stopped", (1, 0.65), (3, 0.62), l2="2e-3", step="1.5", model="logistic"),
         trial(3, "diverged", (3, 0.6), (9, None), l2="5e-6", step="1.9", model="hinge_svm", bracket=1)],
        best=1, strategy="hyperband")


def grid(option, *trials, **more):
    """Trials of one option, given as (text, metric)."""
    return search([option], [trial(k, "diverged" if metric is None else "done", (9, metric), **{option.split("=")[0]: text})
                             for k, (text, metric) in enumerate(trials)], **more)


def section(found):
    return panels.sections([found])[0]


def by_title(found):
    return {p.title: p for p in section(found).panels}


class Panels(unittest.TestCase):
    def test_are_one_for_each_option_and_one_for_epochs(self):
        found = by_title(hyperband())
        self.assertEqual(list(found), ["loss by l2", "loss by step", "loss by model", "loss over epochs"])
        by_l2 = found["loss by l2"]
        self.assertEqual(by_l2.lines, {"9 epochs": [(1e-4, 0.4)], "3 epochs": [(2e-3, 0.62)], "1 epoch": [(1e-7, 0.7)]})
        self.assertEqual(list(by_l2.lines), ["9 epochs", "3 epochs", "1 epoch"])
        self.assertEqual(by_l2.marks, {"best: trial 1": [(1e-4, 0.4)], "dropped": [], "diverged": [(5e-6, None)]})
        self.assertTrue(by_l2.scattered)
        by_model = found["loss by model"]
        self.assertEqual(by_model.ticks, {0: "logistic", 1: "hinge_svm"})
        self.assertEqual(by_model.marks["best: trial 1"], [(0, 0.4)])

    def test_over_epochs_have_a_curve_for_each_trial_and_what_was_dropped_when(self):
        found = by_title(hyperband())["loss over epochs"]
        gap = draw.GAP
        self.assertEqual(found.lines["bracket 0"], [(1, 0.7), gap, (1, 0.6), (3, 0.5), (9, 0.4), gap, (1, 0.65), (3, 0.62), gap])
        self.assertEqual(found.lines["bracket 1"], [(3, 0.6), gap])
        self.assertEqual(found.marks, {"best: trial 1": [(9, 0.4)], "dropped": [(1, 0.7), (3, 0.62)],
                                       "diverged": [(9, None)]})
        self.assertEqual(found.ticks, {1: "1", 3: "3", 9: "9"})
        self.assertFalse(found.scattered)

    def test_over_epochs_of_the_space_are_points(self):
        found = by_title(search(["epochs=3,5"], [trial(0, "done", (3, 0.5), epochs="3"), trial(1, "done", (5, 0.4), epochs="5")]))
        self.assertTrue(found["loss over epochs"].scattered)
        self.assertEqual(found["loss by epochs"].lines, {"done": [(3.0, 0.5), (5.0, 0.4)]})

    def test_of_an_option_with_one_value_are_a_sentence(self):
        found = section(search(["l2=1e-5", "step=1,2"], [trial(0, "done", (9, 0.5), l2="1e-5", step="1"),
                                                         trial(1, "done", (9, 0.4), l2="1e-5", step="2")]))
        self.assertEqual([p.title for p in found.panels], ["loss by step"])
        self.assertEqual(found.notes, ["l2 is 1e-5 in all trials: there is no plot of it",
                                       "all trials were measured after 9 epochs only: there is no plot by epochs"])
        self.assertEqual(section(grid("step=1", ("1", 0.5))).panels, [], "one trial")

    def test_of_no_metric_are_a_sentence(self):
        for found in (grid("step=1,2", ("1", None), ("2", None), best=None),
                      grid("step=1,2", ("1", math.inf), ("2", math.nan), best=0),
                      search(["step=1,2"], [trial(k, "waiting", step=str(k)) for k in (1, 2)], best=None)):
            self.assertEqual(section(found).panels, [])
            self.assertIn("no trial has a loss that is finite", section(found).notes[0])

    def test_of_an_unfinished_search_leave_out_who_was_not_trained(self):
        found = section(search(["step=1,2,3"], [trial(0, "waiting", (1, 0.5), step="1"), trial(1, "waiting", (1, 0.6), step="2"),
                                                trial(2, "waiting", step="3")], strategy="halving", finished=False))
        self.assertEqual(found.panels[0].lines, {"1 epoch": [(1.0, 0.5), (2.0, 0.6)]})
        self.assertEqual(found.panels[0].marks["diverged"], [])
        self.assertIn("the search was stopped before its end: 3 trials wait for epochs", found.notes)

    def test_have_no_metric_that_overflows_an_axis(self):
        found = section(grid("step=1,2,3", ("1", 0.5), ("2", 1e200), ("3", math.inf)))
        self.assertEqual(found.panels[0].lines, {"done": [(1.0, 0.5)]})
        self.assertEqual(found.panels[0].marks["diverged"], [(2.0, None), (3.0, None)])
        self.assertIn("drawn as diverged: 2 trials", found.notes[-1])


@unittest.skipIf(LACKING, LACKING)
class Axes(unittest.TestCase):
    def axis(self, panel):
        figure = draw.figure_of([panel])
        self.addCleanup(draw.plotting().close, figure)
        xml.etree.ElementTree.fromstring(draw.written(figure, "svg"))
        return figure.axes[0]

    def test_are_logarithmic_where_the_space_is(self):
        for option, scale in (("step=log:1:3", "log"), ("step=1:100", "linear"), ("step=1,100", "log"), ("step=1,3", "linear")):
            low, high = "1", "100" if "100" in option else "3"
            with self.subTest(option):
                axis = self.axis(section(grid(option, (low, 0.5), (high, 0.4))).panels[0])
                self.assertEqual(axis.get_xscale(), scale)
        self.assertEqual(self.axis(section(grid("l2=log:1:9", ("0", 0.5), ("9", 0.4))).panels[0]).get_xscale(), "linear",
                         "zero has no logarithm")

    def test_of_names_have_the_names_as_they_stand(self):
        names = ["a$b$c", "_z", "<x>&\x01", "long" * 30, "auto", "3"]
        found = grid("name=" + ",".join(names), *((name, 0.1 * k) for k, name in enumerate(names)))
        axis = self.axis(section(found).panels[0])
        texts = [label.get_text() for label in axis.get_xticklabels()]
        self.assertEqual(texts, [r"a\$b\$c", "_z", "<x>&?", "longlonglon...glonglong", "auto", "3"])
        self.assertEqual(list(axis.get_xticks()), list(range(6)))

    def test_mark_the_best_where_it_is_and_what_diverged_at_the_foot(self):
        axis = self.axis(by_title(hyperband())["loss by l2"])
        lines = {line.get_label(): line for line in axis.lines}
        self.assertEqual(lines["best: trial 1"].get_xydata().tolist(), [[1e-4, 0.4]])
        self.assertEqual(lines["diverged"].get_xdata().tolist(), [5e-6])
        self.assertGreater(axis.get_ylim()[0], 0.3, "the foot is no value of the axis")
        low, high = axis.get_xlim()
        self.assertTrue(low < 1e-7 and high > 2e-3)
        self.assertIn("best: trial 1", [text.get_text() for text in axis.get_legend().get_texts()])

    def test_have_ticks_at_the_rungs(self):
        axis = self.axis(by_title(hyperband())["loss over epochs"])
        self.assertEqual((axis.get_xscale(), [label.get_text() for label in axis.get_xticklabels()]), ("log", ["1", "3", "9"]))
        self.assertEqual(len(axis.xaxis.get_minorticklocs()), 0)

    def test_bear_values_at_the_ends_of_what_numbers_are(self):
        for trials in ((("-1e100", -1e100), ("1e100", 1e100)), (("-1e308", 5e-324), ("1e308", 1.0)),
                       (("1e-308", 1e-308), ("0.5", 5e-324))):
            self.axis(section(grid("step=-1e308:1e308", *trials)).panels[0])


@unittest.skipIf(LACKING, LACKING)
class Reports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def report(self, path, code=0):
        command = [HOGWILD, "report"] if HOGWILD else [ROOT / "bench" / "report"]
        done = subprocess.run([*command, path, "--out", self.folder / "out"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr

    def written(self, *lines):
        path = self.folder / "record.json"
        path.write_text("".join(json.dumps(filled("search", line)) + "\n" for line in lines), encoding="utf-8")
        return path

    @unittest.skipUnless(HOGWILD, "there is no program")
    def test_are_made_of_what_a_search_records(self):
        data, record = self.folder / "train.svm", self.folder / "search.json"
        subprocess.run([HOGWILD, "generate", data, "--rows", "300", "--columns", "500"], check=True, capture_output=True)
        subprocess.run([HOGWILD, "search", data, "--quiet", "--strategy", "hyperband", "--epochs", "9", "--space",
                        "l2=log:1e-8:1e-2", "--space", "model=logistic,hinge_svm", "--metric", "auc", "--record", record],
                       check=True, capture_output=True)
        found = json.loads(record.read_text(encoding="utf-8"))
        for t in found["trials"]:
            self.assertEqual(t["measured"][-1], [t["epochs"], t["metric"]])
            begun = (1, 3, 9)[t["bracket"]]
            self.assertEqual([epochs for epochs, _ in t["measured"]], [e for e in (1, 3, 9) if begun <= e <= t["epochs"]])
        self.report(record)
        self.assertEqual({path.name for path in (self.folder / "out").glob("*.svg")},
                         {f"search-by-hyperband-auc-{which}.svg" for which in ("by-l2", "by-model", "over-epochs")})
        picture = (self.folder / "out" / "search-by-hyperband-auc-over-epochs.svg").read_text(encoding="utf-8")
        for text in ("dropped", "bracket 2", f"best: trial {found['best']['trial']}"):
            self.assertIn(f">{text}<", picture)
        self.assertIn(found["best"]["command"], (self.folder / "out" / "report.html").read_text("utf-8"))

    def test_without_a_plot_have_the_sentence(self):
        self.report(self.written(grid("step=1", ("1", None), best=None)))
        self.assertEqual(list((self.folder / "out").glob("*.svg")), [])
        self.assertIn("<li>no trial has a loss", (self.folder / "out" / "report.html").read_text(encoding="utf-8"))

    def test_of_damaged_searches_are_refused_with_their_place(self):
        def spoilt(change):
            found = filled("search", hyperband())
            change(found)
            path = self.folder / "record.json"
            path.write_text(json.dumps(found) + "\n", encoding="utf-8")
            return self.report(path, code=3)

        for change in (lambda f: f.pop("trials"), lambda f: f["trials"][0]["options"].pop("l2"), lambda f: f.update(machine=3),
                       lambda f: f["trials"][0].update(metric="low"),
                       lambda f: f["trials"][0].update(measured=[["1", 0.5]]), lambda f: f["trials"][0].update(measured=[[1]]),
                       lambda f: f.update(space=["l2"]), lambda f: f["best"].pop("command")):
            self.assertIn("record.json:1: ", spoilt(change))
        self.assertIn("record.json:2: the record of a search is one line", self.report(self.written(hyperband(), hyperband()), 3))


if __name__ == "__main__":
    unittest.main()
