#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/suite/statistics.py against enumeration: every sign, every subset, every toss."""
import itertools
import math
import pathlib
import random
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from suite import statistics  # noqa: E402

INFINITE = math.inf
SEED = random.SystemRandom().randrange(2 ** 32)


def tail(sums, at):
    """Twice the smaller tail of equally likely sums."""
    return min(1.0, 2 * min(sum(x <= at for x in sums), sum(x >= at for x in sums)) / len(sums))


def rank_of(value, values):
    """Ranks by definition: equal values share the mean of theirs."""
    return sum(x < value for x in values) + (sum(x == value for x in values) + 1) / 2


class Interval(unittest.TestCase):
    def test_has_a_coverage_of_at_least_95_percent_and_no_narrower_one_has(self):
        for n in range(6, 40):
            told = statistics.interval([float(x) for x in range(n)])
            below = int(told["low"])  # values outside, on either side
            self.assertEqual(n - 1 - told["high"], below)
            missed = [2 * sum(math.comb(n, i) for i in range(k + 1)) / 2 ** n for k in (below, below + 1)]
            self.assertLessEqual(missed[0], 0.05)
            self.assertGreater(missed[1], 0.05)

    def test_of_few_values_has_no_ends(self):
        self.assertEqual(statistics.interval([3, 1, 2, 5, 4]), {"median": 3, "low": None, "high": None, "runs": 5})
        self.assertEqual(statistics.coverage(5), 1 - 2 / 2 ** 5)
        self.assertIsNone(statistics.interval([]))

    def test_tells_no_infinite_number(self):
        self.assertIsNone(statistics.interval([1.0, INFINITE, INFINITE]))
        self.assertEqual(statistics.interval([1.0] * 6 + [INFINITE])["high"], None)


class Differences(unittest.TestCase):
    def test_agree_with_enumeration(self):
        numbers = random.Random(SEED)
        for sizes, draw in itertools.product([((3, 3),), ((4, 2),), ((2, 2), (3, 2))], range(40)):
            blocks = [tuple([numbers.choice([1.0, 2.0, 3.0, 5.0, INFINITE]) for _ in range(n)] for n in size)
                      for size in sizes]
            sums, at = [0], 0
            for a, b in blocks:
                ranks = [rank_of(x, a + b) for x in a + b]
                at += sum(ranks[len(a):])
                sums = [s + sum(c) for s in sums for c in itertools.combinations(ranks, len(b))]
            self.assertAlmostEqual(statistics.difference(blocks).p, tail(sums, at), 12, (SEED, blocks))

    def test_in_turns_do_not_see_what_the_machine_does_for_long(self):
        a = [1.0 + 0.001 * i for i in range(10)] + [2.0 + 0.001 * i for i in range(10)]
        b = [1.1 * x for x in a]
        told = statistics.in_turns(a, b)
        self.assertAlmostEqual(told.ratio, 1.1, 2)
        self.assertAlmostEqual(told.p, 2 / math.comb(20, 10) ** 2, 15)
        self.assertEqual(told.p, told.least_p)
        self.assertGreater(statistics.difference([(a, b)]).p, 1000 * told.p)

    def test_bounds_hold_the_truth_in_19_of_20(self):
        # 2,000 intervals miss with at most 5 % each: more than 160 misses have a probability below 5e-9 (binomial
        # tail, 100 expected). Fewer than 10 have one below 1e-26 at the 4.3 % of ten runs: intervals are not too wide.
        numbers, missed = random.Random(SEED), 0
        for draw in range(2000):
            a, b = ([numbers.lognormvariate(0, 0.1) for _ in range(10)] for _ in range(2))
            told = statistics.difference([(a, b)])
            missed += not told.low <= 1.0 <= told.high
        self.assertTrue(10 <= missed <= 160, (SEED, missed))

    def test_take_runs_that_did_not_arrive_as_the_slowest(self):
        told = statistics.in_turns([1.0] * 12, [INFINITE] * 12)
        self.assertEqual((told.ratio, told.p), (INFINITE, 2 / math.comb(24, 12)))
        self.assertEqual(statistics.in_turns([INFINITE] * 9, [INFINITE] * 9).p, 1.0)


class Families(unittest.TestCase):
    def test_are_corrected_as_by_holm(self):
        for told, want in zip(statistics.corrected([0.01, 0.04, 0.03, 0.6]), [0.04, 0.09, 0.09, 0.6]):
            self.assertAlmostEqual(told, want)
        self.assertEqual(statistics.corrected([0.7, 0.6]), [1.0, 1.0])

    def test_say_how_many_runs_they_need(self):
        for lines in (1, 7, 40):
            runs = statistics.runs_needed(lines)
            least = [statistics.in_turns([1.0] * n, [2.0] * n).p * lines for n in (runs - 1, runs)]
            self.assertGreaterEqual(least[0], statistics.P)
            self.assertLess(least[1], statistics.P)


if __name__ == "__main__":
    unittest.main()
