#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Rows that are written out again train the same parameters: convert_rows_test.py HOGWILD"""
import pathlib
import random
import unittest

from command_case import command_case

COLORS = ["red", "green", 'bl"ue', "a,b", " x", "two\nlines", ""]


def quoted(field):
    return '"' + field.replace('"', '""') + '"'


def visits(rows, seed, sites=300):
    """A table with numbers, missing ones among them, values with every character that needs care, and weights."""
    draw = random.Random(seed)
    lines = ["age,color,site,click,w,id"]
    for k in range(rows):
        color, age = draw.choice(COLORS), draw.uniform(18, 80)
        click = "yes" if color == "red" or age > 60 else "no"
        lines.append(f"{age if k % 10 else ''},{quoted(color)},s{draw.randrange(sites)},{click},{draw.uniform(0, 2):.3f},u{k}")
    return "\n".join(lines) + "\n"


AS_TABLE = ["--label", "click", "--weight", "w"]


class convert_rows(command_case):
    def path(self, name):
        return str(self.folder / name)

    def parameters(self, data, *more, model="logistic"):
        """The parameters of a model of these data in the order of their columns, as text."""
        save = self.path("model.txt")
        self.said("train", data, "--model", model, "--engine", "serial", "--epochs", "3", "--step", "0.1", "--quiet", "--save",
                  save, *more)
        lines = pathlib.Path(save).read_text().split("\n")
        columns = next(k for k, line in enumerate(lines) if line.startswith("columns "))
        count = int(lines[columns].split()[1])
        width = next(int(line.split()[1]) for line in lines if line.startswith("width "))
        rows = [line.split()[-width:] for line in lines[columns + 1:columns + 1 + count]]
        return rows + [line for line in lines if line.startswith("bias")]

    def expect_same(self, data, options, out, *more, model="logistic", written=()):
        self.said("convert", data, out, "--quiet", *options, *written)
        before, after = self.parameters(data, *options, model=model), self.parameters(out, *more, model=model)
        self.assertGreater(len(before), 2)
        self.assertEqual(before, after)

    def test_a_table_as_libsvm_text(self):
        data, weights = self.write("t.csv", visits(2000, 1)), self.path("t.weights")
        for more in ([], ["--interactions", "color*site"], ["--hash-bits", "10"], ["--min-rows", "4"], ["--numbers", "as_given"]):
            with self.subTest(more=more):
                self.expect_same(data, [*AS_TABLE, "--ignore", "id", *more], self.path("t.svm"), "--weights", weights,
                                 written=["--write-weights", weights])

    def test_more_columns_than_16_bits_hold(self):
        # Values in one row only come last among the columns.
        data = self.write("t.csv", visits(80000, 2))
        options = ["--label", "click", "--ignore", "w", "--categorical", "id"]
        self.expect_same(data, options, self.path("t.svm"))

    def test_a_table_as_libffm_text(self):
        data = self.write("t.csv", visits(500, 3))
        self.expect_same(data, ["--label", "click", "--ignore", "id,w"], self.path("t.ffm"), model="ffm")

    def test_libffm_text_in_any_order_of_entries(self):
        draw = random.Random(4)
        lines = [" ".join(f"{f}:{draw.randrange(50)}:{draw.random():.4f}" for f in draw.sample(range(6), 4)) for _ in range(300)]
        data = self.write("d.ffm", "".join(f"{k % 2} {line}\n" for k, line in enumerate(lines)))
        self.expect_same(data, ["--format", "ffm"], self.path("e.ffm"), model="ffm")

    def test_vowpal_wabbit_as_libsvm_text(self):
        draw = random.Random(5)
        lines = [f"{draw.choice([-1, 1])} {draw.random():.3f} {draw.random():.3f} |a x{draw.randrange(9)} y:{draw.random():.3f} "
                 f"|b z{draw.randrange(9)}" for _ in range(300)]
        data, weights, offsets = self.write("d.vw", "\n".join(lines) + "\n"), self.path("w"), self.path("o")
        self.expect_same(data, ["--interactions", "a*b"], self.path("d.svm"), "--weights", weights, "--offsets", offsets,
                         written=["--write-weights", weights, "--write-offsets", offsets])

    def test_a_table_as_a_table(self):
        data = self.write("t.csv", visits(1000, 6))
        for end in ("csv", "tsv"):
            out = self.path("again." + end)
            self.expect_same(data, [*AS_TABLE, "--ignore", "id"], out, *AS_TABLE)
            self.said("convert", out, self.path("twice.csv"), *AS_TABLE, "--quiet")
            self.assertEqual(pathlib.Path(self.path("twice.csv")).read_text().split("\n")[0], "age,color,site,click,w")
        self.assertEqual(pathlib.Path(self.path("twice.csv")).read_bytes(), self.written_again("again.csv"))

    def written_again(self, name):
        self.said("convert", self.path("twice.csv"), self.path(name), *AS_TABLE, "--quiet")
        return pathlib.Path(self.path(name)).read_bytes()

    def test_a_table_without_a_header_keeps_the_places_of_columns(self):
        data = self.write("t.csv", "3,x,1,9\n-1,y,0,8\n0.5,x,1,7\n,y,0,6\n")
        options = ["--label", "3", "--ignore", "4"]
        self.said("convert", data, self.path("u.csv"), *options, "--quiet")
        self.assertEqual(pathlib.Path(self.path("u.csv")).read_text(), "3,x,1,\n-1,y,0,\n0.5,x,1,\n,y,0,\n")
        self.assertEqual(self.parameters(data, *options), self.parameters(self.path("u.csv"), *options))

    def test_libsvm_text_is_written_as_it_stands(self):
        for text in ("+1 1:1 7:2\n-1 2:0.001 9:0\n", "3 1:1\n1,3 2:1\n5:1\n2\n", "007 0:1 7:2\n1 2:-3e+30\n", "1.5\n0.1 4:0.1\n"):
            with self.subTest(text=text):
                again = self.path("again.libsvm")
                self.said("convert", self.write("d.svm", text), again, "--quiet")
                self.assertEqual(pathlib.Path(again).read_text(), text)

    def test_labelled_text_and_names(self):
        data = self.write("d.txt", "__label__b fine day\n__label__a bad bad day\n__label__a __label__b fine\n")
        self.said("convert", data, self.path("d.svm"), "--write-names", self.path("names"), "--quiet")
        self.assertEqual(pathlib.Path(self.path("names")).read_text(),
                         "label 0 a\nlabel 1 b\ncolumn 1 word=bad\ncolumn 2 word=day\ncolumn 3 word=fine\n")
        lines = [line.split() for line in pathlib.Path(self.path("d.svm")).read_text().split("\n")]
        self.assertEqual([(line[0], [entry.split(":")[0] for entry in line[1:]]) for line in lines if line],
                         [("1", ["2", "3"]), ("0", ["1", "2"]), ("0,1", ["3"])])
        self.assertAlmostEqual(float(lines[1][1].split(":")[1]), 2 / 5**0.5, 6)

    def test_ratings_have_a_column_for_each_user_and_item(self):
        data = self.write("r.txt", "ann\tHeat\t3.5\nbob\tHeat\t1\nbob\tThe Matrix\t4\n")
        self.said("convert", data, self.path("r.svm"), "--format", "ratings", "--named-ids", "--write-names", self.path("n"))
        self.assertEqual(pathlib.Path(self.path("r.svm")).read_text(), "3.5 1:1 2:1\n1 2:1 3:1\n4 3:1 4:1\n")
        self.assertEqual(pathlib.Path(self.path("n")).read_text(),
                         "column 1 user=ann\ncolumn 2 item=Heat\ncolumn 3 user=bob\ncolumn 4 item=The Matrix\n")

    def test_files_are_numbered_alike_by_a_model(self):
        model = self.path("m.bin")
        train, test = self.write("t.csv", visits(1000, 7)), self.write("test.csv", visits(300, 8, sites=400))
        self.said("train", train, *AS_TABLE, "--ignore", "id", "--engine", "serial", "--epochs", "3", "--quiet", "--save", model)
        by_model = ["--columns-of", model, "--quiet", "--write-weights"]
        self.said("convert", train, self.path("train.svm"), *by_model, self.path("train.w"))
        said = self.run_command("convert", test, self.path("test.svm"), *by_model, self.path("test.w")).stderr
        self.assertEqual(said, "")
        self.said("train", self.path("train.svm"), "--weights", self.path("train.w"), "--engine", "serial", "--epochs", "3",
                  "--quiet", "--save", self.path("n.bin"))
        self.assertEqual(self.said("predict", self.path("n.bin"), self.path("test.svm"), "--probabilities", "--quiet"),
                         self.said("predict", model, test, "--probabilities", "--quiet"))
        self.assertIn("entries in columns that the training data never had",
                      self.run_command("convert", test, self.path("a.svm"), "--columns-of", model, "--write-weights",
                                       self.path("w")).stderr)

    def test_from_standard_input_and_compressed(self):
        text = visits(50, 9)
        self.said("convert", "-", self.path("a.svm"), "--label", "click", "--ignore", "id,w", "--quiet", stdin=text)
        self.said("convert", self.write("t.csv", text), self.path("b.svm"), "--label", "click", "--ignore", "id,w", "--quiet")
        self.assertEqual(pathlib.Path(self.path("a.svm")).read_bytes(), pathlib.Path(self.path("b.svm")).read_bytes())

    def test_groups_are_queries_of_libsvm_text(self):
        rows = self.write("q.svm", "1 qid:11 1:1\n0 qid:7 2:0.5\n1 qid:11 2:1\n")
        table = self.write("g.csv", "y,user,n\n1,ann,1\n0,bob,2\n1,ann,3\n")
        out = str(self.folder / "out.svm")
        self.said("convert", rows, out)
        self.assertEqual(pathlib.Path(out).read_text(), pathlib.Path(rows).read_text())
        words = ("--label", "y", "--group", "user", "--numbers", "as_given")
        self.said("convert", table, out, *words)
        self.assertEqual(pathlib.Path(out).read_text(), "1 qid:1 1:1\n0 qid:2 1:2\n1 qid:1 1:3\n")
        self.assertIn("the rows have groups", self.said("convert", table, str(self.folder / "o.csv"), *words, code=2))

    def test_the_numbers_of_labels_in_words_are_told(self):
        said = self.run_command("convert", self.write("t.csv", visits(20, 1)), self.path("t.svm"), "--label", "click", "--ignore",
                                "w").stderr
        self.assertIn("'no' is 0, 'yes' is 1", said)


if __name__ == "__main__":
    unittest.main()
