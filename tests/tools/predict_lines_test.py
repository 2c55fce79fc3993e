#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Predictions for rows as they come, and their forms: predict_lines_test.py HOGWILD"""
import csv
import gzip
import io
import json
import os
import pathlib
import random
import subprocess
import unittest

from command_case import HANGS, HOGWILD, command_case


class lines(command_case):
    def setUp(self):
        super().setUp()
        draw = random.Random(5)
        rows = [(draw.choice(("yes", "no")), f"s{draw.randrange(9)}", draw.randrange(100)) for _ in range(500)]
        self.rows = [(label, site + ("+" if label == "yes" and n % 3 else ""), n) for label, site, n in rows]
        self.table = self.write("t.csv", "label,site,n\n" + "".join(f"{a},{b},{c}\n" for a, b, c in self.rows))
        self.model = str(self.folder / "table.bin")
        self.run_command("train", self.table, "--label", "label", "--epochs", "3", "--quiet", "--save", self.model)
        svm = [f"{1 if r % 2 else -1} {r % 2 + 1}:1 {3 + r % 40}:0.5\n" for r in range(400)]
        self.svm = self.write("t.svm", "".join(svm))
        self.rows_model = str(self.folder / "rows.bin")
        self.run_command("train", self.svm, "--epochs", "3", "--quiet", "--save", self.rows_model)

    def answering(self, *words):
        """A running command, whose standard input and output are pipes; ended by the test."""
        running = subprocess.Popen([HOGWILD, "predict", *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, bufsize=1)
        self.addCleanup(running.wait, HANGS)
        for stream in (running.stdin, running.stdout, running.stderr):
            self.addCleanup(stream.close)
        return running

    def test_each_line_is_answered_before_the_next_one_comes(self):
        whole = self.said("predict", self.rows_model, self.svm).splitlines()
        running = self.answering(self.rows_model, "-")
        lines = pathlib.Path(self.svm).read_text(encoding="utf-8").splitlines(True)
        for line, answer in zip(lines[:50], whole):
            running.stdin.write(line)
            self.assertEqual(running.stdout.readline(), answer + "\n")
        running.stdin.write("# a comment\n\n1 1:1")
        running.stdin.close()
        self.assertEqual(running.stdout.read(), whole[0] + "\n")
        self.assertEqual(running.wait(HANGS), 0)

    def test_records_of_a_table_are_answered_as_they_end(self):
        running = self.answering(self.model, "-", "--output-format", "csv", "--id", "key")
        self.assertEqual(running.stdout.readline(), "id,label\n")
        running.stdin.write('n,key,site\n5,"a ""b""\n')
        running.stdin.write('c",s3+\n')
        self.assertEqual([running.stdout.readline() for _ in range(2)], ['"a ""b""\n', 'c",yes\n'])
        # A quotation mark within a field is a fault, and nothing is waited for.
        running.stdin.write('5,a 5" pipe,s3\n')
        self.assertEqual(running.wait(HANGS), 3)
        self.assertIn("standard input:4:6: a quotation mark stands within a field", running.stderr.read())

    def test_pieces_of_any_size_give_the_same_answers(self):
        for path, model in ((self.table, self.model), (self.svm, self.rows_model)):
            whole = self.said("predict", model, path, "--probabilities", "--json")
            text = pathlib.Path(path).read_bytes()
            for size in (1, 7, 100, 5000):
                part = text[:text.rindex(b"\n", 0, 600 * size) + 1]
                running = subprocess.Popen([HOGWILD, "predict", model, "-", "--probabilities", "--json"],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                for at in range(0, len(part), size):
                    running.stdin.write(part[at:at + size])
                    running.stdin.flush()
                told = running.communicate(timeout=HANGS)[0].decode().splitlines()
                self.assertEqual(told, whole.splitlines()[:part.count(b"\n") - (path == self.table)])
                self.assertEqual(running.returncode, 0)
                self.assertGreater(len(told), 10)

    def test_megabytes_are_answered_in_order(self):
        many = 40000
        text = "".join(f"0 {r % 2 + 1}:1 {3 + r % 40}:0.5\n" for r in range(many))
        told = self.said("predict", self.rows_model, "-", stdin=text).splitlines()
        self.assertEqual(told, ["1" if r % 2 else "-1" for r in range(many)])

    def test_compressed_text_is_answered_too(self):
        done = subprocess.run([HOGWILD, "predict", self.rows_model, "-"], capture_output=True, timeout=HANGS,
                              input=gzip.compress(pathlib.Path(self.svm).read_bytes()), check=True)
        self.assertEqual(done.stdout.decode(), self.said("predict", self.rows_model, self.svm))
        packed = self.write("t.svm.gz", gzip.compress(b"1 1:1\n"))
        self.assertIn("is compressed", self.said("predict", self.rows_model, packed, "--skip-bad", code=2))

    def test_a_faulty_line_ends_the_answers_unless_it_is_skipped(self):
        text = "1 1:1\n1 2:1\n1 x\n\n1 3:1 3:1\n# none\n1 1:1\n1 y"
        rows = self.write("bad.svm", text)
        for words, given in ((("-",), text), ((rows,), "")):
            done = self.run_command("predict", self.rows_model, *words, "--skip-bad", code=3, stdin=given)
            self.assertEqual(done.stdout, "-1\n1\n-1\n")
            name = "standard input" if words == ("-",) else rows
            for place in (":3:3: ", ":5:7: ", ":8:3: "):
                self.assertIn(name + place, done.stderr)
            self.assertIn("3 faulty rows were skipped", done.stderr)
        done = self.run_command("predict", self.rows_model, "-", code=3, stdin=text)
        self.assertEqual(done.stdout, "-1\n1\n")
        self.assertIn("standard input:3:3: ", done.stderr)

    def test_faulty_records_of_a_table_are_skipped_whole(self):
        text = 'site,n,key\ns1,1,a\ns1,"x\ny",b\ns1,2\ns2,3,"c\nd"\n"s2"x,1,e\ns3,4,f\n'
        done = self.run_command("predict", self.model, "-", "--skip-bad", "--id", "key", "--json", code=3, stdin=text)
        self.assertEqual([json.loads(line)["id"] for line in done.stdout.splitlines()], ["a", "c\nd", "f"])
        for place in (":3:4: ", ":5:5: ", ":8:5: "):
            self.assertIn("standard input" + place, done.stderr)
        self.assertIn("3 faulty rows", done.stderr)

    def test_faults_that_are_no_rows_are_not_skipped(self):
        said = self.said("predict", self.model, "-", "--skip-bad", code=3, stdin="n,key\n1,a\n")
        self.assertIn("standard input: there is no column 'site'", said)
        for text in ("", "\n\n", "site,n\n"):
            self.assertIn("there are no rows", self.said("predict", self.model, "-", "--skip-bad", code=3, stdin=text))
        self.assertIn("'id2'", self.said("predict", self.model, self.table, "--id", "id2", code=3))
        self.assertIn("--id names a column", self.said("predict", self.rows_model, self.svm, "--id", "n", code=2))
        offsets = self.write("o.txt", "0\n" * 400)
        self.assertIn("--skip-bad", self.said("predict", self.rows_model, self.svm, "--skip-bad", "--offsets", offsets,
                                              code=2))

    def test_a_blank_line_among_rows_without_labels_is_refused_wherever_it_comes(self):
        for pieces, place in ((["1:1\n", "\n", "2:1\n"], ":2:1"), (["\n", "1:1\n"], ":1:1"), (["1:1\n\n", "2:1\n"], ":2:1")):
            running = self.answering(self.rows_model, "-")
            for text in pieces:
                running.stdin.write(text)
                if text.startswith("1") and place == ":2:1":
                    self.assertEqual(running.stdout.readline(), "-1\n")
            running.stdin.close()
            self.assertEqual(running.wait(HANGS), 3)
            self.assertIn("standard input" + place, running.stderr.read())
        self.assertEqual(self.said("predict", self.rows_model, "-", stdin="1:1\n\n"), "-1\n")
        self.assertEqual(len(self.said("predict", self.rows_model, "-", stdin="1 1:1\n\n1 1:1\n").split()), 2)

    def test_a_blank_line_is_a_row_of_a_table_with_one_column(self):
        table = self.write("one.csv", "y,word\n" + "1,good\n0,bad\n1,\n" * 30)
        model = str(self.folder / "one.bin")
        self.run_command("train", table, "--label", "y", "--text", "word", "--epochs", "5", "--quiet", "--save", model)
        text = "word\n\ngood\n\nbad\n"
        told = self.said("predict", model, "-", "--probabilities", stdin=text).split()
        self.assertEqual(told, self.said("predict", model, self.write("p.csv", text), "--probabilities").split())
        self.assertEqual([told[0], len(told)], [told[2], 4])

    def test_rows_of_empty_fields_are_answered(self):
        table = self.write("e.tsv", "y\tsite\tn\n" + "1\ta\t2\n0\tb\t3\n" * 20)
        model = str(self.folder / "e.bin")
        self.run_command("train", table, "--label", "y", "--epochs", "1", "--quiet", "--save", model)
        for text, count in (("site\tn\na\t1\n\t\n\t\n", 3), ("site\tn\n\t\n", 1)):
            self.assertEqual(len(self.said("predict", model, "-", stdin=text).split()), count)
            self.assertEqual(len(self.said("predict", model, self.write("p.tsv", text)).split()), count)

    def test_records_without_a_header_have_as_many_fields_as_the_first(self):
        table = self.write("h.csv", "1,a,x\n0,b,y\n" * 20)
        model = str(self.folder / "h.bin")
        self.run_command("train", table, "--label", "1", "--categorical", "2,3", "--header", "no", "--epochs", "1",
                         "--quiet", "--save", model)
        running = self.answering(model, "-")
        running.stdin.write("1,a,x\n")
        running.stdout.readline()
        running.stdin.write("a,y\n")
        self.assertEqual(running.stdout.readline(), "")  # no answer: the run has ended
        self.assertEqual(running.wait(HANGS), 3)
        self.assertIn("standard input:2:1: the record has 2 fields, but the first one has 3", running.stderr.read())

    def test_a_fault_of_compressed_text_names_the_input(self):
        done = subprocess.run([HOGWILD, "predict", self.rows_model, "-"], capture_output=True, timeout=HANGS, check=False,
                              input=gzip.compress(b"1 1:1\n1 x\n"))
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"standard input:2:3: ", done.stderr)

    def test_many_faults_are_skipped(self):
        text = "1 1:1\n1 x\n" * 2000
        done = self.run_command("predict", self.rows_model, "-", "--skip-bad", code=3, stdin=text)
        self.assertEqual(done.stdout, "-1\n" * 2000)
        self.assertIn("2000 faulty rows", done.stderr)

    def test_a_faulty_blank_line_is_told_once(self):
        rows = self.write("blank.svm", "1:1\n\n2:1\n\n\n1:1\n")
        for words, given in (((rows,), ""), (("-",), pathlib.Path(rows).read_text())):
            done = self.run_command("predict", self.rows_model, *words, "--skip-bad", code=3, stdin=given)
            self.assertEqual(done.stdout, "-1\n1\n-1\n")
            self.assertEqual([line.split(": ")[1].split(":")[1] for line in done.stderr.splitlines()[:-1]],
                             ["2", "4", "5"])
            self.assertIn("3 faulty rows", done.stderr)

    def test_forms_say_the_same(self):
        words = ("predict", self.model, self.table, "--probabilities", "--id", "n")
        plain = [line.split("\t") for line in self.said(*words).splitlines()]
        table = list(csv.DictReader(io.StringIO(self.said(*words, "--output-format", "csv"))))
        objects = [json.loads(line) for line in self.said(*words, "--output-format", "jsonl").splitlines()]
        self.assertEqual([one["id"] for one in objects], [str(n) for _, _, n in self.rows])
        self.assertEqual([(one["id"], f"{one['probability']:.6g}") for one in objects], [tuple(one) for one in plain])
        self.assertEqual([(one["id"], one["probability"]) for one in table], [tuple(one) for one in plain])
        self.assertEqual([one["label"] for one in table], [one["text"] for one in objects])
        self.assertEqual({one["label"] for one in table}, {"yes", "no"})

    def test_several_classes_have_a_column_each(self):
        rows = self.write("m.svm", "".join(f"{r % 3} {r % 3 + 1}:1\n" for r in range(90)))
        model = str(self.folder / "m.bin")
        self.run_command("train", rows, "--model", "softmax", "--epochs", "5", "--quiet", "--save", model)
        words = ("predict", model, rows, "--probabilities", "--output-format", "csv")
        told = list(csv.DictReader(io.StringIO(self.said(*words))))
        self.assertEqual(list(told[0]), ["label", "probability_0", "probability_1", "probability_2"])
        for r, one in enumerate(told):
            self.assertEqual(one["label"], str(r % 3))
            self.assertEqual(one["label"], max("012", key=lambda k, row=one: float(row["probability_" + k])))
        best = list(csv.DictReader(io.StringIO(self.said(*words, "--top", "2"))))
        self.assertEqual(list(best[0]), ["label_1", "probability_1", "label_2", "probability_2"])
        self.assertEqual([one["label_1"] for one in best], [one["label"] for one in told])

    def test_unknown_columns_are_told_once(self):
        running = self.answering(self.rows_model, "-")
        for _ in range(3):
            running.stdin.write("1 1:1 900:1\n")
            running.stdout.readline()
        running.stdin.close()
        self.assertEqual(running.stderr.read().count("are left out"), 1)

    def test_a_pipe_with_a_name_is_read_as_it_comes(self):
        path = str(self.folder / "pipe")
        os.mkfifo(path)
        running = self.answering(self.rows_model, path)
        with open(path, "w", buffering=1, encoding="utf-8") as pipe:
            pipe.write("1 1:1\n")
            first = running.stdout.readline()
            pipe.write("1 1:1\n")
            self.assertEqual(running.stdout.readline(), first)
        self.assertEqual(running.wait(HANGS), 0)


if __name__ == "__main__":
    unittest.main()
