#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files of all kinds, given to each command: formats_test.py HOGWILD"""
import json
import os
import pathlib
import unittest

from command_case import command_case

ROWS = "1 1:0.5\n-1 2:1\n1 1:0.25 3:1\n-1 2:2\n"
MARK = b"\xef\xbb\xbf"

# The contents of a file, and the message about it.
OTHERS = {
    "a Parquet file": b"PAR1\x15\x04\x15\x10\x15\x02\0\0",
    "an Arrow or Feather file": b"ARROW1\0\0\xff\xff\xff\xff\x70\0\0\0",
    "an HDF5 file": b"\x89HDF\r\n\x1a\n\0\0\0\0",
    "a pickle of Python": b"\x80\x04\x95\x0e\0\0\0\0\0\0\0\x8c",
    "a NumPy archive (.npz)": b"PK\x03\x04" + bytes(22) + b"\x08\0\0\0data.npy\x93NUMPY",
    "a zip archive": b"PK\x03\x04" + bytes(22) + b"\x08\0\0\0rows.csv1,2\n",
    "a file that is compressed in a way that is not read here": b"\x04\x22\x4d\x18\x64\x40\xa7\x0d\0\0\x80",
    "a single picture": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "text in UTF-16": "1 1:0.5\n".encode("utf-16"),
    "labelled text": b"__label__a the cat\n__label__b a mat\n",
    "text of Vowpal Wabbit": b"1 |f a b:2\n-1 |f c\n",
    "JSON": b'{"label": 1, "x": [1, 2]}\n',
    "a page of HTML or XML": b"<!DOCTYPE html>\n<html></html>\n",
    "a table": b"0,7,3,5\n1,2,9,4\n0,6,5,8\n",
    "libffm text": b"1 0:0:1 1:1:1\n0 0:1:1 1:2:1\n",
    "LIBSVM text behind a header": b"label f1 f2\n1 1:0.5\n-1 2:1\n",
}


