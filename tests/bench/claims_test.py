#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Verdicts on the claims of papers, and why some stay undecided; the papers' own arithmetic."""
import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from papers import bpr, hogwild_fig5, hogwild_table1  # noqa: E402
from suite.claims import CONTRADICTED, REPRODUCED, UNDECIDED, Claim, verdict  # noqa: E402
from suite.experiment import Runs  # noqa: E402
from suite.figures import Figure, difference, over, ratio, recorded, told  # noqa: E402
from suite.terms import Outcome, Point, Target, Unavailable  # noqa: E402

LOADER = importlib.machinery.SourceFileLoader("reproduce", str(ROOT / "bench" / "reproduce"))
reproduce = importlib.util.module_from_spec(importlib.util.spec_from_loader("reproduce", LOADER))
LOADER.exec_module(reproduce)
MACHINE = {"usable_cpus": 2, "numa_nodes": 1}


def claim(**changes):
    return Claim(**{"text": "twice", "threshold": "at least 2", "of": ("gain",), "holds": lambda f: f["gain"] >= 2,
                    **changes})


class Verdicts(unittest.TestCase):
    def test_follow_the_threshold(self):
        self.assertEqual(verdict(claim(), {"gain": 2.0}, MACHINE)[0], REPRODUCED)
        found, why = verdict(claim(), {"gain": 1.9}, MACHINE)
        self.assertEqual(found, CONTRADICTED)
        self.assertIn("at least 2", why)
        self.assertIn("gain 1.9", why)

    def test_are_left_open_on_too_small_a_machine(self):
        self.assertEqual(verdict(claim(cores=3), {"gain": 2.0}, MACHINE), (UNDECIDED, "needs 3 CPUs, has 2; measured: gain 2"))
        self.assertEqual(verdict(claim(nodes=2), {"gain": 2.0}, MACHINE), (UNDECIDED, "needs 2 memory nodes, has 1; measured: gain 2"))

    def test_are_left_open_without_their_figures(self):
        for figures in ({}, {"gain": None}):
            self.assertEqual(verdict(claim(), figures, MACHINE), (UNDECIDED, "not measured: gain"))

    def test_name_what_is_lacking_first(self):
        skipped = [("Abdomen", "there is no graph"), ("Abd", "of another"), (None, "nothing was run")]
        lacking = claim(cores=3, timed=True, of=("Abdomen, gain",))
        self.assertEqual(verdict(lacking, {}, MACHINE, 0.9, skipped[:2])[1],
                         "not measured: Abdomen, gain (there is no graph); needs 3 CPUs, has 2")
        self.assertEqual(verdict(claim(timed=True), {}, MACHINE, 0.9, skipped)[1],
                         "not measured: gain (nothing was run)")

    def test_follow_a_bound_only_if_all_beyond_it_is_the_same(self):
        for bound, figure, found in (("at most", 1.9, CONTRADICTED), ("at most", 2.1, UNDECIDED),
                                     ("at least", 2.1, REPRODUCED), ("at least", 1.9, UNDECIDED)):
            got, why = verdict(claim(), {"gain": Figure(figure, bound=bound)}, MACHINE)
            self.assertEqual(got, found)
            self.assertIn(f"measured: gain {bound} {figure}", why)

    def test_on_seconds_are_left_open_on_a_busy_machine(self):
        self.assertEqual(verdict(claim(timed=True), {"gain": 3.0}, MACHINE, others=0.2)[0], UNDECIDED)
        self.assertEqual(verdict(claim(timed=True), {"gain": 3.0}, MACHINE, others=0.05)[0], REPRODUCED)
        self.assertEqual(verdict(claim(), {"gain": 3.0}, MACHINE, others=0.2)[0], REPRODUCED)

    def test_are_left_open_for_a_reason_of_the_claim(self):
        def refuses(_):
            raise Unavailable("another order")
        self.assertEqual(verdict(claim(holds=refuses), {"gain": 3.0}, MACHINE), (UNDECIDED, "another order; measured: gain 3"))


