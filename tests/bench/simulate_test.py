#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""bench/simulate: small cases worked out by hand, and laws."""
import dataclasses
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench" / "simulate"
sys.path.insert(0, str(FOLDER))
import constants  # noqa: E402
import machines  # noqa: E402
import messages  # noqa: E402
import ring  # noqa: E402
import synchronous  # noqa: E402
from network import Network  # noqa: E402

MS = 1e-3
WIRE = 1e30  # bytes a second: nothing waits for it


def workload(**changes):
    given = {"rows": 100, "parameters": 100, "row_seconds": 1 * MS, "turn_seconds": 1 * MS,
             "sync_rows": {"all_reduce": 10, "local_sgd": 25}}
    return constants.Workload(**{**given, **changes})


class by_hand(unittest.TestCase):
    def test_lockstep_without_a_network_takes_the_time_of_half_the_rows(self):
        found = synchronous.simulate(workload(), Network(WIRE, 0.0), 2, "all_reduce", epochs=4)
        self.assertAlmostEqual(found.epoch_seconds, 50 * MS)
        self.assertEqual(found.exchanges, 5)
        self.assertAlmostEqual(synchronous.simulate(workload(), Network(WIRE, 0.0), 2, "local_sgd").exchanges, 2)

    def test_lockstep_has_the_pace_of_the_slowest(self):
        found = synchronous.simulate(workload(), Network(WIRE, 0.0), 2, "all_reduce", law="slow:4")
        self.assertAlmostEqual(found.epoch_seconds, 200 * MS)

    def test_long_sums_wait_for_the_wire_alone(self):
        # 400 kB: halves go to their owners, 0.2 s at 1 MB/s, and back; all meetings and the last one agree by 16 bytes.
        work = workload(parameters=100_000, row_seconds=1e-15)
        found = synchronous.simulate(work, Network(1e6, 0.0), 2, "all_reduce")
        self.assertAlmostEqual(found.epoch_seconds, 5 * 0.4 + 8 * 16e-6)  # the first one's check, and the others' answers
        self.assertAlmostEqual(found.bytes_sent, 5 * 400_000 + 7 * 16)

    def test_four_send_three_quarters_twice(self):
        seconds, sent = Network(1e6, 0.0).all_reduce(4, 100_000, 4)
        self.assertAlmostEqual(sent, 2 * 300_000)
        self.assertAlmostEqual(seconds, 0.6)

    def test_short_sums_take_one_way_and_long_ones_two(self):
        self.assertAlmostEqual(Network(WIRE, 10 * MS).all_reduce(4, 100, 4)[0], 10 * MS)
        self.assertAlmostEqual(Network(WIRE, 10 * MS).all_reduce(4, 10_000, 4)[0], 20 * MS)
        # Parts too large to send at once are requested first: another round trip.
        self.assertAlmostEqual(Network(WIRE, 10 * MS).all_reduce(4, 100_000, 4)[0], 60 * MS)

    def test_a_meeting_waits_for_a_message_to_begin_with(self):
        # The other machine learns 10 ms later that it begins; 5 meetings of 10 + 10 ms and a last one of 10 ms; then
        # the first machine sends its parameters, and all answer: 10 ms each.
        found = synchronous.simulate(workload(), Network(WIRE, 10 * MS), 2, "all_reduce")
        self.assertAlmostEqual(found.epoch_seconds, (10 + 50 + 5 * 20 + 10 + 20) * MS)

    def test_few_columns_go_as_pairs(self):
        # Each of 10,000 columns is in one of 1,000 rows: 10 rows change 1 - 0.999^10 = 0.995 % of them, 99.55 pairs.
        work = workload(parameters=10_000, row_seconds=1e-15, column_shares=((0, 1e-3), (9_999, 1e-3)))
        found = synchronous.simulate(work, Network(1e6, 0.0), 2, "all_reduce")
        self.assertAlmostEqual(found.bytes_sent, 5 * 8 * 1e4 * (1 - 0.999 ** 10) + 7 * 16)
        # With 64 machines all pairs together are more than half of the parameters: 10 kB / 64 to 63 others, and back.
        self.assertFalse(synchronous.exchange(work, Network(1e6, 0.0), 64, "all_reduce")[2])
        self.assertAlmostEqual(synchronous.exchange(work, Network(1e6, 0.0), 64, "all_reduce")[1], 2 * 40_000 * 63 / 64)

    def test_a_ring_of_two(self):
        # A turn takes 1 ms, a way 10 ms, and from its second turn on a machine pauses 19 ms before it. Turns begin
        #   machine 0: 0, 41, 101 ms       machine 1: 11, 71, 131 ms, which began to train at 10 ms
        # Both have finished their 75 rows by then, and the message that says so is back at 142 + 19 = 161 ms. The stop
        # reaches machine 1 at 171 + 19 = 190 ms, and the sum takes 10 ms.
        found = ring.simulate(workload(rows=150), Network(WIRE, 10 * MS), 2, epochs=1)
        self.assertAlmostEqual(found.epoch_seconds, 200 * MS)
        self.assertEqual(found.exchanges, 3)
        self.assertAlmostEqual(found.rows_trained, 150)

    def test_a_ring_ends_when_the_message_says_so(self):
        # At 101 ms machine 0 has trained 99 rows, and machine 1 had 60 at 71 ms. At 131 ms, with the stop, machine 1
        # has trained for 121 ms without its two turns.
        found = ring.simulate(workload(rows=300), Network(WIRE, 10 * MS), 2, epochs=1)
        # 0: 161 ms, 158 rows would be more than its 150; 1 told 118 of 131 ms: 268. Then 221 ms: 150 + 150.
        self.assertAlmostEqual(found.epoch_seconds, (221 + 10 + 19 + 10) * MS)
        self.assertEqual(found.exchanges, 4)

    def test_whoever_is_through_trains_again_two_turns_later(self):
        # Machine 1 takes ten times as long: machine 0 is through with its 30 rows at 31 ms, knows so at its turn at
        # 41 ms, its second, takes part in that and another one, 101..102 ms, and trains again from then on.
        slow = ring.simulate(workload(rows=60), Network(WIRE, 10 * MS), 2, law="slow:10", epochs=1)
        # 0's turns: 41: 30 + 0.1; 101: 30 + 6; 161: 60 (again from 102 on: 30 more by 132) + 11.8.
        self.assertAlmostEqual(slow.epoch_seconds, (161 + 10 + 19 + 10) * MS)
        # Machine 1 trains from 10 ms until the stop arrives at 190 ms, except during its three turns.
        self.assertAlmostEqual(slow.rows_trained, 60 + (190 - 10 - 3) / 10)

    def test_staleness_of_lockstep_is_what_others_have_in_hand(self):
        found = synchronous.simulate(workload(rows=400), Network(WIRE, 0.0), 4, "all_reduce")
        self.assertAlmostEqual(found.staleness_p50, 3 * 10 / 2, delta=3 * 10 / 8)
        self.assertAlmostEqual(found.staleness_p99, 3 * 10, delta=3 * 10 / 8)


