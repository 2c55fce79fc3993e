#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Two machines on a slow network, and its cleanup: network_test.py HOGWILD DELAY_RELAY

Ends with 77 and the reason where such a network cannot be set up.
"""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
FOLDER = pathlib.Path(__file__).resolve().parents[2] / "bench" / "network"
sys.path.insert(0, str(FOLDER))
import lab  # noqa: E402

HOGWILD, RELAY = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
MACHINES, MEGABITS, MILLISECONDS = 2, 200, 3
COMMON = ["--model", "logistic", "--decay", "0.8", "--epochs", "4", "--json", "--quiet"]
WAYS = {"ring": ["--engine", "ring", "--step", "0.5"],
        "all_reduce": ["--engine", "all_reduce", "--step", "4", "--sync-rows", "128"],
        "local_sgd": ["--engine", "local_sgd", "--step", "1", "--sync-rows", "512"]}


def spaces():
    return subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout


class two_machines(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = f"{cls.folder.name}/rows.svm"
        subprocess.run([HOGWILD, "generate", cls.file, "--rows", "3000", "--columns", "2000", "--nonzeros", "20"],
                       check=True, capture_output=True)
        cls.lab = lab.Lab(RELAY, MACHINES, MEGABITS, MILLISECONDS).__enter__()

    @classmethod
    def tearDownClass(cls):
        name = cls.lab.name
        cls.lab.__exit__()
        cls.folder.cleanup()
        assert name not in spaces(), "namespaces are left"

    def train(self, *arguments):
        done = subprocess.run([HOGWILD, "train", self.file, *COMMON, *arguments], capture_output=True, text=True,
                              check=True, timeout=1400)
        return json.loads(done.stdout)

    def train_on_both(self, name):
        """The result, and each rank's parameters from its checkpoint."""
        kept = f"{self.folder.name}/{name}"
        program = [HOGWILD, "train", self.file, *COMMON, *WAYS[name], "--workers", "1", "--transport", "mpi",
                   "--checkpoint", kept]
        code, out, err = lab.finish(self.lab.mpirun(*program), self.lab.environment(), 60)
        self.assertEqual(code, 0, out + err)
        parameters = []
        for rank in range(MACHINES):
            file = pathlib.Path(f"{kept}.rank{rank}")
            told = json.loads(subprocess.run([HOGWILD, "inspect", "--json", file], capture_output=True, text=True,
                                             check=True).stdout)
            last = told["sections"][-1]
            self.assertEqual((last["name"], told["epochs"]), ("parameters", 4))
            parameters.append(file.read_bytes()[-last["bytes"]:])
        return json.loads(out), parameters

    def test_a_ring_ends_near_the_serial_objective_and_alike(self):
        serial = self.train("--engine", "serial", "--step", "0.5")
        result, parameters = self.train_on_both("ring")
        self.assertEqual(result["link"]["ranks"], MACHINES)
        self.assertLess(result["objective"], 1.03 * serial["objective"])
        self.assertEqual(parameters[0], parameters[1])

    def test_lockstep_is_what_as_many_threads_do(self):
        for name in ("all_reduce", "local_sgd"):
            threads = self.train(*WAYS[name], "--workers", str(MACHINES))
            result, parameters = self.train_on_both(name)
            self.assertEqual(result["meetings"]["ranks"], MACHINES)
            self.assertAlmostEqual(result["objective"], threads["objective"], delta=0.02 * threads["objective"])
            self.assertEqual(parameters[0], parameters[1])

    def test_messages_take_as_long_as_they_should(self):
        probe = str(FOLDER / "probe.py")
        server = subprocess.Popen(self.lab.command(1, sys.executable, probe, "serve", self.lab.address(1)),
                                  env=self.lab.environment())
        code, out, err = lab.finish(self.lab.command(0, sys.executable, probe, "ask", self.lab.address(1)),
                                    self.lab.environment(), 60)
        server.wait(timeout=1400)
        self.assertEqual(code, 0, err)
        found = json.loads(out)
        # Delayed messages cannot be early, and the rate cannot exceed its limit, except by the contents of a bucket.
        self.assertGreater(found["round_trip_seconds"], 2 * MILLISECONDS / 1e3)
        self.assertLess(found["bytes_per_second"], 1.2 * MEGABITS * 1e6 / 8)


