#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables from the file to the prediction: tables_test.py HOGWILD"""
import json
import pathlib
import random
import unittest

from command_case import command_case

COLORS = ["red", "green", "blue"]


def clicks(rows, seed, columns=("age", "color", "click", "id")):
    """Whether somebody clicks depends on the colour and the age."""
    draw = random.Random(seed)
    lines = [",".join(columns)]
    for k in range(rows):
        color, age = draw.choice(COLORS), draw.randrange(18, 80)
        row = {"age": str(age) if k % 10 else "", "color": color, "id": f"u{k}",
               "click": "yes" if color == "red" or (color == "blue" and age > 40) else "no"}
        lines.append(",".join(row[c] for c in columns))
    return "\n".join(lines) + "\n"


class tables(command_case):
    def trained(self, *more, save="model.bin", rows=400):
        model = str(self.folder / save)
        data = self.write("train.csv", clicks(rows, 1))
        self.said("train", data, "--label", "click", "--ignore", "id", "--engine", "serial", "--epochs", "20", "--quiet",
                  "--save", model, *more)
        return model

    def test_a_model_reads_other_files_by_its_columns(self):
        for save in ("model.bin", "model.txt"):
            for bits in ([], ["--hash-bits", "12"]):
                with self.subTest(save=save, bits=bits):
                    model = self.trained(*bits, save=save)
                    test = self.write("test.csv", clicks(200, 2))
                    other = self.write("other.csv", clicks(200, 2, ("id", "color", "age")))
                    truth = [line.split(",")[2] for line in pathlib.Path(test).read_text().split()[1:]]
                    said = self.said("predict", model, test).split()
                    self.assertEqual(said, self.said("predict", model, other).split())
                    self.assertGreater(sum(a == b for a, b in zip(said, truth)), 180)
                    accuracy = json.loads(self.said("evaluate", model, test, "--json"))["accuracy"]
                    self.assertAlmostEqual(accuracy, sum(a == b for a, b in zip(said, truth)) / 200)

    def test_the_same_rows_as_libsvm_text_make_the_same_parameters(self):
        rows = [(k % 2, k % 5 + 1, 0.25 * (k % 3)) for k in range(60)]
        table = self.write("t.csv", "y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
        text = self.write("t.svm", "".join(f"{y} 1:{a}" + (f" 2:{b}" if b else "") + "\n" for y, a, b in rows))
        weights = []
        for data, more in ((table, ["--label", "y", "--numbers", "as_given"]), (text, [])):
            model = str(self.folder / "m.txt")
            self.said("train", data, "--engine", "serial", "--epochs", "3", "--quiet", "--save", model, *more)
            lines = pathlib.Path(model).read_text().split("\n")
            weights.append([line.split()[-1] for line in lines if line and (line[0].isdigit() or line.startswith("bias"))])
        self.assertEqual(weights[0], weights[1])
        self.assertEqual(len(weights[0]), 2)

    def test_files_for_testing_and_validation_are_read_by_the_columns_of_training(self):
        test = self.write("test.csv", clicks(100, 3, ("click", "id", "color", "age")))
        said = json.loads(self.said("train", self.write("train.csv", clicks(300, 1)), "--label", "click", "--ignore", "id",
                                    "--test", test, "--validation", test, "--engine", "serial", "--epochs", "5", "--json",
                                    "--quiet"))
        self.assertGreater(said["test_accuracy"], 0.8)

    def test_training_goes_on_with_values_that_the_model_did_not_know(self):
        model = self.trained(save="first.txt")
        more = self.write("more.csv", clicks(300, 5).replace("blue", "azure"))
        second = str(self.folder / "second.txt")
        self.said("train", more, "--init", model, "--engine", "serial", "--epochs", "1", "--quiet", "--save", second)
        text = pathlib.Path(second).read_text()
        for name in ("color=red", "color=green", "color=azure", "color=blue"):
            self.assertIn(" " + name + " ", text)
        # Values that did not occur keep their weights.
        blue = [line for line in pathlib.Path(model).read_text().split("\n") if " color=blue " in line]
        self.assertIn(blue[0], text.split("\n"))
        said = self.run_command("train", more, "--init", model, "--label", "click", code=2).stderr
        self.assertIn("leave out --label", said)
        rows = self.write("rows.svm", "1 1:1\n0 2:1\n")
        old = str(self.folder / "old.bin")
        self.said("train", rows, "--quiet", "--epochs", "1", "--save", old)
        self.assertIn("does not know the columns of a table",
                      self.run_command("train", more, "--label", "click", "--init", old, code=2).stderr)

    def test_models_of_every_kind_train_on_them(self):
        data = self.write("train.csv", clicks(120, 1))
        for words in (["--model", "hinge_svm"], ["--model", "softmax"], ["--model", "factorization_machine"],
                      ["--model", "ffm", "--factors", "2"], ["--folds", "3"],
                      ["--engine", "processes", "--workers", "2"]):
            with self.subTest(words=words):
                self.said("train", data, "--label", "click", "--ignore", "id", "--epochs", "2", "--quiet", *words)
        said = self.run_command("train", data, "--label", "click", "--model", "least_squares", code=2).stderr
        self.assertIn("the labels are words", said)

    def test_a_mismatch_is_refused(self):
        model = self.trained()
        for text, phrase in (("age,click\n20,yes\n", "no column 'color'"),
                             ("age,color\n20\n", ":2:3: the record has 1 fields"),
                             ("age,color\nold,red\n", ":2:1: 'old' is not a number"),
                             ("20,red,yes,u\n", "no column 'age'"),
                             ("1 1:1\n", "no column 'age'")):
            with self.subTest(text=text):
                self.assertIn(phrase, self.run_command("predict", model, self.write("x.csv", text), code=3).stderr)
        evaluated = self.run_command("evaluate", model, self.write("x.csv", "age,color\n20,red\n"), code=3).stderr
        self.assertIn("no column 'click', which has the labels", evaluated)
        self.assertIn("was trained on a table",
                      self.run_command("predict", model, self.write("x.svm", "1 1:1\n"), "--format", "libsvm", code=2).stderr)

    def test_labels_of_which_some_are_numbers_are_classes(self):
        data = self.write("t.csv", "y,c\n" + "1,a\n2,b\nC:\\many,c\n" * 30)
        for save in ("m.bin", "m.txt"):
            model = str(self.folder / save)
            self.said("train", data, "--label", "y", "--model", "softmax", "--quiet", "--epochs", "10", "--save", model)
            other = self.write("u.csv", "y,c\n?,c\nnone,a\n,b\n")
            self.assertEqual(self.said("predict", model, other).split(), ["C:\\many", "1", "2"])

    def test_a_search_trains_on_them(self):
        model = str(self.folder / "best.bin")
        test = self.write("test.csv", clicks(100, 2))
        self.said("search", self.write("train.csv", clicks(300, 1)), "--label", "click", "--ignore", "id", "--space",
                  "l2=1e-4,1e-2", "--epochs", "3", "--quiet", "--save", model)
        self.assertGreater(json.loads(self.said("evaluate", model, test, "--json"))["accuracy"], 0.6)

    def test_a_model_of_fields_goes_on(self):
        data = self.write("train.csv", clicks(120, 1))
        first, second = str(self.folder / "a.bin"), str(self.folder / "b.bin")
        words = ["--model", "ffm", "--factors", "2", "--epochs", "2", "--quiet"]
        self.said("train", data, "--label", "click", "--ignore", "id", *words, "--save", first)
        self.said("train", data, "--init", first, *words, "--save", second)
        self.assertIn("not separated by tabs", self.run_command("predict", second, data, "--format", "tsv", code=2).stderr)

    def test_standard_input_is_read(self):
        model = str(self.folder / "m.bin")
        text = clicks(200, 1)
        self.said("train", "-", "--label", "click", "--quiet", "--epochs", "3", "--save", model, stdin=text)
        self.assertEqual(len(self.said("predict", model, "-", stdin=text).split()), 200)

    def test_inspect_shows_a_table_and_what_would_be_made_of_it(self):
        data = self.write("train.csv", clicks(50, 1))
        said = self.said("inspect", data)
        self.assertRegex(said, r"age +numeric +\d+ +5 +\d+ to \d+")
        self.assertRegex(said, r"color +categorical +3 +0")
        facts = json.loads(self.said("inspect", data, "--json", "--label", "click", "--ignore", "id"))
        self.assertEqual([(c["name"], c["as"]) for c in facts["columns"]],
                         [("age", "numeric"), ("color", "categorical"), ("click", "label"), ("id", "ignored")])

    def test_inspect_shows_the_heaviest_weights_by_name(self):
        model = self.trained()
        facts = json.loads(self.said("inspect", model, "--json", "--top-weights", "2"))
        self.assertEqual(len(facts["top_weights"]), 2)
        self.assertIn("color=red", [w["name"] for w in facts["top_weights"]])
        self.assertEqual(facts["labels"], [0.0, 1.0])
        self.assertEqual(facts["label_names"], ["no", "yes"])
        self.assertIn("color=green", self.said("inspect", model, "--top-weights", "9"))


if __name__ == "__main__":
    unittest.main()