class files(command_case):
    def trained(self, *more):
        model = str(self.folder / "model.txt")
        self.run_command("train", self.write("rows.svm", ROWS), "--no-cache", "--quiet", "--epochs", "1", "--save", model, *more)
        return model

    def test_are_named_for_what_they_are_by_each_command(self):
        model = self.trained()
        rows = self.write("rows.svm", ROWS)
        for what, content in OTHERS.items():
            other = self.write("other", content)
            for words in (["train", other, "--epochs", "1"], ["train", rows, "--epochs", "1", "--test", other],
                          ["predict", model, other], ["evaluate", model, other],
                          ["train", other, "--model", "softmax", "--epochs", "1"], ["advise", other]):
                if what in ("labelled text", "text of Vowpal Wabbit") and other == words[1]:
                    self.run_command(*words, "--no-cache")
                    continue
                # A table could be read, if it were known which column is the label.
                to_be_read = what == "a table" and other == words[1]
                said = self.run_command(*words, "--no-cache", code=2 if to_be_read else 3).stderr
                self.assertIn("this is " + what, said, words)
                self.assertEqual("--label COLUMN, one of 1, 2, 3, 4" in said, to_be_read, words)
                self.assertIn("; ", said.split("this is " + what)[1], words)
                self.assertNotIn("\0", said)
        self.assertEqual([], [name for name in os.listdir(self.folder) if name.endswith(".hogwild")])

    def test_of_indices_from_0_are_read_as_they_are(self):
        lines = [f"{1 if k % 3 else -1} {k % 3}:1 {3 + k % 5}:0.5 9:2\n" for k in range(60)]
        data = self.write("zero.svm", "".join(lines))
        model = str(self.folder / "zero.txt")
        said = self.run_command("train", data, "--epochs", "5", "--save", model).stderr
        self.assertIn("indices count from 0, because there is an index 0", said)
        columns = [line.split()[0] for line in pathlib.Path(model).read_text().splitlines() if line[:1].isdigit()]
        self.assertEqual(columns, ["0", "1", "2", "3", "4", "5", "6", "7", "9"])
        self.assertEqual(self.run_command("predict", model, self.write("later.svm", "0:1 3:0.5\n1:1\n")).stdout.split(),
                         ["-1", "1"])
        # From another cache than that of a file whose indices count from 1, and from standard input, which is not looked at.
        self.assertIn("the index is 0", self.run_command("train", data, "--index-base", "1", code=3).stderr)
        self.assertIn("the index is 0", self.run_command("train", "-", stdin="".join(lines), code=3).stderr)
        self.run_command("train", "-", "--index-base", "0", "--epochs", "1", "--quiet", stdin="".join(lines))
        late = self.write("late.svm", "".join(lines[1:3]) * 9000 + lines[0])
        self.assertIn("is read with --index-base 0", self.run_command("train", late, code=3).stderr)
        self.run_command("train", late, "--index-base", "0", "--epochs", "1", "--quiet", "--memory", "16M")
        rows = self.write("rows.svm", ROWS)
        for words, phrase in ((["--index-base", "2"], "is none of 0|1|auto"),
                              (["--format", "csv", "--label", "1", "--index-base", "0"], "is for LIBSVM text")):
            self.assertIn(phrase, self.run_command("train", rows, *words, code=2).stderr)

    def test_are_inspected(self):
        for what, content in OTHERS.items():
            other = self.write("other", content)
            is_data = what in ("labelled text", "text of Vowpal Wabbit", "JSON", "a page of HTML or XML", "a table",
                               "libffm text", "LIBSVM text behind a header")
            done = self.run_command("inspect", other, "--json", code=0 if is_data else 3)
            self.assertIn(what, json.loads(done.stdout)["kind"] if is_data else done.stderr)
        told = json.loads(self.run_command("inspect", self.write("rows.svm", ROWS), "--json").stdout)
        self.assertEqual((told["kind"], told["format"]), ("LIBSVM text", "libsvm"))

    def test_of_pairs_and_triples_are_inspected_by_their_format(self):
        def facts(content, *words):
            done = self.run_command("inspect", self.write("given", content), "--json", *words)
            return json.loads(done.stdout), done.stderr

        pairs, said = facts("7 1 2 30\n7 2 1 20\n8 1 1 10\n", "--format", "pairs")
        self.assertEqual(pairs, {"kind": "pairs", "rows": 3, "users": 2, "items": 2, "weights": {"least": 1, "most": 2},
                                 "times": {"least": 10, "most": 30}})
        self.assertIn("each line is a user, an item, a weight and a time", said)
        lists, said = facts("ann\tx\ty\nbob\n", "--format", "pairs", "--named-ids")
        self.assertEqual((lists["rows"], lists["users"], lists["items"], "times" in lists), (2, 1, 2, False))
        self.assertIn("each line is a user and the user's items", said)
        self.assertEqual(facts("7 1 2\n8 1 3\n", "--format", "pairs:lists")[0]["rows"], 4)
        triples, said = facts("a\tr\tb\nb\tr\t01\n", "--format", "triples")
        self.assertEqual((triples, said), ({"kind": "triples", "rows": 2, "entities": 3, "relations": 1}, ""))

    def test_of_matrices_train_what_the_same_rows_train(self):
        rows = [(k % 2, {1 + k % 5: 0.5 + k % 3, 6 + k % 2: 1.0}) for k in range(60)]
        text = self.write("m.svm", "".join(f"{y} " + " ".join(f"{j}:{x}" for j, x in row.items()) + "\n" for y, row in rows))
        entries = sorted((j, r + 1, x) for r, (_, row) in enumerate(rows) for j, x in row.items())
        matrix = self.write("m.mtx", f"%%MatrixMarket matrix coordinate real general\n60 7 {len(entries)}\n" +
                            "".join(f"{r} {j} {x}\n" for j, r, x in entries))
        said = self.run_command("train", matrix, code=3).stderr
        self.assertIn("has no labels; give them in a file, one a line: --labels FILE, or m.labels beside it", said)
        named = self.write("y.txt", "".join(f"{y}\n" for y, _ in rows))
        models = [pathlib.Path(self.folder / name) for name in ("a.bin", "b.bin", "c.bin")]
        usual = ["--engine", "serial", "--epochs", "3", "--quiet", "--save"]
        self.run_command("train", text, *usual, models[0])
        self.run_command("train", matrix, "--labels", named, *usual, models[1])
        os.rename(named, self.folder / "m.labels")
        self.run_command("train", matrix, *usual, models[2])
        self.assertEqual(*(model.read_bytes() for model in models[:2]))
        self.assertEqual(*(model.read_bytes() for model in models[1:]))
        for command in (["evaluate", models[0]], ["predict", models[0]]):
            self.assertEqual(self.run_command(*command, text).stdout, self.run_command(*command, matrix).stdout)
        os.remove(self.folder / "m.labels")
        self.assertEqual(self.run_command("predict", models[0], matrix).stdout,
                         self.run_command("predict", models[0], "-", "--format", "mtx", stdin=pathlib.Path(matrix).read_text()).stdout)
        self.assertIn("has no labels", self.run_command("evaluate", models[0], matrix, code=3).stderr)
        said = self.run_command("train", text, "--format", "mtx", code=3).stderr
        self.assertIn("m.svm:1:3: this is LIBSVM text", said)

    def test_of_rows_to_predict_keep_one_line_a_row(self):
        model = self.trained()
        done = self.run_command("predict", model, self.write("p.svm", "1:1\n0\n2:1\n\n"), "--no-cache")
        self.assertEqual(len(done.stdout.splitlines()), 3)
        named = self.run_command("predict", model, self.write("p.svm", "abcd-1234 1:1\n? 2:1\n"), "--no-cache")
        self.assertEqual(len(named.stdout.splitlines()), 2)

    def test_begin_behind_a_byte_order_mark(self):
        def weights_of(*more):
            return pathlib.Path(self.trained("--reproducible", *more)).read_text()

        plain = weights_of()
        weights = self.write("weights", "1\n2\n3\n4\n")
        weighed = weights_of("--weights", weights)
        self.assertNotEqual(plain, weighed)
        self.assertEqual(weighed, weights_of("--weights", self.write("marked", MARK + b"1\n2\n3\n4\n")))
        global ROWS
        kept, ROWS = ROWS, MARK.decode() + ROWS
        try:
            self.assertEqual(plain, weights_of())
        finally:
            ROWS = kept
        model, rows = self.trained(), self.write("rows.svm", ROWS)
        said = self.run_command("predict", model, rows, "--no-cache").stdout
        marked = self.write("marked.txt", MARK + pathlib.Path(model).read_bytes())
        self.assertEqual(said, self.run_command("predict", marked, rows, "--no-cache").stdout)
        self.assertEqual(said, self.run_command("predict", model, self.write("m.svm", MARK + ROWS.encode()), "--no-cache").stdout)

    def test_of_rows_without_a_label_have_none_of_the_classes_where_labels_are_lists(self):
        lists = self.write("lists.svm", "1,2 1:1 2:1\n1 1:1\n2 2:1\n 3:1\n" * 40)
        asked = self.write("asked.svm", "1:1\n2:1\n3:1\n")
        for words in (["--model", "softmax", "--class-loss", "one_vs_rest", "--bias"],
                      ["--model", "mlp", "--hidden", "8", "--class-loss", "one_vs_rest", "--step", "0.5"]):
            model = str(self.folder / "lists.bin")
            for cache in ([], [], ["--no-cache"]):
                self.run_command("train", lists, *words, *cache, "--quiet", "--epochs", "60", "--save", model)
                said = self.run_command("predict", model, asked, "--probabilities", "--no-cache").stdout.splitlines()
                one, two, none = ([float(p) for p in line.split()] for line in said)
                self.assertGreater(one[0], 0.6, words)
                self.assertLess(one[1], 0.4, words)
                self.assertGreater(two[1], 0.6, words)
                self.assertLess(max(none), 0.4, words)
            self.assertIn("precision", self.run_command("evaluate", model, lists, "--no-cache").stdout)
        for words in (["--model", "softmax"], ["--model", "mlp", "--hidden", "8"]):
            done = self.run_command("train", lists, *words, "--no-cache", "--json", "--epochs", "3", "--test", lists)
            self.assertTrue(0 < json.loads(done.stdout)["test_loss"] < 2, done.stdout)

    def factored(self, name, text, *more):
        done = self.run_command("train", self.write(name, text), "--model", "matrix_factorization", "--factors", "2", "--epochs", "1",
                                "--no-cache", "--json", *more)
        return json.loads(done.stdout)["examples"], done.stderr

    def test_of_ratings_have_a_header_whose_words_are_told(self):
        text = "userId,movieId,timestamp,rating\n1,10,964982703,5\n2,20,964982704,3\n"
        examples, said = self.factored("r.csv", text)
        self.assertEqual(examples, 2)
        self.assertIn("r.csv: line 1 is a header, by which the user is 'userId', the item is 'movieId', the rating is 'rating'", said)
        model = str(self.folder / "m.txt")
        self.factored("r.csv", text, "--save", model)
        # The same model as from rows without a header, in the usual order of fields.
        other = str(self.folder / "n.txt")
        self.factored("s.csv", "1,10,5\n2,20,3\n", "--save", other)
        self.assertEqual(pathlib.Path(model).read_text(), pathlib.Path(other).read_text())

    def test_of_ratings_lose_no_first_row(self):
        for name, text in (("a.tsv", "alice\tThe Matrix\t5\nbob\tHeat\t3\nalice\tHeat\t4\n"),
                           ("b.tsv", "A\tLock,Stock\t5\nB\tx\t3\nA\tx\t4\n"), ("c.csv", 'A,"7, The Movie",5\nB,x,3\nA,x,4\n'),
                           ("d.csv", '"A";"x";"5"\n"B";"y";"3"\n"A";"C#";"4"\n')):
            examples, said = self.factored(name, text, "--named-ids")
            self.assertEqual(examples, 3, name)
            self.assertNotIn("header", said, name)
        self.assertEqual(self.factored("e.csv", "user,item,rating\nann,C#,4\n", "--named-ids")[0], 1)
        book = '"User-ID";"ISBN";"Book-Rating"\n"276725";"034545104X";"0"\n"276726";"0155061224";"5"\n'
        self.assertEqual(self.factored("f.csv", book, "--named-ids")[0], 2)

    def test_of_ratings_keep_names_with_blanks_in_saved_models(self):
        text = "alice\tThe Matrix\t5\nbob\tA \"fine\" film\t3\nalice\tback\\slash\t4\n"
        for end in ("txt", "bin"):
            model, again = (str(self.folder / (name + end)) for name in ("m.", "n."))
            self.factored("r.tsv", text, "--named-ids", "--save", model)
            self.run_command("convert", model, again[:-3] + "txt")
            self.run_command("convert", again[:-3] + "txt", again)
            self.assertEqual(pathlib.Path(model).read_bytes(), pathlib.Path(again).read_bytes())
            best = self.run_command("recommend", model, "--user", "alice", "--top", "9").stdout.splitlines()
            self.assertEqual(sorted(line.split("\t")[0] for line in best), ['A "fine" film', "The Matrix", "back\\slash"])


if __name__ == "__main__":
    unittest.main()
