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
from papers import hogwild_fig5, hogwild_table1  # noqa: E402
from suite.claims import CONTRADICTED, REPRODUCED, UNDECIDED, Claim, verdict  # noqa: E402
from suite.terms import Unavailable  # noqa: E402

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

    def test_on_seconds_are_left_open_on_a_busy_machine(self):
        self.assertEqual(verdict(claim(timed=True), {"gain": 3.0}, MACHINE, others=0.2)[0], UNDECIDED)
        self.assertEqual(verdict(claim(timed=True), {"gain": 3.0}, MACHINE, others=0.05)[0], REPRODUCED)
        self.assertEqual(verdict(claim(), {"gain": 3.0}, MACHINE, others=0.2)[0], REPRODUCED)

    def test_are_left_open_for_a_reason_of_the_claim(self):
        def refuses(_):
            raise Unavailable("another order")
        self.assertEqual(verdict(claim(holds=refuses), {"gain": 3.0}, MACHINE), (UNDECIDED, "another order; measured: gain 3"))


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

    def test_claims_stand_in_the_page_as_they_are_decided(self):
        page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
        made = page.partition("<!-- claims:begin -->")[2].partition("<!-- claims:end -->")[0]
        self.assertEqual(made.strip(), "\n".join(reproduce.listed()).strip(), "put the output of bench/reproduce --list")


if __name__ == "__main__":
    unittest.main()
