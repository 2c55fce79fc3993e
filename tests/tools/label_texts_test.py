#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Labels come back as they are written in the data: label_texts_test.py HOGWILD"""
import pathlib
import unittest

from command_case import HAS_NETS, command_case

NETS = [["--model", "mlp", "--hidden", "3"]] if HAS_NETS else []


class with_a_command(command_case):
    def train(self, data, *more, save="model.bin"):
        """Trains so long that each row's own column predicts its label."""
        saved = str(self.folder / save)
        self.said("train", data, "--engine", "serial", "--epochs", "60", "--quiet", "--save", saved, *more)
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
                self.assertEqual(self.said("predict", model, data, "--no-cache").split(), list(texts) * 3)
        return model

    def test_of_two_come_back_as_written(self):
        for texts in (("+1", "-1"), ("100000", "3"), ("1", "0"), ("007", "1.50"), ("1e5", "2"), ("-0.25", "1000000")):
            self.round_trip(texts)

    def test_of_classes_come_back_as_written(self):
        texts = ("100000", "1000000", "+3", "0007", "123456789012", "2.50", "-4")
        for save in ("model.bin", "model.txt"):
            model = self.round_trip(texts, "--model", "softmax", "--step", "1", save=save)
        best = self.said("predict", model, str(self.folder / "train.svm"), "--top", "1", "--no-cache")
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
        said = self.said("predict", model, data, "--top", "2", "--no-cache").splitlines()
        self.assertEqual(set(said[0].split()), {"100000", "007"})
        self.assertEqual(set(said[1].split()), {"+5", "007"})

    def test_of_libffm_text_come_back_as_written(self):
        data = self.write("train.ffm", "+1 0:1:1 1:1:1\n-1 0:2:1 1:2:1\n" * 4)
        model = self.train(data, "--model", "ffm", "--factors", "2")
        self.assertEqual(self.said("predict", model, data, "--no-cache").split(), ["+1", "-1"] * 4)

    def test_of_a_stream_come_back_as_declared(self):
        model = str(self.folder / "streamed.bin")
        data = self.write("rows.svm", self.column_a_label(("+1", "-1"), 50))
        self.said("train", "-", "--stream", "--label-values=+1,-1", "--engine", "serial", "--step", "0.1",
                  "--quiet", "--save", model, stdin=pathlib.Path(data).read_text())
        self.assertEqual(self.said("predict", model, data, "--no-cache").split()[:2], ["+1", "-1"])

    def test_convert_and_init_keep_them(self):
        model = self.round_trip(("+1", "-1"))
        as_text, again = str(self.folder / "m.txt"), str(self.folder / "again.bin")
        self.said("convert", model, as_text)
        self.said("convert", as_text, again)
        self.assertEqual(pathlib.Path(model).read_bytes(), pathlib.Path(again).read_bytes())
        self.assertEqual(self.said("predict", again, str(self.folder / "train.svm")).split()[:2], ["+1", "-1"])

    def test_that_double_precision_tells_apart_stay_classes(self):
        # A number to be predicted may be written with an exponent.
        self.round_trip(("72048431380967008", "9007199254740992"))
        data = self.write("number.svm", "7.2048431380967004e16 1:1\n1e16 2:1\n")
        self.said("train", data, "--model", "least_squares", "--quiet", "--epochs", "1")

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
                    self.said("train", data, *model, "--test", fraction, "--epochs", "1", "--quiet", "--engine",
                              "serial", "--step", "0.1", "--no-cache")

    def test_may_take_the_last_row_of_a_label_of_lists(self):
        data = self.rare(lists=True)
        self.said("train", data, "--model", "softmax", "--test", "0.5", "--epochs", "1", "--quiet", "--engine",
                  "serial", "--step", "0.1", "--no-cache")

    def test_of_two_labels_keeps_their_shares(self):
        data = self.write("two.svm", "".join(f"{'1' if k % 100 == 0 else '-1'} {k % 9 + 1}:1\n" for k in range(1000)))
        said = self.said("train", data, "--test", "0.1", "--epochs", "1", "--engine", "serial", "--json",
                         "--no-cache", "--quiet", "--step", "0.1")
        self.assertIn('"test_loss"', said)

    def test_of_classes_that_are_declared_beside_those_that_occur(self):
        data = self.write("few.svm", self.column_a_label(("1", "2", "3")))
        for model in (["--model", "softmax"], *NETS):
            with self.subTest(model=model):
                saved = self.train(data, *model, "--label-values", "1,2,3,4", "--step", "0.1",
                                   save="declared.txt")
                self.assertIn("labels classes 1 2 3 4\n", pathlib.Path(saved).read_text())
                self.said("predict", saved, data, "--no-cache")


if __name__ == "__main__":
    unittest.main()