class a_place_of_the_suite(unittest.TestCase):
    def bench(self, folder, *arguments):
        script = [sys.executable, FOLDER.parent / "run", "--hogwild", HOGWILD, "--task", "tiny_text", "--workers", "2",
                  "--seeds", "1", "--wait", "0", "--out", folder]
        done = subprocess.run([*script, *arguments], capture_output=True, text=True, check=False, timeout=1400)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return [json.loads(line) for line in (pathlib.Path(folder) / "bench.jsonl").read_text("utf-8").splitlines()]

    def test_trains_all_rows_on_its_machines_until_the_target(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = self.bench(folder, "--place", "lab:1gbit-1ms", "--contestant", "ring", "--contestant", "local_sgd",
                               "--contestant", "threads")
        runs = {line["contestant"]: line for line in lines if line["kind"] == "run"}
        self.assertEqual(sorted(runs), ["local_sgd", "ring", "serial"])
        for name, run in runs.items():
            self.assertEqual((run["place"], run["state"]), ("lab:1gbit-1ms", "measured"), run["reason"])
            epochs = run["points"][-1][1]
            # An epoch whose summed changes overshoot is trained again and counts again; on the ring at most once a run.
            epochs_trained = run["examples"] / 18000
            self.assertGreater(epochs_trained, 0.99 * epochs)
            self.assertLess(epochs_trained, 1.01 * (epochs + (3 if name == "ring" else 0)))
            self.assertEqual(name == "serial", run["bytes_exchanged"] is None)
        self.assertGreater(runs["local_sgd"]["train_seconds"], 2e-3 * runs["local_sgd"]["points"][-1][1])
        reasons = [line["reason"] for line in lines if line["kind"] == "skipped"]
        self.assertEqual(reasons, ["it does not train between machines"])
        self.assertNotIn("hogwild", spaces())


class a_slow_machine(unittest.TestCase):
    def test_gets_as_much_of_a_cpu_as_it_should(self):
        """The unlimited machine launches, as in a run; each counts for a while."""
        count = "import time; e = time.process_time(); t = time.monotonic()\nwhile time.monotonic() < t + 1: pass\n" \
                "print(time.process_time() - e, time.monotonic() - t)"
        with lab.Lab(RELAY, 2, None, 0, slow_cpu=0.2) as machines:
            program = machines.command(1, sys.executable, "-c", count)
            nested = machines.command(0, *program)
            code, out, err = lab.finish(nested, machines.environment(), 60)
        self.assertEqual(code, 0, err)
        used, passed = map(float, out.split())
        # Never more than its quota, except for one period's at either end.
        self.assertLess(used, 0.2 * passed + 0.1)


class a_lab_that_is_asked_to_end(unittest.TestCase):
    def test_leaves_nothing(self):
        program = ("import sys, time; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import lab\n"
                   "with lab.Lab(sys.argv[2], 2, None, 1) as machines:\n"
                   "    print(machines.name, machines._folder, flush=True); time.sleep(60)")
        child = subprocess.Popen([sys.executable, "-c", program, str(FOLDER), str(RELAY)], stdout=subprocess.PIPE,
                                 text=True)
        name, folder = child.stdout.readline().split()
        self.assertIn(name, spaces())
        child.send_signal(signal.SIGTERM)
        self.assertEqual(child.wait(timeout=1400), 128 + signal.SIGTERM)
        child.stdout.close()
        self.assertNotIn(name, spaces())
        self.assertFalse(os.path.exists(folder))

    def test_takes_along_what_was_killed(self):
        """The next lab closes one whose program had no time to."""
        program = ("import sys, time; sys.dont_write_bytecode = True; sys.path.insert(0, sys.argv[1]); import lab\n"
                   "with lab.Lab(sys.argv[2], 2, None, 1) as machines:\n"
                   "    print(machines.name, flush=True); time.sleep(60)")
        child = subprocess.Popen([sys.executable, "-c", program, str(FOLDER), str(RELAY)], stdout=subprocess.PIPE,
                                 text=True)
        name = child.stdout.readline().strip()
        child.kill()
        child.wait()
        child.stdout.close()
        with lab.Lab(RELAY, 2, None, 1):
            self.assertNotIn(name, spaces())


if __name__ == "__main__":
    if reason := lab.missing(RELAY):
        print(f"skipped: {reason}")
        sys.exit(77)
    try:
        with lab.Lab(RELAY, 2, MEGABITS, MILLISECONDS):
            pass
    except lab.Unavailable as error:
        print(f"skipped: {error}")
        sys.exit(77)
    unittest.main()