class message_law(unittest.TestCase):
    def test_covers_what_a_ruler_marks(self):
        self.assertEqual([messages.ruler_prefix(t) for t in range(1, 9)],
                         [512, 1024, 512, 2048, 512, 1024, 512, 4096])
        law = messages.MessageLaw(workload(parameters=3000))
        self.assertEqual(law.covered(512), (1, 512))
        self.assertEqual(law.covered(2048), (3, 2048))
        self.assertEqual(law.covered(1 << 20), (4, 3000))

    def test_writes_a_block_the_shortest_way(self):
        self.assertEqual(messages.bytes_of_block(256, 4), 3 + 1024)
        self.assertEqual(messages.bytes_of_block(100, 4), 3 + 32 + 400)
        self.assertEqual(messages.bytes_of_block(2, 4), 3 + 10)
        self.assertEqual(messages.bytes_of_block(0, 4), 0)

    def test_is_dense_where_all_rows_have_all_columns_and_longer_for_more_rows(self):
        dense = messages.MessageLaw(workload(parameters=512))
        self.assertAlmostEqual(dense.band_bytes(0, 1), 2 * 1027)
        sparse = messages.MessageLaw(workload(parameters=512, column_shares=((0, 0.5), (511, 0.001))))
        sizes = [sparse.band_bytes(0, rows) for rows in (0, 1, 10, 100, 1000, 100_000)]
        self.assertEqual(sizes, sorted(sizes))
        self.assertEqual(sizes[0], 0)
        self.assertLessEqual(sizes[-1], 2 * 1027)


