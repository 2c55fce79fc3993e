#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Learning from standard input for as long as rows come: stream_test.py HOGWILD"""
import contextlib
import gzip
import json
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
import unittest

from command_case import HANGS, HOGWILD, command_case

ROWS = 20000
KILLS = 30


def text_of(rows, seed=1):
    """Lines of rows: two columns of one range each, which decide the label except in every tenth row."""
    draw = random.Random(seed)
    lines = []
    for r in range(rows):
        sign = draw.choice((-1, 1))
        first = 2 * draw.randrange(500) + (1 if sign > 0 else 2)
        label = sign if draw.random() < 0.9 else -sign
        # Columns come up late, too, and some have large numbers.
        second = 4_000_000_000 + r % 100 if r > rows // 2 else 2000 + r % 50
        lines.append(f"{label} {first}:1 {second}:{draw.random():.4f}\n")
    return lines


class a_stream(command_case):
    @classmethod
    def setUpClass(cls):
        cls.lines = text_of(ROWS)

    def setUp(self):
        super().setUp()
        self.model, self.checkpoint = str(self.folder / "model"), str(self.folder / "checkpoint")

    def command(self, *more):
        step = () if "--step" in more else ("--step", "0.1")
        return [HOGWILD, "train", "-", "--stream", "--label-values=-1,1", "--engine", "serial", *step, "--json", *more]

    def train(self, lines, *more):
        done = subprocess.run(self.command(*more), input="".join(lines), capture_output=True, text=True, check=False,
                              timeout=HANGS)
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr

    def refused(self, input, *more):
        """The message about refused standard input; `input` is a file or bytes."""
        given = {"stdin": input} if hasattr(input, "fileno") else {"input": input}
        done = subprocess.run(self.command(*more), **given, capture_output=True, check=False, timeout=HANGS)
        self.assertEqual(done.returncode, 3, done.stderr)
        return done.stderr.decode()

    def test_begins_with_a_saved_model_and_keeps_its_columns(self):
        first, second = str(self.folder / "first.txt"), str(self.folder / "second.txt")
        rows = self.write("first.svm", "".join(f"{1 if r % 2 else -1} {r % 2 + 1}:1 {r % 7 + 10}:0.5\n" for r in range(2000)))
        self.said("train", rows, "--epochs", "3", "--engine", "serial", "--quiet", "--save", first)
        text = [f"{1 if r % 2 else -1} {r % 2 + 2}:1 90000:0.25\n" for r in range(6000)]
        more = ("--init", first, "--save", second, "--l2", "0")
        code, _, said = self.train(text, *more)
        self.assertEqual(code, 0, said)
        self.assertIn("begins with 9 of 11 parameters", said)
        weights = [dict(line.split()[:2] for line in pathlib.Path(path).read_text().splitlines() if line[:1].isdigit())
                   for path in (first, second)]
        self.assertEqual(set(weights[1]), set(weights[0]) | {"3", "90000"})
        for column in weights[0]:
            self.assertEqual(weights[1][column] == weights[0][column], column != "2", column)
        # A stream that began so can be resumed.
        code, _, said = self.train(text, *more, "--checkpoint", self.checkpoint)
        self.assertEqual(code, 0, said)
        code, _, said = self.train(text, *more, "--resume", self.checkpoint)
        self.assertEqual(code, 0, said)
        self.assertNotIn("begins with", said)

    TABLE = ("--label", "y", "--numeric", "n", "--categorical", "*", "--numbers", "as_given", "--hash-bits", "12")

    def table(self, rows, separator=","):
        lines = [separator.join(("key", "y", "n")) + "\n"]
        for r in range(rows):
            lines.append(separator.join((f'"k ""{r % 5}""{separator}\n{r % 3}"', "1" if r % 5 < 2 else "-1", str(r % 4))) + "\n")
        return lines

    def test_of_a_table_makes_the_model_of_the_file(self):
        for separator in (",", ";"):
            lines = self.table(8000, separator)
            data = self.write("t.csv", "".join(lines))
            code, told, said = self.train(lines, *self.TABLE, "--save", self.model)
            self.assertEqual((code, told[-1]["rows"]), (0, 8000), said)
            other = str(self.folder / "other")
            self.said("train", data, *self.TABLE, "--epochs", "2", "--quiet", "--engine", "serial", "--save", other)
            facts = [json.loads(self.said("inspect", path, "--json")) for path in (self.model, other)]
            self.assertEqual([facts[0][name] for name in ("features", "columns", "table")],
                             [facts[1][name] for name in ("features", "columns", "table")])
            self.assertGreater(json.loads(self.said("evaluate", self.model, data, "--json"))["accuracy"], 0.99)

    def test_of_a_table_goes_on_from_a_model_that_knows_its_values(self):
        lines = self.table(3000)
        data = self.write("t.csv", "".join(lines))
        self.said("train", data, "--label", "y", "--epochs", "3", "--quiet", "--engine", "serial", "--save", self.model)
        other = str(self.folder / "other.txt")
        more = [line.replace("k ", "new ", 1) if r % 9 == 4 else line for r, line in enumerate(self.table(6000))]
        done = subprocess.run([HOGWILD, "train", "-", "--stream", "--init", self.model, "--engine", "serial", "--save", other],
                              input="".join(more), capture_output=True, text=True, check=True, timeout=HANGS)
        self.assertIn("begins with", done.stderr)
        text = pathlib.Path(other).read_text(encoding="utf-8")
        self.assertEqual(text.count("key=k"), 15)
        self.assertNotIn("new", text)
        self.assertGreater(json.loads(self.said("evaluate", other, data, "--json"))["accuracy"], 0.99)

    def test_of_a_table_tells_the_line_of_a_fault_after_the_rows_before_it(self):
        lines = self.table(5000)
        lines.insert(4001, '"a\nb",1,x\n')
        code, told, said = self.train(lines, *self.TABLE, "--checkpoint", self.checkpoint)
        self.assertEqual(code, 3)
        self.assertIn("standard input:8003:6: 'x' is not a number", said)
        self.assertEqual(told[-1]["acknowledged"], 4000)

    def test_of_a_table_is_resumed(self):
        lines = self.table(6000)
        code, told, said = self.train(lines[:3001], *self.TABLE, "--checkpoint", self.checkpoint)
        self.assertEqual((code, told[-1]["acknowledged"]), (0, 3000), said)
        code, told, said = self.train(lines[:1] + lines[3001:], *self.TABLE, "--checkpoint", self.checkpoint,
                                      "--resume", self.checkpoint, "--save", self.model)
        self.assertEqual((code, told[-1]["rows"]), (0, 6000), said)
        whole = str(self.folder / "whole")
        self.train(lines, *self.TABLE, "--save", whole)
        self.assertEqual(pathlib.Path(whole).read_bytes(), pathlib.Path(self.model).read_bytes())

    def test_of_text_of_vowpal_wabbit_counts_its_weights(self):
        lines = [f"{1 if r % 2 else -1} {2 if r % 3 else 0} |a x{r % 2} |b y{r % 3}:0.5\n" for r in range(6000)]
        code, told, said = self.train(lines, "--format", "vw", "--save", self.model)
        self.assertEqual((code, told[-1]["rows"]), (0, 6000), said)
        data = self.write("t.vw", "".join(lines))
        self.assertEqual(json.loads(self.said("evaluate", self.model, data, "--json"))["accuracy"], 1.0)

    def test_refuses_an_open_quotation_mark_before_the_text_ends(self):
        """The producer never ends the text: the fault is told once the record is longer than any may be."""
        running = subprocess.Popen(self.command(*self.TABLE), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        self.addCleanup(running.stderr.close)
        with contextlib.suppress(BrokenPipeError), running.stdin:
            running.stdin.write(b'key,y,n\n"a,1,2\n')
            while True:
                running.stdin.write(b"b,1,2\n" * 100000)
        self.assertEqual(running.wait(HANGS), 3)
        self.assertIn(b"standard input:2:1: a quotation mark opens a field here", running.stderr.read())

    def test_refuses_compressed_text_and_models_that_count_from_0(self):
        done = subprocess.run(self.command(), input=gzip.compress("".join(self.lines[:99]).encode()), capture_output=True,
                              check=False, timeout=HANGS)
        self.assertEqual(done.returncode, 3)
        self.assertIn(b"this text is compressed", done.stderr)
        rows = self.write("from_0.svm", "1 0:1\n-1 1:1\n" * 20)
        self.said("train", rows, "--epochs", "1", "--quiet", "--save", self.model)
        done = subprocess.run(self.command("--init", self.model), input="1 1:1\n", capture_output=True, text=True,
                              check=False, timeout=HANGS)
        self.assertEqual(done.returncode, 2)
        self.assertIn("count from 0", done.stderr)

    def test_refuses_what_depends_on_all_rows(self):
        rows = "y,n,c\n1,2,a\n"
        for words, reason in (((), "are not guessed: name 'n'"), (("--numeric", "n"), "are not guessed: name 'c'"),
                              (("--numeric", "n", "--categorical", "c", "--hash-bits", "8"), "say --numbers as_given"),
                              (("--ignore", "n", "--categorical", "c"), "give --hash-bits"),
                              (("--ignore", "n", "--categorical", "c", "--min-rows", "3"), "--min-rows"),
                              (("--ignore", "n", "--categorical", "c", "--group", "u"), "no column 'u'")):
            done = subprocess.run(self.command("--label", "y", *words), input=rows, capture_output=True, text=True,
                                  check=False, timeout=HANGS)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(reason, done.stderr)

    def test_refuses_a_line_without_end(self):
        with open("/dev/zero", "rb") as zeros:
            self.assertIn("standard input: there is a byte 0 in it", self.refused(zeros))
        letters = subprocess.Popen(["/bin/sh", "-c", "yes | tr -d '\\n'"], stdout=subprocess.PIPE)
        with letters:
            self.assertIn("standard input: there is a field of more than 1048576 bytes", self.refused(letters.stdout))
            letters.kill()
        # The rows before it are trained and reported.
        rows = "".join(self.lines[:3]).encode()
        self.assertIn("there is a field of more than", self.refused(rows + b"x" * (5 << 20)))

    def test_tells_what_its_input_is(self):
        self.assertIn("this is a Parquet file; ", self.refused(b"PAR1\x15\x04\x15\x10\n\0"))
        self.assertIn("this is text in UTF-16; ", self.refused("".join(self.lines[:99]).encode("utf-16")))
        self.assertIn("standard input:1:1: this is a table", self.refused(b"1,0.5,2\n-1,3,4\n"))
        self.assertIn("standard input:1:3: this is text of Vowpal Wabbit", self.refused(b"1 |f a b\n-1 |f c\n"))

    def test_skips_a_byte_order_mark(self):
        plain = self.train(self.lines[:99])
        marked = self.train(["\ufeff", *self.lines[:99]])
        self.assertEqual((marked[0], marked[2]), (0, ""))
        self.assertEqual(marked[1][-1]["rows"], plain[1][-1]["rows"])

    def test_learns_tells_its_progressive_loss_and_saves(self):
        code, told, err = self.train(self.lines, "--save", self.model, "--checkpoint", self.checkpoint)
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(told[0]["acknowledged"], 0)
        self.assertEqual((told[-1]["rows"], told[-1]["acknowledged"]), (ROWS, ROWS))
        self.assertLess([line["progressive_loss"] for line in told if line["progressive_loss"]][-1], 0.69)
        measured = json.loads(self.said("evaluate", self.model, "-", "--json", stdin="".join(self.lines)))
        self.assertGreater(measured["accuracy"], 0.85)

    def test_goes_on_from_a_checkpoint_to_the_same_model(self):
        whole = f"{self.folder}/whole"
        self.assertEqual(self.train(self.lines, "--save", whole)[0], 0)
        resume = []
        for first, last in ((0, 100), (100, 7777), (7777, ROWS)):
            code, told, err = self.train(self.lines[first:last], "--save", self.model, "--checkpoint", self.checkpoint,
                                         *resume)
            self.assertEqual((code, err), (0, ""))
            self.assertEqual((told[0]["acknowledged"], told[-1]["acknowledged"]), (first, last))
            resume = ["--resume", self.checkpoint]
        self.assertEqual(pathlib.Path(self.model).read_bytes(), pathlib.Path(whole).read_bytes())

    def test_loses_no_acknowledged_row_however_often_it_is_killed(self):
        whole = f"{self.folder}/whole"
        self.assertEqual(self.train(self.lines, "--save", whole)[0], 0)
        draw = random.Random(5)
        acknowledged, resume, grew = 0, [], 0
        for attempt in range(KILLS + 1):
            run = subprocess.Popen(self.command("--save", self.model, "--checkpoint", self.checkpoint, "--save-every",
                                                "0.001", *resume), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            first = json.loads(run.stdout.readline())["acknowledged"]
            # The checkpoint holds at least the acknowledged rows; the sender continues behind it.
            self.assertGreaterEqual(first, acknowledged)
            dies = attempt < KILLS
            # It dies after so many lines of progress: in the middle of the rows that come meanwhile.
            lines_to_live, told = draw.randrange(1, 4), []

            def listen(to=told, of=run, left=lines_to_live if dies else None):
                for line in of.stdout:
                    to.append(line)
                    if left is not None and len(to) == left:
                        time.sleep(draw.uniform(0.0, 0.03))
                        of.kill()

            listener = threading.Thread(target=listen)
            listener.start()
            try:
                rest = self.lines[first:first + 600] if dies else self.lines[first:]
                for k in range(0, len(rest), 20):
                    run.stdin.write("".join(rest[k:k + 20]).encode())
                    run.stdin.flush()
                    if dies:
                        time.sleep(0.01)
                run.stdin.close()
            except BrokenPipeError:
                pass
            code = run.wait(timeout=HANGS)
            listener.join()
            with contextlib.suppress(BrokenPipeError):
                run.stdin.close()
            run.stdout.close()
            self.assertIn(code, (0, -signal.SIGKILL) if dies else (0,))
            before = acknowledged
            acknowledged = max([first] + [json.loads(line)["acknowledged"] for line in told if line.endswith(b"\n")])
            grew += dies and acknowledged > before
            resume = ["--resume", self.checkpoint] if os.path.exists(self.checkpoint) else []
        self.assertEqual(acknowledged, ROWS)
        self.assertGreater(grew, KILLS // 2)
        self.assertEqual(pathlib.Path(self.model).read_bytes(), pathlib.Path(whole).read_bytes())

    @staticmethod
    def ended(run):
        """Its output until it ended by itself: its input stays open, since the end of input is another reason to
        end."""
        out, err = run.stdout.read(), run.stderr.read()
        run.wait(timeout=HANGS)
        with contextlib.suppress(BrokenPipeError):
            run.stdin.close()
        run.stdout.close()
        run.stderr.close()
        return out, err

    def test_saves_when_it_is_asked_to_end(self):
        run = subprocess.Popen(self.command("--save", self.model, "--checkpoint", self.checkpoint), stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        run.stdout.readline()
        run.stdin.write("".join(self.lines[:8000]))
        run.stdin.flush()
        while json.loads(run.stdout.readline())["rows"] == 0:
            pass
        run.send_signal(signal.SIGTERM)
        out, err = self.ended(run)
        self.assertEqual(run.returncode, 130, err)
        last = json.loads(out.splitlines()[-1])
        self.assertGreater(last["acknowledged"], 0)
        self.assertEqual(last["acknowledged"], last["rows"])
        self.assertTrue(os.path.exists(self.model))

    def test_says_which_line_is_wrong_and_keeps_the_rows_before_it(self):
        bad = self.lines[:9000] + ["1 3:x\n"] + self.lines[9000:]
        code, told, err = self.train(bad, "--save", self.model, "--checkpoint", self.checkpoint)
        self.assertEqual(code, 3)
        self.assertIn("standard input:9001:5: ", err)
        self.assertEqual(told[-1]["acknowledged"], 9000)
        self.assertTrue(os.path.exists(self.model))

    def test_a_wrong_line_ends_it_though_the_input_stays_open(self):
        # Several at a time: which of its parsers waits for which is chance.
        runs = [subprocess.Popen([HOGWILD, "train", "-", "--stream", "--label-values=-1,1", "--workers", "8"],
                                 stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True)
                for _ in range(12)]
        try:
            for run in runs:
                run.stdin.write("x y z\n")
                run.stdin.flush()
            for run in runs:
                self.assertEqual(run.wait(timeout=HANGS), 3)
        finally:
            for run in runs:
                run.kill()
                run.communicate()

    def test_refuses_a_label_that_was_not_declared_and_keeps_what_it_has(self):
        self.assertEqual(self.train(self.lines[:5000], "--checkpoint", self.checkpoint)[0], 0)
        code, told, err = self.train(self.lines[:100] + ["7 1:1\n"], "--checkpoint", self.checkpoint, "--resume",
                                     self.checkpoint)
        self.assertEqual(code, 3)
        self.assertIn("7", err)
        self.assertEqual(told[-1]["acknowledged"], 5000)

    def test_keeps_the_message_where_a_new_column_comes_with_a_wrong_label(self):
        keeping = ["--save", self.model, "--checkpoint", self.checkpoint]
        self.assertEqual(self.train(self.lines[:6000], *keeping)[0], 0)
        os.remove(self.model)
        code, told, err = self.train(self.lines[:100] + ["5 777777:1\n"], *keeping, "--resume", self.checkpoint)
        self.assertEqual(code, 3)
        self.assertIn("the label 5", err)
        self.assertNotIn("could not be saved", err)
        self.assertEqual(told[-1]["acknowledged"], 6000)
        self.assertTrue(os.path.exists(self.model))

    def test_trains_rows_that_trickle_and_saves_few_of_them(self):
        run = subprocess.Popen(self.command("--save", self.model, "--checkpoint", self.checkpoint, "--save-every", "0.1"),
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        hangs = threading.Timer(60, run.kill)
        hangs.start()
        self.addCleanup(hangs.cancel)
        # No later row helps a few along: the next ones come when these are acknowledged.
        acknowledged = json.loads(run.stdout.readline())["acknowledged"]
        for k in range(0, 40, 10):
            self.assertEqual(acknowledged, k)
            run.stdin.write("".join(self.lines[k:k + 10]))
            run.stdin.flush()
            while acknowledged < k + 10:
                acknowledged = json.loads(run.stdout.readline())["acknowledged"]
        run.send_signal(signal.SIGTERM)
        _, err = self.ended(run)
        self.assertEqual(run.returncode, 130, err)
        self.assertTrue(os.path.exists(self.model))

    def test_stops_where_the_loss_is_not_finite_and_keeps_what_was_right(self):
        self.assertEqual(self.train(self.lines[:5000], "--checkpoint", self.checkpoint, "--save", self.model)[0], 0)
        kept = pathlib.Path(self.checkpoint).read_bytes(), pathlib.Path(self.model).read_bytes()
        wild = [line.replace(":1 ", ":3e38 ") for line in self.lines[:5000]]
        code, told, err = self.train(wild, "--checkpoint", self.checkpoint, "--save", self.model, "--resume",
                                     self.checkpoint, "--model", "logistic")
        self.assertEqual(code, 5)
        self.assertIn("not finite", err)
        self.assertEqual(told[-1]["acknowledged"], 5000)
        self.assertEqual((pathlib.Path(self.checkpoint).read_bytes(), pathlib.Path(self.model).read_bytes()), kept)

    def test_stops_where_the_loss_has_blown_up_finitely_and_keeps_what_was_right(self):
        model = ["--model", "factorization_machine", "--save", self.model]
        self.assertEqual(self.train(self.lines[:5000], *model)[0], 0)
        kept = pathlib.Path(self.model).read_bytes()
        # With such entries and this step factors grow by the row, to numbers that are finite.
        wild = [line.replace(":1 ", ":100 ") for line in self.lines[:2000]]
        code, _, err = self.train(wild, *model, "--step", "5")
        self.assertEqual(code, 5, err)
        self.assertIn("the last 1024 rows that it trained have the loss ", err)
        self.assertIn("where an untrained model has ", err)
        self.assertIn("the last saved model remain", err)
        self.assertTrue(pathlib.Path(self.model).read_bytes() == kept)


if __name__ == "__main__":
    unittest.main()
