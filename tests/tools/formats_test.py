#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files as they come, given to each command: formats_test.py HOGWILD"""
import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROWS = "1 1:0.5\n-1 2:1\n1 1:0.25 3:1\n-1 2:2\n"
MARK = b"\xef\xbb\xbf"

# What a file holds, and what is said of it.
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
    "a Matrix Market file": b"%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 0.5\n2 2 1\n",
    "labelled text": b"__label__a the cat\n__label__b a mat\n",
    "text of Vowpal Wabbit": b"1 |f a b:2\n-1 |f c\n",
    "JSON": b'{"label": 1, "x": [1, 2]}\n',
    "a page of HTML or XML": b"<!DOCTYPE html>\n<html></html>\n",
    "a table": b"0,7,3,5\n1,2,9,4\n0,6,5,8\n",
    "libffm text": b"1 0:0:1 1:1:1\n0 0:1:1 1:2:1\n",
    "LIBSVM text behind a header": b"label f1 f2\n1 1:0.5\n-1 2:1\n",
}


class files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def write(self, name, text):
        path = pathlib.Path(self.folder.name, name)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(path)

    def run_command(self, *words, code=0, stdin=None):
        done = subprocess.run([HOGWILD, *words], capture_output=True, text=True, check=False, timeout=120, input=stdin,
                              env={**os.environ, "TMPDIR": self.folder.name, "XDG_CACHE_HOME": self.folder.name + "/cache"})
        self.assertEqual(done.returncode, code, (words, done.stdout, done.stderr))
        return done

    def trained(self, *more):
        model = os.path.join(self.folder.name, "model.txt")
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
                said = self.run_command(*words, "--no-cache", code=3).stderr
                self.assertIn("this is " + what, said, words)
                self.assertIn("; ", said.split("this is " + what)[1], words)
                self.assertNotIn("\0", said)
        # Compressed, and from standard input, where the first bytes come once.
        packed = self.write("other.gz", gzip.compress(OTHERS["a table"]))
        self.assertIn("this is a table", self.run_command("train", packed, "--no-cache", code=3).stderr)
        self.assertIn("standard input:1:1: this is a table",
                      self.run_command("train", "-", code=3, stdin=OTHERS["a table"].decode()).stderr)
        self.assertEqual([], [name for name in os.listdir(self.folder.name) if name.endswith(".hogwild")])

    def test_are_named_where_another_format_or_a_model_is_read(self):
        table, libffm = self.write("t.csv", OTHERS["a table"]), self.write("f.ffm", OTHERS["libffm text"])
        rows = self.write("rows.svm", ROWS)
        said = self.run_command("train", rows, "--model", "ffm", "--no-cache", code=3).stderr
        self.assertIn("rows.svm:1:3: this is LIBSVM text ('1:0.5'); read it as the format libsvm", said)
        said = self.run_command("train", libffm, "--model", "factorization_machine", "--no-cache", code=3).stderr
        self.assertIn("f.ffm:1:3: this is libffm text, 'label field:index:value ...' ('0:0:1'); read it as the format ffm", said)
        self.run_command("train", libffm, "--model", "factorization_machine", "--format", "ffm", "--epochs", "1", "--no-cache")
        for words in (["predict", rows, rows], ["evaluate", rows, rows], ["convert", rows, os.path.join(self.folder.name, "m.txt")],
                      ["train", rows, "--init", rows, "--no-cache"]):
            self.assertIn("this is LIBSVM text ('1:0.5'), not a saved model", self.run_command(*words, code=3).stderr, words)
        self.assertIn("this is a table", self.run_command("evaluate", table, rows, code=3).stderr)
        model = self.trained()
        self.assertIn("this is a saved model", self.run_command("predict", model, model, "--no-cache", code=3).stderr)

    def test_that_look_like_images_are_none(self):
        # An LZ4 frame begins with a byte that is a label of CIFAR-10.
        frame = self.write("rows.lz4", OTHERS["a file that is compressed in a way that is not read here"])
        for words in (["train", frame, "--model", "mlp"], ["train", frame, "--model", "mlp", "--format", "cifar"],
                      ["train", frame, "--model", "mlp", "--format", "idx", "--labels", frame]):
            self.assertIn("this is a file that is compressed in a way", self.run_command(*words, "--no-cache", code=3).stderr)

    def test_are_inspected(self):
        for what, content in OTHERS.items():
            other = self.write("other", content)
            is_data = what in ("a Matrix Market file", "labelled text", "text of Vowpal Wabbit", "JSON", "a page of HTML or XML",
                               "a table", "libffm text", "LIBSVM text behind a header")
            done = self.run_command("inspect", other, "--json", code=0 if is_data else 3)
            self.assertIn(what, json.loads(done.stdout)["kind"] if is_data else done.stderr)
        told = json.loads(self.run_command("inspect", self.write("rows.svm", ROWS), "--json").stdout)
        self.assertEqual((told["kind"], told["format"]), ("LIBSVM text", "libsvm"))

    def test_of_rows_to_predict_keep_one_line_a_row(self):
        model = self.trained()
        said = self.run_command("predict", model, self.write("p.svm", "1:1\n\n2:1\n"), "--no-cache", code=3).stderr
        self.assertIn("p.svm:2:1: the line is blank, and rows here have no labels", said)
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
            model = os.path.join(self.folder.name, "lists.bin")
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
        said = self.run_command("train", self.write("one.svm", "1 1:1\n 2:1\n"), "--no-cache", code=3).stderr
        self.assertIn("one.svm:2:2: the line begins with '2:1' and not with a label", said)
        self.assertIn("A row without a label has none of the classes where other rows have lists of them", said)

    def factored(self, name, text, *more, code=0):
        done = self.run_command("train", self.write(name, text), "--model", "matrix_factorization", "--factors", "2", "--epochs", "1",
                                "--no-cache", "--json", *more, code=code)
        return done.stderr if code else (json.loads(done.stdout)["examples"], done.stderr)

    def test_of_ratings_have_a_header_whose_words_are_told(self):
        text = "userId,movieId,timestamp,rating\n1,10,964982703,5\n2,20,964982704,3\n"
        examples, said = self.factored("r.csv", text)
        self.assertEqual(examples, 2)
        self.assertIn("r.csv: line 1 is a header, by which the user is 'userId', the item is 'movieId', the rating is 'rating'", said)
        model = os.path.join(self.folder.name, "m.txt")
        self.factored("r.csv", text, "--save", model)
        # As in the order of the rows' own.
        other = os.path.join(self.folder.name, "n.txt")
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
        self.assertIn("f.csv:2:10: the item '034545104X' is not a whole number", self.factored("f.csv", book, code=3))

    def test_of_ratings_have_no_empty_field(self):
        said = self.factored("r.tsv", "1\t10\t4\t964982703\n1\t11\t\t964982703\n", code=3)
        self.assertIn("r.tsv:2:6: the rating is missing: the field is empty", said)
        said = self.factored("r.txt", "1 10 4 964982703\n1 11  964982703\n", code=3)
        self.assertIn("r.txt:2:16: the line has 3 fields between blanks, but line 1 has 4", said)

    def test_of_ratings_keep_names_with_blanks_in_saved_models(self):
        text = "alice\tThe Matrix\t5\nbob\tA \"fine\" film\t3\nalice\tback\\slash\t4\n"
        for end in ("txt", "bin"):
            model, again = (os.path.join(self.folder.name, name + end) for name in ("m.", "n."))
            self.factored("r.tsv", text, "--named-ids", "--save", model)
            self.run_command("convert", model, again[:-3] + "txt")
            self.run_command("convert", again[:-3] + "txt", again)
            self.assertEqual(pathlib.Path(model).read_bytes(), pathlib.Path(again).read_bytes())
            best = self.run_command("recommend", model, "--user", "alice", "--top", "9").stdout.splitlines()
            self.assertEqual(sorted(line.split("\t")[0] for line in best), ['A "fine" film', "The Matrix", "back\\slash"])


if __name__ == "__main__":
    unittest.main()
