#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Labels of lines of entries are words: word_labels_test.py HOGWILD"""
import json
import pathlib
import unittest

from command_case import command_case

CLASSES = ("spam", "ham", "eggs", "2nd", "10")
QUIET = ("--engine", "serial", "--epochs", "60", "--step", "0.5", "--quiet")


def rows(words, repeat=4):
    """Each word has a column of its own."""
    return "".join(f"{word} {k + 1}:1\n" for k, word in enumerate(words)) * repeat


class word_labels(command_case):
    def train(self, text, *more, name="train.svm", save="model.bin"):
        self.data, self.model = self.write(name, text), str(self.folder / save)
        return self.said("train", self.data, *QUIET, "--save", self.model, *more)

    def predicted(self, text, *more, name="new.svm", code=0):
        return self.said("predict", self.model, self.write(name, text), "--quiet", *more, code=code)

    def test_come_back_from_models_of_each_kind(self):
        for words, more in ((CLASSES[:2], ()), (CLASSES, ("--model", "softmax")), (CLASSES, ("--multiclass", "ovr"))):
            for save in ("model.bin", "model.txt"):
                for how in ("text", "cache"):
                    with self.subTest(more=more, save=save, how=how):
                        self.train(rows(words), *more, save=save)
                        self.assertEqual(self.predicted(rows(words)).split(), list(words) * 4)
                        self.assertEqual(self.predicted("1:1\n2:1\n").split(), list(words[:2]))
                        told = json.loads(self.said("evaluate", self.model, self.data, "--json"))
                        self.assertEqual(told["accuracy"], 1.0)

    def test_the_last_of_two_in_the_order_of_bytes_is_positive(self):
        self.train(rows(("spam", "ham")))
        said = [float(line) for line in self.predicted("1:1\n2:1\n", "--probabilities").split()]
        self.assertGreater(said[0], 0.5)
        self.assertLess(said[1], 0.5)
        self.assertIn("label 1 \"spam\"", self.text_of_model())

    def text_of_model(self):
        self.said("convert", self.model, str(self.folder / "model.txt"))
        return (self.folder / "model.txt").read_text()

    def test_may_be_several_a_row(self):
        text = "a,b 1:1 9:1\nc,b 2:1 9:1\na 3:1 9:1\n" * 6
        self.train(text, "--model", "softmax")
        lines = self.predicted(text, "--top", "2").splitlines()
        self.assertEqual([set(line.split()) for line in lines[:2]], [{"a", "b"}, {"b", "c"}])
        self.said("evaluate", self.model, self.data, "--json")

    def test_of_libffm_text_and_of_a_matrix(self):
        self.train("yes 0:1:1 1:1:1\nno 0:2:1 1:2:1\n" * 8, "--model", "ffm", "--factors", "2", name="t.ffm")
        self.assertEqual(self.predicted("0:2:1 1:2:1\n", name="n.ffm").split(), ["no"])
        self.write("m.labels", "yes\nno\n")
        self.train("%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n", name="m.mtx")
        self.assertEqual(self.predicted("1:1\n2:1\n").split(), ["yes", "no"])
        self.said("evaluate", self.model, self.data)

    def test_are_told_and_lie_in_the_cache(self):
        data = self.write("told.svm", rows(CLASSES[:2]))
        said = self.run_command("train", data, "--epochs", "1", "--step", "0.1").stderr
        self.assertIn("told.svm: labels are words, because the first one is no number", said)
        self.assertTrue((self.folder / "told.svm.hogwild").exists())
        self.assertNotIn("read again", self.run_command("train", data, "--epochs", "1", "--step", "0.1").stderr)

    def test_of_a_damaged_cache_are_found_again(self):
        data, cache = self.write("d.svm", rows(CLASSES[:2], 5000)), self.folder / "d.svm.hogwild"
        words = ("train", data, "--engine", "serial", "--epochs", "1", "--step", "0.1")
        self.said(*words)
        damaged = bytearray(cache.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        cache.write_bytes(damaged)
        self.assertIn("it is removed", self.run_command(*words).stderr)
        self.assertNotIn("read again", self.run_command(*words).stderr)

    def test_of_further_files_are_those_of_the_training_data(self):
        other, strange = self.write("other.svm", rows(("ham", "spam"))), self.write("strange.svm", "ham 1:1\nnew 1:1\n")
        for option in ("--test", "--validation"):
            self.train(rows(("spam", "ham")), option, other)
            said = self.said("train", self.data, *QUIET, option, strange, code=3)
            self.assertIn("strange.svm:2:1: the label 'new' is none of those of the training data", said)
        self.assertIn("strange.svm:2:1: the label 'new'", self.said("evaluate", self.model, strange, code=3))
        self.assertEqual(self.predicted("new 1:1\n").split(), ["spam"])
        numbers = self.write("numbers.svm", "0 1:1\n1 2:1\n")
        self.assertIn("numbers.svm:1:1: the label '0'", self.said("evaluate", self.model, numbers, code=3))
        self.said("train", numbers, *QUIET, "--save", str(self.folder / "n.bin"))
        self.assertIn("other.svm:1:1: the label 'ham' is not a number",
                      self.said("evaluate", str(self.folder / "n.bin"), other, code=3))

    def test_of_a_training_that_goes_on(self):
        self.train(rows(CLASSES), "--model", "softmax")
        first = self.model
        self.train(rows(CLASSES[::-1]), "--model", "softmax", "--init", first, name="more.svm", save="second.bin")
        self.assertEqual(self.predicted(rows(CLASSES[::-1])).split(), list(CLASSES[::-1]) * 4)
        strange = self.write("strange.svm", rows(("spam", "new")))
        said = self.said("train", strange, *QUIET, "--model", "softmax", "--init", first, code=3)
        self.assertIn("has the label 'new', which is none of the labels to train: '10', '2nd', 'eggs'", said)
        numbers = self.write("numbers.svm", rows(("1", "2")))
        self.said("train", numbers, *QUIET, "--save", str(self.folder / "n.bin"))
        said = self.said("train", strange, *QUIET, "--init", str(self.folder / "n.bin"), code=2)
        self.assertIn("the labels are words, 'new' for one, and those of the model", said)

    def test_two_words_stay_the_same_two(self):
        self.train(rows(("spam", "ham")))
        first = self.model
        for text, word in ((rows(("spam", "urgent")), "urgent"), (rows(("1", "0")), "0"), (rows(("egg", "ham")), "egg")):
            said = self.said("train", self.write("other.svm", text), *QUIET, "--init", first, code=3)
            self.assertIn(f"has the label '{word}', which is none of the labels to train: 'ham', 'spam'", said)
        # A day may have one of them alone.
        self.train(rows(("spam",)), "--init", first, name="one.svm", save="second.bin")
        self.assertEqual(self.predicted("1:1\n").split(), ["spam"])

    def test_two_words_of_a_table_stay_the_same_two(self):
        table = self.write("day.csv", "y,x\n" + "no,1\nyes,2\n" * 4)
        first = str(self.folder / "day.bin")
        self.said("train", table, *QUIET, "--label", "y", "--save", first)
        other = self.write("next.csv", "y,x\n" + "no,1\nmaybe,2\n" * 4)
        self.assertIn("'maybe', which is none of the labels to train: 'no', 'yes'",
                      self.said("train", other, *QUIET, "--init", first, code=3))

    def test_of_a_stream_are_those_of_a_model(self):
        self.train(rows(("spam", "ham")))
        streamed = str(self.folder / "streamed.bin")
        words = ("train", "-", "--stream", "--engine", "serial", "--step", "0.1", "--quiet")
        self.said(*words, "--init", self.model, "--save", streamed, stdin=rows(("spam", "ham"), 50))
        self.model = streamed
        self.assertEqual(self.predicted("1:1\n2:1\n").split(), ["spam", "ham"])
        self.assertIn("standard input:1:1: the label 'eggs' is none of",
                      self.said(*words, "--init", self.model, stdin="eggs 1:1\n", code=3))
        said = self.said(*words, "--label-values", "0,1", stdin="spam 1:1\n", code=3)
        self.assertIn("standard input:1:1: the label 'spam' is not a number", said)

    def test_lines_that_come_one_by_one_are_predicted(self):
        self.train(rows(("spam", "ham")))
        said = self.said("predict", self.model, "-", "--quiet", stdin="spam 1:1\nham 2:1\nnew 2:1\na,b 1:1\n 1:1\n")
        self.assertEqual(said.split(), ["spam", "ham", "ham", "spam", "spam"])

    def test_are_for_models_of_classes(self):
        data = self.write("t.svm", rows(("spam", "ham")))
        said = self.said("train", data, *QUIET, "--model", "least_squares", code=2)
        self.assertIn("the labels are words, 'ham' for one, and a least_squares model predicts numbers", said)
        said = self.said("search", data, "--model", "least_squares", "--space", "step=0.1,0.2", code=2)
        self.assertIn("the labels are words", said)
        three = self.write("three.svm", rows(("spam", "ham", "eggs")))
        said = self.said("train", three, *QUIET, code=3)
        self.assertIn("exactly two values, but there are 3 values: 'eggs' (4 rows), 'ham' (4 rows), 'spam'", said)

    def test_folds_searches_and_fractions_keep_them(self):
        self.train(rows(("spam", "ham"), 20), "--folds", "3")
        self.train(rows(("spam", "ham"), 20), "--test", "0.2")
        self.assertEqual(self.predicted("1:1\n2:1\n").split(), ["spam", "ham"])

    def test_rows_are_written_with_them(self):
        data, out, again = self.write("in.svm", rows(CLASSES, 1)), str(self.folder / "out.svm"), str(self.folder / "o.svm")
        self.said("convert", data, out, "--quiet")
        self.assertEqual(pathlib.Path(out).read_text(), rows(CLASSES, 1))
        self.train(rows(CLASSES, 1), "--model", "softmax")
        self.said("convert", data, again, "--columns-of", self.model, "--quiet")
        self.assertEqual(pathlib.Path(again).read_text(), rows(CLASSES, 1))

    def test_many_are_shown_in_part(self):
        words = [f"class{k}" for k in range(100)]
        self.train(rows(words, 1) + "class7 8:1\n", "--model", "softmax")
        lines = self.said("inspect", self.model).splitlines()
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertIn(f"{'label_names':18}\"class0\", \"class1\", \"class10\",", "\n".join(lines))
        self.assertTrue(lines[-1].endswith("... 60 others, which --json shows"))
        cache = json.loads(self.said("inspect", self.data + ".hogwild", "--json"))
        self.assertEqual(cache["labels"], {"different": 100, "least": 0.0, "most": 99.0})
        number = sorted(words).index("class7")
        self.assertEqual(cache["commonest_labels"][0], {"label": number, "rows": 2, "text": "class7"})
        self.assertEqual(len(cache["commonest_labels"]), 10)


if __name__ == "__main__":
    unittest.main()
