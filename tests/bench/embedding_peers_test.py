#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Vectors that other programs train, measured as ours. Usage: embedding_peers_test.py HOGWILD"""
import dataclasses
import importlib
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from contestants import glove  # noqa: E402
from suite import embeddings, nodes, peer, trial, words  # noqa: E402
from suite.terms import Place, Target, Task, Unavailable  # noqa: E402
from tasks import TASKS  # noqa: E402

HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve()
PACKAGES = {"implicit_bpr": "tiny_visits", "lightfm": "tiny_visits", "fasttext_classifier": "tiny_titles",
            "gensim_walks": "tiny_friends", "pecanpy": "tiny_friends", "torch_triples": "tiny_triples",
            "napkinxc": "tiny_tree"}  # contestants that are packages of Python, each with a task


def contestant(name):
    return importlib.import_module(f"contestants.{name}").contestant


class Array(list):
    """Rows as peers hand them over."""

    @property
    def shape(self):
        return len(self), len(self[0])

    def tolist(self):
        return list(self)


class EmbeddingPeers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.place = Place(HOGWILD, None, self.folder, sys.executable)

    def trained(self, task):
        """The lines of columns of a model after a run of ours, and the last value of the metric that it reported."""
        model, data = self.folder / "our.txt", task.data(self.place)
        told = trial.train(self.place, [data["train"], "--test", data["test"], *task.options, "--engine", "serial",
                                        "--epochs", 3, "--save", model, "--no-cache"],
                           metric=task.target.metric, timeout=60)
        self.assertEqual(told.error, "")
        lines = model.read_text(encoding="utf-8").partition("\ncolumns ")[2].splitlines()[1:-1]
        return {int(column): rest for column, *rest in map(str.split, lines)}, told.points[-1].value

    def measured(self, task, write):
        """The value of the point of a script that writes vectors."""
        asked = types.SimpleNamespace(work=str(self.folder), options=task.options)
        line = types.SimpleNamespace(path=write(asked))
        with mock.patch.object(embeddings, "by_script", lambda *told: told[-1](line.path)):
            return embeddings.train("any", task, self.place, 1, {}, 1, timeout=60)

    def test_users_and_items_are_measured_as_a_run_measures_them(self):
        task = TASKS["tiny_visits"]
        columns, told = self.trained(task)
        columns = {column: [float(x) for x in row] for column, row in columns.items()}
        users, items = ([columns.get(c, [0.0] * 9) for c in range(first, max(columns) + 1, 2)] for first in (1, 2))

        def write(asked):
            return embeddings.write_pairs(asked, 1, *(Array(row[:-1] for row in rows) for rows in (users, items)),
                                          Array(row[-1] for row in items))
        self.assertAlmostEqual(self.measured(task, write), told, 9)

    def test_entities_and_relations_are_measured_as_a_run_measures_them(self):
        for model in ("transe", "distmult", "complex"):
            task = dataclasses.replace(TASKS["tiny_triples"], options=["--model", model, "--factors", "8"])
            columns, told = self.trained(task)
            rows = [{name: [float(x) for x in row] for c, (name, *row) in sorted(columns.items()) if c % 2 == odd}
                    for odd in (1, 0)]
            width = len(next(iter(rows[0].values()))) // 2
            tables = [Array(row[:width] for row in rows[0].values()),
                      Array([row[part] for part in (slice(width), slice(width, None)) for row in rows[1].values()])]
            value = self.measured(task, lambda asked, t=tables, r=rows: embeddings.write_triples(asked, 1, *t, *r))
            self.assertAlmostEqual(value, told, 9)

    def test_rows_of_pairs_and_triples_are_read(self):
        path = self.folder / "rows"
        path.write_text("0 3 4\n2 1\n5\n", encoding="ascii")
        self.assertEqual(embeddings.read_pairs(path), ([0, 0, 2], [3, 4, 1]))
        path.write_text("0 3 1\n2 1 5\n", encoding="ascii")
        with self.assertRaisesRegex(ValueError, "weights"):
            embeddings.read_pairs(path)
        path.write_text("a b\tr\tc\nc\ts\ta b\n", encoding="ascii")
        self.assertEqual(embeddings.read_triples(path), ([(0, 0, 1), (1, 1, 0)], ["a b", "c"], ["r", "s"]))

    def test_vectors_of_nodes_are_judged_by_the_labels_that_they_tell(self):
        task, vectors = TASKS["tiny_friends"], self.folder / "nodes.vec"

        def judged(vector, count=200):
            vectors.write_text(f"{count} 5\n" + "".join(f"{n} {vector(n)}\n" for n in range(count)), encoding="ascii")
            return nodes.macro_f1(task, self.place, vectors)
        # One group gets all nodes: 20 of 100 are right, F1 is 2 * 20 / 120 of one of five.
        self.assertEqual(judged(lambda n: " ".join("1" if n % 5 == k else "0" for k in range(5))), 1.0)
        self.assertLess(judged(lambda _: "1 0 0 0 0"), 0.1)
        with self.assertRaisesRegex(Unavailable, "node 150 has no vector"):
            judged(lambda _: "1 0 0 0 0", 150)
        self.assertEqual([p.name for p in self.folder.glob("nodes*")], ["nodes.vec"])

    def test_a_node_has_as_many_labels_told_as_it_has(self):
        labels = self.folder / "labels"
        labels.write_text("".join(f"{n} {'0,1' if n % 2 else '2'}\n" for n in range(40)), encoding="ascii")
        task = dataclasses.replace(TASKS["tiny_friends"], data=lambda _: {"labels": labels})
        vectors = self.folder / "nodes.vec"
        vectors.write_text("40 2\n" + "".join(f"{n} {n % 2} {1 - n % 2}\n" for n in range(40)), encoding="ascii")
        self.assertEqual(nodes.macro_f1(task, self.place, vectors), 1.0)

    def words_task(self):
        text, questions = self.folder / "words.txt", self.folder / "questions.txt"
        text.write_text("a b c d\n" * 30, encoding="ascii")
        questions.write_text(": all\na b c d\na c b d\nb a d c\na b d c\n", encoding="ascii")
        return Task("toy", "words", lambda _: {"train": text, "questions": questions}, ["--model", "glove", "--window",
                    "4", "--dimension", "2"], Target("analogies", 0.9, False, ""), {"": {}}, "", 6, judged=words.analogies)

    def test_glove_is_run_as_told_and_its_vectors_are_judged(self):
        task, programs = self.words_task(), self.folder / "programs"
        programs.mkdir()
        for name, does in (("vocab_count", "cat"), ("cooccur", "cat"), ("shuffle", "cat"),
                           ("glove", "printf 'a 1 1\\nb 1 2\\nc 2 1\\nd 2 2\\n' > vectors.txt")):
            path = programs / name
            path.write_text(f"#!/bin/sh\necho \"{name} $@\" >> {self.folder}/calls\n{does}\n", encoding="ascii")
            path.chmod(0o755)
        with mock.patch.dict(os.environ, {"HOGWILD_GLOVE": str(programs / "glove")}):
            self.assertEqual(glove.contestant.refuses(task), "")
            done = glove.contestant.run(task, self.place, 2, {"step": 0.05}, 7)
        self.assertEqual(done.error, "")
        self.assertEqual([(p.epochs, p.value) for p in done.points],
                         [(n, words.analogies(task, self.place, self.folder / "glove" / "headed.txt")) for n in (5, 6)]
                         [:len(done.points)])
        calls = (self.folder / "calls").read_text()
        for asked in ("-min-count 5", "-window-size 4", "-eta 0.05 -iter 5 -threads 2 -seed 7", "-x-max 10"):
            self.assertIn(asked, calls)
        with mock.patch.dict(os.environ, {"HOGWILD_GLOVE": "/no/such"}):
            self.assertIn("HOGWILD_GLOVE", glove.contestant.missing(self.place))

    def test_a_run_whose_vectors_are_judged_has_one_point_or_the_reason_why_not(self):
        task = self.words_task()
        run = [task.data(None)["train"], *task.options, "--engine", "serial", "--epochs", 3,
               "--no-cache"]

        def fails(_):
            raise Unavailable("nothing to see")
        done = trial.train(self.place, run, metric="analogies", timeout=60, judged=lambda path: path.stat().st_size)
        self.assertEqual([p.epochs for p in done.points], [3])
        self.assertGreater(done.points[0].value, 50)
        self.assertEqual(trial.train(self.place, run, metric="analogies", timeout=60, judged=fails).error,
                         "nothing to see")

    def test_packages_that_are_not_there_are_missing_with_a_reason(self):
        bare = self.folder / "python"
        bare.write_text("#!/bin/sh\nexit 1\n", encoding="ascii")
        bare.chmod(0o755)
        for name in PACKAGES:
            self.assertIn("--python", contestant(name).missing(dataclasses.replace(self.place, python=str(bare))))

    def test_each_kind_of_task_has_peers(self):
        taken = {name: [task for task in TASKS if not contestant(name).refuses(TASKS[task])] for name in
                 (*PACKAGES, "glove")}
        self.assertEqual({name: [task for task in tasks if not task.startswith("tiny")] for name, tasks in taken.items()},
                         {"implicit_bpr": ["gowalla"], "lightfm": ["gowalla", "gowalla_warp"],
                          "fasttext_classifier": ["cooking"], "gensim_walks": ["blogcatalog"], "pecanpy": ["blogcatalog", "blogcatalog_biased"],
                          "torch_triples": ["facts", "facts_products", "facts_complex"], "napkinxc": ["bibtex"],
                          "glove": ["words_counted"]})

    def test_packages_that_are_there_learn(self):
        rows = self.folder / "tree.svm"
        rows.write_text("".join(f"{n % 3},{3 + n % 2} {n % 3 + 1}:1 {n % 2 + 4}:1\n" for n in range(60)), encoding="ascii")
        tree = dataclasses.replace(TASKS["bibtex"], data=lambda _: {"train": rows, "test": rows})
        there = [name for name in PACKAGES if not contestant(name).missing(self.place)]
        if not there:
            self.skipTest("no package of a peer is installed")
        for name in there:
            with self.subTest(name):
                task = TASKS.get(PACKAGES[name], tree)
                done = contestant(name).run(task, self.place, 1, contestant(name).settings(task), 1)
                self.assertEqual(done.error, "")
                self.assertGreater(done.points[-1].value, 0.15)


if __name__ == "__main__":
    unittest.main()
