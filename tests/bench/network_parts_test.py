#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The suite's places on a slow network, and the parameters of the simulator, without a network."""
import dataclasses
import pathlib
import sys
import unittest
from types import SimpleNamespace
from unittest import mock

sys.dont_write_bytecode = True
BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
sys.path[:0] = [str(BENCH), str(BENCH / "network"), str(BENCH / "simulate")]
import constants  # noqa: E402
import fit  # noqa: E402
import messages  # noqa: E402
import ring  # noqa: E402
import synchronous  # noqa: E402
from network import Network  # noqa: E402
from suite import places  # noqa: E402
from suite.terms import Place, Unavailable  # noqa: E402

NET = Network(1e7, 0.005)


def workload(**changes):
    return constants.Workload(**{"rows": 1000, "parameters": 2000, "row_seconds": 1e-4, "turn_seconds": 1e-4, **changes})


class places_of_the_suite(unittest.TestCase):
    """Places in a lab, without a lab."""
    def setUp(self):
        self.here = Place(pathlib.Path("/nowhere/hogwild"), None, pathlib.Path("/nowhere"), "")
        self.lab = dataclasses.replace(self.here, name="lab:unlimited", lab=object())

    def test_have_contestants_with_ranks_and_the_serial_one(self):
        ring, threads = (SimpleNamespace(name=n, ranks=r) for n, r in (("ring", ["--engine", "ring"]), ("threads", ())))
        serial = SimpleNamespace(name="serial", least=1)
        self.assertEqual([bool(self.lab.refuses(c)) for c in (ring, threads, serial)], [False, True, False])
        self.assertEqual([bool(self.here.refuses(c)) for c in (ring, threads, serial)], [False] * 3)
        self.assertEqual([self.lab.least(c) for c in (ring, serial)], [2, 1])

    def test_say_what_is_missing(self):
        self.assertEqual(places.missing("here", self.here), "")
        with mock.patch.object(places.shutil, "which", lambda _: None), mock.patch("os.geteuid", lambda: 0):
            self.assertIn("there is no ", places.missing("lab:unlimited", self.here))
        with mock.patch("os.geteuid", lambda: 1000):
            self.assertIn("root", places.missing("lab:unlimited", self.here))
            with self.assertRaisesRegex(Unavailable, "root"), places.opened("lab:unlimited", self.here, 2):
                self.fail("it is open")


class fitting(unittest.TestCase):
    def test_a_line_comes_back_and_is_never_below_zero(self):
        at_zero, slope = fit.line_through([(100, 3.0), (200, 4.0), (400, 6.0)])
        self.assertAlmostEqual(at_zero, 2.0)
        self.assertAlmostEqual(slope, 0.01)
        self.assertEqual(fit.line_through([(100, 6.0), (200, 4.0)])[1], 0.0)
        self.assertGreater(fit.line_through([(100, 1.0), (200, 4.0)])[0], 0.0)

    def test_turns_cost_what_runs_held(self):
        law = messages.MessageLaw(workload())
        held = [{"epochs": 1, "link": {"exchanges": n, "held_seconds": n * (1e-5 + 1e-8 * fit.mean_covered(law, n))}}
                for n in (1, 4)]
        fitted = fit.turn_costs(workload(), held)
        self.assertAlmostEqual(fitted.turn_seconds, 1e-5)
        self.assertAlmostEqual(fitted.turn_seconds_per_parameter, 1e-8)

    def test_what_is_left_of_an_epoch_is_the_meetings_own(self):
        for engine in constants.ENGINES:
            play = ring.simulate if engine == "ring" else synchronous.simulate
            more = () if engine == "ring" else (engine,)
            longer = play(workload(), NET, 2, *more).epoch_seconds + 0.5
            fitted = fit.own_seconds(workload(), NET, 2, engine, longer)
            self.assertAlmostEqual(play(fitted, NET, 2, *more).epoch_seconds, longer)

    def test_messages_are_scaled_to_what_was_sent(self):
        played = ring.simulate(workload(), NET, 2, epochs=1)
        _, merged = NET.all_reduce(2, 2000, 4)
        said = (played.bytes_sent - merged) / played.exchanges
        run = {"epochs": 3, "link": {"exchanges": 6, "bytes": 3 * 2000 * 4 + 6 * 0.5 * said}}
        self.assertAlmostEqual(fit.message_scale(workload(), [(run, NET, 2)]).message_scale, 0.5)


if __name__ == "__main__":
    unittest.main()
