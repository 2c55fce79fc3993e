#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Models that are saved with the state of their optimiser, and runs that begin with them: saved_state_test.py HOGWILD"""
import json
import pathlib
import random
import subprocess
import unittest

from command_case import HANGS, HAS_NETS, HOGWILD, command_case

STEPS = {"momentum": "0.02", "adagrad": "0.1", "row_adagrad": "0.1", "adam": "0.01", "lion": "0.003", "ftrl": "0.2"}
# Then an epoch depends on nothing but what the one before it has left.
STEADY = ["--engine", "serial", "--order", "sequential", "--schedule", "constant", "--l2", "0.001", "--quiet"]


def rows_of(columns, rows, seed):
    """LIBSVM text: each row has some of the columns, whose numbers' parity mostly decides the label."""
    draw = random.Random(seed)
    lines = []
    for _ in range(rows):
        some = sorted(draw.sample(columns, 4))
        label = 1 if sum(1 if c % 2 else -1 for c in some) + draw.gauss(0, 1) > 0 else -1
        lines.append(f"{label} " + " ".join(f"{c}:{draw.choice((0.5, 1, 2))}" for c in some) + "\n")
    return "".join(lines)


def state_of(path):
    """Of a text file: the optimiser, its numbers, and the state of each column, an entry for each array."""
    lines = pathlib.Path(path).read_text().splitlines()
    begin = next(k for k, line in enumerate(lines) if line.startswith("state "))
    first = next(k for k, line in enumerate(lines) if line.startswith("columns "))
    columns = [line.split()[0] for line in lines[first + 1:begin]]
    _, optimizer, arrays = lines[begin].split()
    rest = lines[begin + 1:-1]
    numbers = {line.split()[1]: float(line.split()[2]) for line in rest if line.startswith("number ")}
    values = [line for line in rest if not line.startswith(("number ", "bias "))]
    return optimizer, numbers, {c: [values[k * len(columns) + at] for k in range(int(arrays))]
                                for at, c in enumerate(columns)}