class laws(unittest.TestCase):
    def setUp(self):
        self.work = workload(rows=10_007, parameters=50_000, row_seconds=1e-5, turn_seconds=1e-5,
                             turn_seconds_per_parameter=1e-9, column_shares=((0, 0.9), (100, 0.1), (49_999, 1e-4)))
        self.net = Network(12.5e6, 2 * MS)

    def play(self, engine, machines_=8, net=None, work=None, **more):
        if engine == "ring":
            return ring.simulate(work or self.work, net or self.net, machines_, **more)
        return synchronous.simulate(work or self.work, net or self.net, machines_, engine, **more)

    def test_every_row_is_trained_once_an_epoch(self):
        for count in (2, 3, 7, 64, 1024):
            self.assertEqual(sum(machines.shard_rows(10_007, m, count) for m in range(count)), 10_007)
            for engine in ("all_reduce", "local_sgd"):
                for law in ("constant", "lognormal:1"):
                    found = self.play(engine, count, law=law, epochs=2)
                    self.assertAlmostEqual(found.rows_trained, 10_007, places=3)

    def test_a_ring_trains_as_many_rows_at_least_and_no_more_than_a_lap_allows(self):
        for count in (2, 3, 16):
            for law in ("constant", "slow:4", "lognormal:1"):
                found = self.play("ring", count, law=law, epochs=2)
                self.assertGreaterEqual(found.rows_trained, 10_007 - 1e-6)
                self.assertLessEqual(found.rows_trained, 3 * 10_007)
        # Messages take no time: the surplus was trained during the last lap and the lap of the stop.
        fast = self.play("ring", 4, net=Network(WIRE, 0.0), epochs=2)
        self.assertLess(fast.rows_trained, 1.2 * 10_007)

    def test_a_worse_network_is_never_faster(self):
        for engine in constants.ENGINES:
            for count in (2, 8, 64):
                by_latency = [self.play(engine, count, Network(12.5e6, x)).epoch_seconds for x in (0, 1e-4, 1e-3, 1e-2)]
                self.assertEqual(by_latency, sorted(by_latency), engine)
        for engine in ("all_reduce", "local_sgd"):
            by_rate = [self.play(engine, 8, Network(x, MS)).epoch_seconds for x in (1e9, 1e8, 1e7, 1e6)]
            self.assertEqual(by_rate, sorted(by_rate), engine)

    def test_slower_rows_never_make_an_epoch_of_lockstep_shorter(self):
        seconds = [self.play("all_reduce", law=f"slow:{x}").epoch_seconds for x in (1, 2, 4, 8)]
        self.assertEqual(seconds, sorted(seconds))
        self.assertAlmostEqual(seconds[0], self.play("all_reduce").epoch_seconds)

    def test_a_straggler_costs_the_ring_less_than_lockstep(self):
        work, net = dataclasses.replace(self.work, row_seconds=1e-3), Network(1.25e9, 1e-4)
        ratio = {engine: self.play(engine, 4, net, work, law="slow:4").epoch_seconds /
                 self.play(engine, 4, net, work).epoch_seconds for engine in constants.ENGINES}
        self.assertLess(ratio["ring"], 1.6)
        self.assertGreater(ratio["all_reduce"], 3.5)
        self.assertGreater(ratio["local_sgd"], 3.5)

    def test_draws_have_the_mean_they_should(self):
        # 20,000 draws with variance e^0.25 - 1 = 0.284: the mean is off by 0.0038 (one deviation); the seed is fixed.
        pace = machines.Pace("lognormal:0.5", 1)
        self.assertAlmostEqual(sum(pace.factor(0) for _ in range(20_000)) / 20_000, 1.0, delta=0.02)

    def test_the_same_seed_gives_the_same_figures(self):
        for engine in constants.ENGINES:
            one, two = (self.play(engine, law="lognormal:1") for _ in range(2))
            self.assertEqual(one, two)
            self.assertNotEqual(one, self.play(engine, law="lognormal:1", seed=2))

    def test_more_machines_send_as_many_bytes_for_a_sum_but_know_less(self):
        few, many = (self.play("all_reduce", count) for count in (4, 64))
        self.assertLess(few.bytes_sent / few.exchanges, many.bytes_sent / many.exchanges)
        self.assertLess(many.bytes_sent / many.exchanges, 2 * 4 * 50_000 + 64 * 16)
        self.assertLess(few.staleness_p99, many.staleness_p99)


class epochs_to_target(unittest.TestCase):
    def test_lie_between_what_was_measured(self):
        work = workload(epochs_to_target={"ring": [[4, 6], [16, 8]]})
        self.assertEqual(work.epochs("ring", 4), (6, True))
        self.assertAlmostEqual(work.epochs("ring", 8)[0], 7)
        self.assertEqual(work.epochs("ring", 1024), (8, False))
        self.assertEqual(work.epochs("local_sgd", 4), (None, False))


