#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Labels come back as the data have them written: label_texts_test.py HOGWILD"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve()
# Built where Eigen is.
NETS = [["--model", "mlp", "--hidden", "3"]] if " mlp" in subprocess.run(
    [HOGWILD, "train", "--help"], capture_output=True, text=True, check=True).stdout else []


class with_a_command(unittest.TestCase):
    def setUp(self):
        self.held = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.held.name)

    def tearDown(self):
        self.held.cleanup()

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="ascii")
        return str(self.folder / name)

    def run_command(self, *words, code=0, stdin=""):
        done = subprocess.run([HOGWILD, *words], capture_output=True, text=True, check=False, timeout=60, input=stdin)
        self.assertEqual(done.returncode, code, f"{words}: {done.stderr}")
        return done.stdout if code == 0 else done.stderr

    def train(self, data, *more, save="model.bin"):
        """Trains so long that each row's own column says its label."""
        saved = str(self.folder / save)
        self.run_command("train", data, "--engine", "serial", "--epochs", "60", "--quiet", "--save", saved, *more)
        return saved

    def column_a_label(self, texts, repeat=3):
        return "".join(f"{text} {k + 1}:1\n" for k, text in enumerate(texts)) * repeat


class labels(with_a_command):
    def round_trip(self, texts, *more, save="model.bin"):
        """Twice: as the text is read, and from its cache."""
        data = self.write("train.svm", self.column_a_label(texts))
        for how in ("text", "cache"):
            model = self.train(data, *more, save=save)
            with self.subTest(texts=texts, how=how, save=save):
                self.assertEqual(self.run_command("predict", model, data, "--no-cache").split(), list(texts) * 3)
        return model

    def test_of_two_come_back_as_written(self):
        for texts in (("+1", "-1"), ("100000", "3"), ("1", "0"), ("007", "1.50"), ("1e5", "2"), ("-0.25", "1000000")):
            self.round_trip(texts)

    def test_of_classes_come_back_as_written(self):
        texts = ("100000", "1000000", "+3", "0007", "123456789012", "2.50", "-4")
        for save in ("model.bin", "model.txt"):
            model = self.round_trip(texts, "--model", "softmax", "--step", "1", save=save)
        best = self.run_command("predict", model, str(self.folder / "train.svm"), "--top", "1", "--no-cache")
        self.assertEqual(best.split(), list(texts) * 3)
        self.assertIn("labels classes -4 2.50 +3 0007 100000 1000000 123456789012\n", pathlib.Path(model).read_text())

    def test_of_one_class_against_the_rest_come_back_as_written(self):
        self.round_trip(("+10", "100000", "20", "0030"), "--multiclass", "ovr")

    def test_of_more_classes_than_a_table_of_codes_has_come_back_as_written(self):
        texts = [f"{100000 + k}" if k % 2 else f"+{k}" for k in range(300)]
        self.round_trip(texts, "--model", "softmax", "--step", "1")

    def test_of_lists_come_back_as_written(self):
        data = self.write("lists.svm", "100000,007 1:1\n+5,007 2:1\n100000 3:1\n" * 3)
        model = self.train(data, "--model", "softmax", "--step", "1")
        said = self.run_command("predict", model, data, "--top", "2", "--no-cache").splitlines()
        self.assertEqual(set(said[0].split()), {"100000", "007"})
        self.assertEqual(set(said[1].split()), {"+5", "007"})

    def test_of_libffm_text_come_back_as_written(self):
        data = self.write("train.ffm", "+1 0:1:1 1:1:1\n-1 0:2:1 1:2:1\n" * 4)
        model = self.train(data, "--model", "ffm", "--factors", "2")
        self.assertEqual(self.run_command("predict", model, data, "--no-cache").split(), ["+1", "-1"] * 4)

    def test_of_a_stream_come_back_as_declared(self):
        model = str(self.folder / "streamed.bin")
        data = self.write("rows.svm", self.column_a_label(("+1", "-1"), 50))
        self.run_command("train", "-", "--stream", "--label-values=+1,-1", "--engine", "serial", "--step", "0.1",
                         "--quiet", "--save", model, stdin=pathlib.Path(data).read_text())
        self.assertEqual(self.run_command("predict", model, data, "--no-cache").split()[:2], ["+1", "-1"])

    def test_convert_and_init_keep_them(self):
        model = self.round_trip(("+1", "-1"))
        as_text, again = str(self.folder / "m.txt"), str(self.folder / "again.bin")
        self.run_command("convert", model, as_text)
        self.run_command("convert", as_text, again)
        self.assertEqual(pathlib.Path(model).read_bytes(), pathlib.Path(again).read_bytes())
        self.assertEqual(self.run_command("predict", again, str(self.folder / "train.svm")).split()[:2], ["+1", "-1"])

    def test_that_double_precision_cannot_tell_apart_are_refused(self):
        for name, text, place in (("one.svm", "3 1:1\n72048431380967004 1:1\n72048431380967008 2:1\n", ":2:1: "),
                                  ("list.svm", "1,2 1:1\n7,9007199254740993 2:1\n", ":2:3: "),
                                  ("negative.svm", "1 1:1\n-9007199254740993.0 2:1\n", ":2:1: "),
                                  ("text.ffm", "1 0:1:1\n18446744073709551617 0:1:1\n", ":2:1: ")):
            model = "ffm" if name.endswith("ffm") else "softmax"
            err = self.run_command("train", self.write(name, text), "--model", model, code=3)
            self.assertIn(place, err)
            self.assertIn("double precision cannot tell from", err)
            self.assertIn("number the classes anew", err)
        # Those that are doubles stay classes; a number to be predicted may be written with an exponent.
        self.round_trip(("72048431380967008", "9007199254740992"))
        data = self.write("number.svm", "7.2048431380967004e16 1:1\n1e16 2:1\n")
        self.run_command("train", data, "--model", "least_squares", "--quiet", "--epochs", "1")

    def test_are_named_in_messages_as_people_write_them(self):
        data = self.write("train.svm", self.column_a_label(("100000", "200000", "300000")))
        self.assertIn("3 values: 100000 (3 rows), 200000 (3 rows)", self.run_command("train", data, code=3))