class Figures(unittest.TestCase):
    def test_have_the_interval_that_their_seeds_allow(self):
        gain = ratio(over([4.0, 5.0, 6.0]), over([2.0, 1.0, 4.0]))
        self.assertEqual((gain, gain.low, gain.high), (2.5, 1.0, 6.0))
        self.assertEqual(told(gain), "2.5 [1, 6]")
        self.assertEqual(told(gain * 0.5), "1.25 [0.5, 3]")
        self.assertEqual(told(difference(over([4.0, 5.0]), over([1.0, 2.0]))), "3 [2, 4]")
        self.assertEqual([told(x) for x in (None, 3, over([1.5]), "text")], ["not measured", "3", "1.5", "text"])
        self.assertEqual([ratio(None, over([1.0])), ratio(1.0, None), ratio(1.0, 0.0)], [None] * 3)
        self.assertIsNone(difference(None, over([1.0])))

    def test_of_runs_that_did_not_arrive_are_bounds(self):
        def run(*values):
            return Outcome([Point(e, e, v) for e, v in enumerate(values, 1)])
        on_time, late = run(0.9, 0.1, 0.1), run(0.9, 0.9, 0.9)
        runs = Runs({"one": [on_time] * 3, "most": [on_time, on_time, late], "few": [on_time, late, late],
                     "broken": [late]}, Target("objective", 0.1, True, ""), 3)
        self.assertEqual(told(ratio(runs.to_target("one", 1), runs.epochs_at_least("few"))), "at most 0.6667")
        self.assertEqual(told(ratio(runs.epochs_at_least("few"), runs.to_target("one", 1))), "at least 1.5")
        self.assertEqual(told(runs.epochs_at_least("most")), "2 [2, inf]")
        self.assertIsNone(runs.epochs_at_least("broken"))
        self.assertIsNone(ratio(runs.epochs_at_least("few"), runs.epochs_at_least("few")))
        self.assertEqual([recorded(x) for x in (runs.epochs_at_least("few"), 2.0, None)], ["at least 3", 2.0, None])


class Papers(unittest.TestCase):
    def test_time_of_others_is_what_is_neither_idle_nor_ours(self):
        self.assertAlmostEqual(reproduce.by_others((0, 0, 0), (10, 8, 5)), 0.3)
        self.assertEqual(reproduce.by_others((0, 0, 0), (10, 5, 6)), 0.0)

    def test_sparsity_of_a_path(self):
        edges = [frozenset((i, i + 1)) for i in range(10)]
        delta, rho = hogwild_table1.sparsity(edges)
        self.assertAlmostEqual(delta, 0.2)  # a node has two of ten edges
        self.assertAlmostEqual(rho, 0.3)  # an edge meets itself and one at each end

    def test_weights_of_a_text_model_are_by_column(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "model.txt"
            path.write_text("hogwild model 1\nmodel hinge_svm\nwidth 1\ncolumns 2\n1 0.5\n7 -2\nend\n", encoding="ascii")
            self.assertEqual(hogwild_fig5.weights(path), {1: 0.5, 7: -2.0})

    def test_popularity_recommends_what_a_user_has_not_got_yet(self):
        with tempfile.TemporaryDirectory() as folder:
            train, test = (pathlib.Path(folder) / part for part in ("train", "test"))
            train.write_text("".join(f"{u} 0 1\n" for u in range(9)) + "9 " + " ".join(map(str, range(21))) + "\n10 20 21\n")
            # User 0 lacks items 2 to 20, and 21, which is one of twenty; 10 has nothing of these. 99 and item 98 are new.
            test.write_text("0 20 21\n10 0 98\n99 1\n")
            self.assertEqual(bpr.popularity(train, test), 1.0)
            test.write_text("9 21\n10 19\n10 18\n10 17\n")
            self.assertAlmostEqual(bpr.popularity(train, test), (1 + 1) / 2)
            train.write_text("0 0\n1 " + " ".join(map(str, range(1, 26))) + "\n")
            test.write_text("0 1 25\n1 30\n")  # of 25 items as popular as each other the first twenty are recommended
            self.assertEqual(bpr.popularity(train, test), 0.5)

    def test_claims_stand_in_the_page_as_they_are_decided(self):
        page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
        made = page.partition("<!-- claims:begin -->")[2].partition("<!-- claims:end -->")[0]
        self.assertEqual(made.strip(), "\n".join(reproduce.listed()).strip(), "put the output of bench/reproduce --list")


if __name__ == "__main__":
    unittest.main()