class command(unittest.TestCase):
    told = {"sets": {"toy": {"rows": 2000, "parameters": 3000, "row_seconds": 1e-5, "turn_seconds": 1e-5,
                             "epochs_to_target": {"ring": [[4, 6]]}}},
            "networks": {"slow": {"bytes_per_second": 1e7, "latency_seconds": 0.01}}}

    def run_on(self, told, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "constants.json"
            file.write_text(json.dumps(told), encoding="utf-8")
            drawn = pathlib.Path(folder) / "out.svg"
            done = subprocess.run([FOLDER / "simulate", "--constants", file, "--plot", drawn, *arguments],
                                  capture_output=True, text=True, check=False, timeout=1400)
            return done, drawn.read_text(encoding="utf-8") if drawn.exists() else ""

    def test_prints_a_line_for_each_and_draws(self):
        done, drawn = self.run_on(self.told, "--machines", "2,4", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([(x["engine"], x["machines"]) for x in lines],
                         [(e, m) for e in constants.ENGINES for m in (2, 4)])
        ring_of_4 = lines[1]
        self.assertAlmostEqual(ring_of_4["target_seconds"], 6 * ring_of_4["epoch_seconds"])
        root = xml.etree.ElementTree.fromstring(drawn)
        self.assertEqual(len(root.findall(".//{http://www.w3.org/2000/svg}polyline")), 3)

    def test_refuses_what_makes_no_sense(self):
        def but(**changes):
            return {**self.told, "sets": {"toy": {**self.told["sets"]["toy"], **changes}}}
        for told, why in [(but(rows=0), "rows has to be above 0"), (but(colour=1), "unknown: colour"),
                          (but(turn_seconds=0), "a turn of the ring takes some time"), ({"sets": {}}, "'networks'")]:
            done, _ = self.run_on(told)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)
        for arguments, why in [(["--machines", "1"], "2 to 1024"), (["--engine", "gossip"], "gossip"),
                               (["--straggler", "slow:0.5"], "slow:0.5"), (["--set", "b"], "no set 'b'")]:
            done, _ = self.run_on(self.told, *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(why, done.stderr)


class comparing(unittest.TestCase):
    def compared(self, record, told=None):
        """compare on a record of these bytes, or on none, with constants of these bytes."""
        with tempfile.TemporaryDirectory() as folder:
            files = [pathlib.Path(folder) / name for name in ("record.jsonl", "constants.json")]
            for file, text in zip(files, (record, told or json.dumps(command.told).encode())):
                if text is not None:
                    file.write_bytes(text)
            done = subprocess.run([FOLDER / "compare", *files], capture_output=True, text=True, check=False, timeout=1400)
            return done.returncode, done.stderr.replace(folder, "")

    def test_what_is_no_record_is_told_in_a_sentence(self):
        context = b'{"kind": "context", "machines": 2, "slow_times": 4, "machine": {"usable_cpus": 8}}\n'
        for record, said in (
                (context + b'{"kind": "run", "state"', "/record.jsonl:2:24: no JSON: "),
                (b"", "/record.jsonl:1: no bench record: the file is empty"),
                (context, "/record.jsonl: not from bench/network/constants --out: it has no run"),
                (context + b'{"kind": "run", "state": "measured"}\n',
                 "/record.jsonl: not from bench/network/constants --out: there is no 'set'"),
                (context + b'{"kind": "run", "state": "measured", "set": []}\n',
                 "/record.jsonl: not from bench/network/constants --out: a line is missing, or has another value")):
            code, err = self.compared(record)
            self.assertEqual(code, 3, err)
            self.assertTrue(err.startswith(f"compare: {said}"), err)
        self.assertEqual(self.compared(None), (4, "compare: /record.jsonl: No such file or directory\n"))
        whole = context + b'{"kind": "run", "state": "short", "set": "toy"}\n'
        self.assertEqual(self.compared(whole), (0, ""))
        for told, said in ((b'{"sets":\n{', "/constants.json:2:2: no JSON: "),
                           (b'{"sets": [], "networks": 1}', "/constants.json: it needs 'sets'"),
                           (b'{"sets": [1], "networks": {"slow": {}}}',
                            "/constants.json: not from bench/network/constants: ")):
            code, err = self.compared(whole, told)
            self.assertEqual(code, 3, err)
            self.assertTrue(err.startswith(f"compare: {said}"), err)


if __name__ == "__main__":
    unittest.main()
