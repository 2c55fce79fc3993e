#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generated data have the requested properties. Usage: made_test.py HOGWILD"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from suite import made  # noqa: E402

HOGWILD = sys.argv.pop(1)


class Made(unittest.TestCase):
    def test_rows_have_the_figures_that_were_asked_for(self):
        for asked in ((4000, 2000, 8, 40, 0.2, 0.6), (4000, 500, 5, 50, 0.5, 0.5), (1000, 3000, 10, 300, 0.05, 0.9)):
            n, _, nnz, omega, delta, rho = asked
            lines = [line for _, line in made.rows(*asked)]
            rows = [{int(entry.partition(":")[0]) for entry in line.split()[1:]} for line in lines]
            self.assertEqual(len(rows), n)
            self.assertEqual({len(row) for row in rows[1:100]}, {nnz})
            self.assertEqual(max(map(len, rows)), omega)
            counts = collections.Counter(column for row in rows for column in row)
            self.assertAlmostEqual(max(counts.values()) / n, delta, delta=0.011)  # every hundredth row has it, too
            # Groups are drawn at random: the bound adds five standard deviations of the number of rows in one.
            self.assertAlmostEqual(sum(bool(rows[0] & row) for row in rows) / n, rho, delta=0.02 + 2.5 / n ** 0.5)
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "rows.svm"
                path.write_text("\n".join(lines) + "\n", encoding="ascii")
                told = json.loads(subprocess.run([HOGWILD, "advise", path, "--json", "--no-cache", "--step", "0.1"],
                                                 capture_output=True, check=True).stdout)
            self.assertEqual(told["Omega"], omega)
            self.assertAlmostEqual(told["Delta"], delta, delta=0.011)
            self.assertAlmostEqual(told["rho"], rho, delta=0.02 + 2.5 / n ** 0.5)

    def test_what_cannot_be_is_refused(self):
        for asked in ((4000, 20, 8, 40, 0.2, 0.6), (4000, 2000, 8, 40, 0.2, 0.1), (4000, 50, 10, 12, 0.05, 0.9)):
            with self.assertRaises(ValueError):
                list(made.rows(*asked))

    def test_ratings_are_of_low_rank_and_popular_items_are_rated_more(self):
        lines = [line.split("\t") for _, line in made.ratings(200, 100, 20)]
        self.assertEqual(len(lines), 200 * 20)
        count = collections.Counter(int(item) for _, item, _ in lines)
        self.assertGreater(sum(count[i] for i in range(1, 51)), 1.5 * sum(count[i] for i in range(51, 101)))

    def test_graphs_name_their_nodes_edges_and_classes(self):
        for lines in (list(made.grid(20)), list(made.mentions(300, 200, 4))):
            nodes, edges, classes = map(int, lines[0][1].split())
            kinds = collections.Counter(line[0] for _, line in lines[1:])
            self.assertEqual((kinds["v"], kinds["e"]), (nodes, edges))
            self.assertEqual(len({line.split()[2] for _, line in lines[1:] if line[0] == "v"}), classes)
        degrees = collections.Counter(node for _, line in lines[1:] if line[0] == "e" for node in line.split()[1:])
        most = sorted(degrees.values(), reverse=True)
        self.assertGreater(most[0], 10 * most[len(most) // 2])  # a few nodes have most edges

    def test_the_same_seed_makes_the_same_and_another_one_others(self):
        for make in (lambda seed: made.ratings(20, 30, 5, seed=seed), lambda seed: made.grid(9, seed=seed),
                     lambda seed: made.mentions(50, 60, 3, seed=seed), lambda seed: made.sentences(20, seed=seed),
                     lambda seed: made.rows(200, 300, 5, 20, 0.3, 0.6, seed=seed)):
            self.assertEqual(list(make(1)), list(make(1)))
            self.assertNotEqual(list(make(1)), list(make(2)))


if __name__ == "__main__":
    unittest.main()