class what_is_held_back(with_a_command):
    """--test FRACTION with classes of few rows."""

    def rare(self, lists=False):
        rows = [f"{k % 3 + 1}{',9' if lists and k % 7 == 0 else ''} {k % 50 + 1}:1 {60 + k % 3}:1" for k in range(200)]
        rows += [f"{100 + k}{',' + str(200 + k) if lists else ''} {k + 1}:1 {80 + k}:1" for k in range(12)]
        return self.write("rare.svm", "\n".join(rows) + "\n")

    def test_never_takes_the_last_row_of_a_class(self):
        data = self.rare()
        for fraction in ("0.5", "0.2"):
            for model in (["--model", "softmax"], ["--multiclass", "ovr"], *NETS):
                with self.subTest(fraction=fraction, model=model):
                    self.run_command("train", data, *model, "--test", fraction, "--epochs", "1", "--quiet", "--engine",
                                     "serial", "--step", "0.1", "--no-cache")

    def test_may_take_the_last_row_of_a_label_of_lists(self):
        data = self.rare(lists=True)
        self.run_command("train", data, "--model", "softmax", "--test", "0.5", "--epochs", "1", "--quiet", "--engine",
                         "serial", "--step", "0.1", "--no-cache")

    def test_of_two_labels_keeps_their_shares(self):
        data = self.write("two.svm", "".join(f"{'1' if k % 100 == 0 else '-1'} {k % 9 + 1}:1\n" for k in range(1000)))
        said = self.run_command("train", data, "--test", "0.1", "--epochs", "1", "--engine", "serial", "--json",
                                "--no-cache", "--quiet", "--step", "0.1")
        self.assertIn('"test_loss"', said)

    def test_of_classes_that_are_declared_beside_those_that_occur(self):
        data = self.write("few.svm", self.column_a_label(("1", "2", "3")))
        for model in (["--model", "softmax"], *NETS):
            with self.subTest(model=model):
                saved = self.train(data, *model, "--label-values", "1,2,3,4", "--step", "0.1",
                                   save="declared.txt")
                self.assertIn("labels classes 1 2 3 4\n", pathlib.Path(saved).read_text())
                self.run_command("predict", saved, data, "--no-cache")
                err = self.run_command("train", data, *model, "--label-values", "1,2", code=3)
                self.assertIn("which the training data never had", err)


if __name__ == "__main__":
    unittest.main()