class saved_states(command_case):
    def trained(self, data, save, *more, told=False):
        """The notes of the run, without those about its data."""
        words = [word for word in STEADY if not (told and word == "--quiet")]
        self.run_command("train", data, *words, *more, "--save", str(self.folder / save))
        return str(self.folder / save)

    def notes(self, data, *more, code=0):
        words = [word for word in STEADY if word != "--quiet"]
        return self.run_command("train", data, *words, *more, code=code).stderr

    def test_two_runs_of_two_epochs_are_one_of_four(self):
        data = self.write("d.svm", rows_of(range(1, 30), 256, 1))
        classes = self.write("c.svm", "".join(f"{k % 3} {k % 3 + 1}:1 {k % 7 + 4}:0.5\n" for k in range(256)))
        fields = self.write("f.ffm", "".join(f"{k % 2} 0:{k % 5}:1 1:{5 + k % 3}:1\n" for k in range(256)))
        ratings = self.write("r.tsv", "".join(f"{k % 9}\t{k % 13}\t{1 + k * k % 5}\n" for k in range(256)))
        models = {"logistic": (data, ["--bias"]), "factorization_machine": (data, []), "softmax": (classes, ["--bias"]),
                  "ffm": (fields, []), "matrix_factorization": (ratings, ["--ownership", "shared"])}  # blocks have an order of their own
        if HAS_NETS:
            models.update({"mlp": (classes, ["--hidden", "5"]), "deepfm": (fields, ["--hidden", "4"])})
        for model, (rows, more) in models.items():
            for optimizer, step in STEPS.items():
                if optimizer == "ftrl" and model != "logistic":
                    continue
                with self.subTest(model=model, optimizer=optimizer):
                    words = ["--model", model, *more, "--optimizer", optimizer, "--step", step, "--save-state"]
                    whole = self.trained(rows, "whole.bin", *words, "--epochs", "4")
                    first = self.trained(rows, "first.bin", *words, "--epochs", "2")
                    second = self.trained(rows, "second.bin", *words, "--epochs", "2", "--init", first)
                    self.assertEqual(pathlib.Path(second).read_bytes(), pathlib.Path(whole).read_bytes())
                    # The same by the text form.
                    text = str(self.folder / "first.txt")
                    self.said("convert", first, text)
                    second = self.trained(rows, "second.bin", *words, "--epochs", "2", "--init", text)
                    self.assertEqual(pathlib.Path(second).read_bytes(), pathlib.Path(whole).read_bytes())

    def test_columns_of_both_go_on_new_ones_begin_and_old_ones_stay(self):
        first = self.write("first.svm", rows_of(range(1, 20), 200, 1))
        other = self.write("other.svm", rows_of(range(10, 30), 200, 2))
        for optimizer, step in STEPS.items():
            with self.subTest(optimizer=optimizer):
                words = ["--optimizer", optimizer, "--step", step, "--save-state", "--epochs", "2"]
                before = self.trained(first, "before.txt", *words)
                after = self.trained(other, "after.txt", *words, "--init", before)
                (by, was, old), (_, now, new) = state_of(before), state_of(after)
                self.assertEqual((by, was["rows"], now["rows"]), (optimizer, 400, 800))
                self.assertEqual(set(new), {str(c) for c in range(1, 30)})
                for c in range(1, 10):
                    self.assertEqual(new[str(c)], old[str(c)], c)
                if optimizer == "adagrad":  # its sums grow
                    for c in range(10, 20):
                        self.assertGreater(float(new[str(c)][0]), float(old[str(c)][0]))
                # Columns that come again find theirs.
                again = self.trained(first, "again.txt", *words, "--init", after)
                if optimizer in ("adagrad", "row_adagrad"):
                    for c in range(1, 10):
                        self.assertGreater(float(state_of(again)[2][str(c)][0]), float(old[str(c)][0]))

    def test_a_note_says_whether_the_run_goes_on_with_the_state(self):
        data = self.write("d.svm", rows_of(range(1, 20), 200, 1))
        adam = self.trained(data, "adam.bin", "--optimizer", "adam", "--step", "0.01", "--epochs", "1", "--save-state")
        plain = self.trained(data, "plain.bin", "--optimizer", "adam", "--step", "0.01", "--epochs", "1")
        begin = ["--epochs", "1", "--step", "0.01", "--init", adam, "--optimizer"]
        self.assertIn(f"goes on with the state of adam in {adam}", self.notes(data, *begin, "adam"))
        not_used = f"the state of adam in {adam} is not used: "
        for words, why in ((["adagrad"], "it is that of adam, and this run's optimizer is adagrad"),
                           (["sgd"], "it is that of adam, and this run's optimizer is sgd"),
                           (["adam", "--beta2", "0.9"], "its beta2 is 0.999, and this run's is 0.9"),
                           (["adam", "--scale", "max_abs"], "--scale divides the columns anew")):
            self.assertIn(not_used + why, self.notes(data, *begin, *words))
        for optimizer in ("adagrad", "momentum"):  # as if there were none
            words = ["--epochs", "2", "--step", "0.01", "--optimizer", optimizer]
            paths = [self.trained(data, f"{k}.bin", *words, "--init", begin) for k, begin in enumerate((adam, plain))]
            self.assertEqual(*(pathlib.Path(path).read_bytes() for path in paths))
        self.assertNotIn("the state of", self.notes(data, "--epochs", "1", "--step", "0.01", "--init", plain,
                                                    "--optimizer", "adam"))

    def test_ftrl_goes_on_with_its_step_and_with_nothing_else(self):
        data = self.write("d.svm", rows_of(range(1, 20), 256, 1))
        words = ["--optimizer", "ftrl", "--l1", "0.002", "--save-state", "--ftrl-beta", "0.5"]
        train = lambda save, *more: self.said("train", data, *STEADY, *words, *more, "--save", str(self.folder / save))
        train("whole.bin", "--step", "0.25", "--epochs", "6")
        train("first.bin", "--step", "0.25", "--epochs", "2")
        first = str(self.folder / "first.bin")
        words = words[:-2]
        train("second.bin", "--epochs", "4", "--init", first)
        self.assertEqual((self.folder / "second.bin").read_bytes(), (self.folder / "whole.bin").read_bytes())
        for more in (["--step", "0.1"], ["--ftrl-beta", "1"]):
            said = self.run_command("train", data, *words, *more, "--init", first, "--save", first, code=2).stderr
            self.assertIn("is not used", said)
            self.assertIn("leave out the warm start", said)
        plain = self.trained(data, "plain.bin", "--epochs", "1")
        self.assertIn("--save-state", self.run_command("train", data, "--optimizer", "ftrl", "--init", plain, code=2).stderr)

    def test_ten_days_are_close_to_one_run_over_all(self):
        days = [rows_of(range(1 + 3 * day, 25 + 3 * day), 300, day) for day in range(10)]
        held = self.write("held.svm", rows_of(range(1, 50), 500, 77))
        for optimizer in ("adagrad", "adam", "ftrl"):
            with self.subTest(optimizer=optimizer):
                words = ["--optimizer", optimizer, "--step", STEPS[optimizer], "--save-state", "--epochs", "1"]
                loss = lambda path: json.loads(self.said("evaluate", path, held, "--json"))["loss"]
                before = []
                for day, text in enumerate(days):
                    before = ["--init", self.trained(self.write("day.svm", text), f"{day}.bin", *words, *before)]
                whole = self.trained(self.write("all.svm", "".join(days)), "all.bin", *words)
                facts = [json.loads(self.said("inspect", path, "--json")) for path in (before[1], whole)]
                self.assertEqual(facts[0]["state"]["rows"], 3000)
                self.assertEqual(facts[0]["features"], facts[1]["features"])
                self.assertLess(abs(loss(before[1]) - loss(whole)), 0.02)

    def test_a_stream_goes_on_and_keeps_the_state(self):
        text = rows_of(range(1, 20), 6000, 1)
        lines = text.splitlines(keepends=True)
        data = self.write("d.svm", text)
        words = ["--optimizer", "adagrad", "--step", "0.1", "--engine", "serial", "--save-state", "--l2", "0"]

        def stream(rows, save, *more):
            done = subprocess.run([HOGWILD, "train", "-", "--stream", "--label-values=-1,1", *words, *more, "--save",
                                   str(self.folder / save)], input="".join(rows), capture_output=True, text=True,
                                  check=False, timeout=HANGS)
            self.assertEqual(done.returncode, 0, done.stderr)
            return str(self.folder / save), done.stderr

        whole, _ = stream(lines, "whole.txt")
        # Open options are decided from the first 4096 rows.
        first, _ = stream(lines[:4096], "first.txt")
        second, said = stream(lines[4096:], "second.txt", "--init", first)
        self.assertIn(f"goes on with the state of adagrad in {first}", said)
        self.assertEqual(pathlib.Path(second).read_text(), pathlib.Path(whole).read_text())
        # New columns join, and begin with nothing.
        more, _ = stream([line.replace("\n", " 99:1\n") for line in lines[:1000]], "more.txt", "--init", second)
        before, after = state_of(second)[2], state_of(more)[2]
        self.assertEqual(set(after), set(before) | {"99"})
        self.assertGreater(float(after["99"][0]), 0)
        for column in before:
            self.assertGreater(float(after[column][0]), float(before[column][0]))
        # From a stream to a run, and back; and a stream that has ended is saved once more.
        run = self.trained(data, "run.txt", *words[:4], "--save-state", "--epochs", "1", "--init", second)
        self.assertEqual(state_of(run)[1]["rows"], 12000)
        self.assertEqual(state_of(stream(lines, "last.txt", "--init", run)[0])[1]["rows"], 18000)
        checkpoint = str(self.folder / "checkpoint")
        once, _ = stream(lines, "once.txt", "--checkpoint", checkpoint)
        again, _ = stream([], "again.txt", "--resume", checkpoint)
        self.assertEqual(pathlib.Path(again).read_text(), pathlib.Path(once).read_text())
        once, _ = stream(lines[:5000], "once.txt", "--checkpoint", checkpoint, "--init", run)
        again, _ = stream([], "again.txt", "--resume", checkpoint)
        self.assertEqual(state_of(again)[1]["rows"], 17000)
        self.assertEqual(pathlib.Path(again).read_text(), pathlib.Path(once).read_text())

    def test_every_engine_keeps_and_takes_it(self):
        data = self.write("d.svm", rows_of(range(1, 20), 600, 1))
        words = ["--optimizer", "adagrad", "--step", "0.1", "--l2", "0.001", "--epochs", "2", "--quiet", "--save-state"]
        serial = str(self.folder / "serial.txt")
        self.said("train", data, *words, "--engine", "serial", "--save", serial)
        for engine in (["threads", "--workers", "2"], ["threads", "--workers", "2", "--reproducible"],
                       ["processes", "--workers", "2"], ["ring", "--replicas", "2", "--workers", "2"],
                       ["all_reduce", "--workers", "2"], ["local_sgd", "--workers", "2"]):
            with self.subTest(engine=engine):
                first, second = str(self.folder / "first.txt"), str(self.folder / "second.txt")
                self.said("train", data, *words, "--engine", *engine, "--save", first)
                self.said("train", data, *words, "--engine", *engine, "--init", first, "--save", second)
                sums, more = state_of(first)[2], state_of(second)[2]
                self.assertEqual(set(sums), set(state_of(serial)[2]))
                for column, (value,) in sums.items():
                    self.assertGreater(float(value), 0)
                    self.assertGreater(float(more[column][0]), float(value))

    def test_inspect_and_convert_know_it_and_predictions_do_not_need_it(self):
        data = self.write("d.svm", rows_of(range(1, 20), 200, 1))
        words = ["--optimizer", "momentum", "--step", "0.02", "--epochs", "1"]
        held, plain = self.trained(data, "held.bin", *words, "--save-state"), self.trained(data, "plain.bin", *words)
        facts = json.loads(self.said("inspect", held, "--json"))
        self.assertEqual(facts["state"]["optimizer"], "momentum")
        self.assertEqual((facts["state"]["momentum"], facts["state"]["rows"]), (0.9, 200))
        self.assertNotIn("state", json.loads(self.said("inspect", plain, "--json")))
        self.assertEqual(self.said("predict", held, data), self.said("predict", plain, data))
        there, back = str(self.folder / "there.txt"), str(self.folder / "back.bin")
        self.said("convert", held, there)
        self.said("convert", there, back)
        self.assertEqual(pathlib.Path(back).read_bytes(), pathlib.Path(held).read_bytes())
        exported = [str(self.folder / f"{name}.json") for name in ("held", "plain")]
        for model, path in zip((held, plain), exported):
            self.said("convert", model, path)
        self.assertEqual(*(pathlib.Path(path).read_text() for path in exported))

    def test_damaged_and_foreign_states_are_refused(self):
        data = self.write("d.svm", rows_of(range(1, 20), 200, 1))
        words = ["--optimizer", "adagrad", "--step", "0.1", "--epochs", "1"]
        text = pathlib.Path(self.trained(data, "m.txt", *words, "--save-state")).read_text()
        bytes_of = pathlib.Path(self.trained(data, "m.bin", *words, "--save-state")).read_bytes()
        changed = bytearray(bytes_of)
        changed[-30] ^= 1
        for name, content, why in (("cut.txt", text[:-30], "cut.txt:"), ("cut.bin", bytes_of[:-9], "cut.bin: "),
                                   ("changed.bin", bytes(changed), "altered"),
                                   ("other.txt", text.replace("state adagrad", "state newton"), "no such optimizer"),
                                   ("few.txt", text.replace("state adagrad 1", "state adagrad 0"), "few.txt:"),
                                   ("number.txt", text.replace("number rows", "number lines"), "no number 'rows'")):
            with self.subTest(name=name):
                said = self.run_command("train", data, *words, "--init", self.write(name, content), code=3).stderr
                self.assertIn(why, said)


if __name__ == "__main__":
    unittest.main()
