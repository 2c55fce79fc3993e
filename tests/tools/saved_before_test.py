#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Files of version 0.1: models are read, checkpoints are refused, caches are made again.

saved_before_test.py HOGWILD FOLDER: the folder has models of each kind, as that version saved them, and beside each
NAME.predicted: its predictions for the rows of one of the data files there.
"""
import os
import pathlib
import shutil
import sys
import unittest

from command_case import HAS_NETS, command_case

SAVED = pathlib.Path(sys.argv.pop(1)).resolve()
os.umask(0o022)
NETS = ("mlp.bin", "convnet.bin", "deepfm.bin")  # are built where Eigen is

DATA = {
    "two.svm": ["logistic.bin", "logistic.txt", "hinge_svm.bin", "squared_hinge.bin", "modified_huber.bin", "vote.bin",
                "factorization_machine.bin"],
    "number.svm": ["least_squares.bin", "huber.bin", "quantile.bin", "epsilon_insensitive.bin",
                   "squared_epsilon_insensitive.bin"],
    "count.svm": ["poisson.bin"],
    "four.svm": ["softmax.bin", "softmax.txt", "one_vs_rest.bin", "mlp.bin"],
    "lists.svm": ["softmax_lists.bin"],
    "r.tsv": ["matrix_factorization.bin"],
    "rn.tsv": ["matrix_factorization_named.txt"],
    "f.ffm": ["ffm.bin", "deepfm.bin"],
    "g.graph": ["graph_cut.bin"],
    "d.max": ["graph_cut.txt"],
    "t-images-idx3-ubyte": ["convnet.bin"],
}
WORDS = {"skip_gram.vec": "skip_gram", "skip_gram.bin": "skip_gram"}
WORD_MODELS = ["skip_gram.model", "cbow.model"]


class saved_before(command_case):
    def test_models_predict_what_they_predicted(self):
        seen = set()
        for data, models in DATA.items():
            for name in models:
                seen.add(name)
                if name in NETS and not HAS_NETS:
                    continue
                more = ["--top", "2"] if name == "softmax_lists.bin" else []
                with self.subTest(model=name):
                    said = self.run_command("predict", SAVED / name, SAVED / data, "--no-cache", *more).stdout
                    before = (SAVED / f"{name}.predicted").read_text()
                    numbers, expected = [[float(x) for x in text.split()] for text in (said, before)]
                    self.assertEqual(len(numbers), len(expected))
                    for number, other in zip(numbers, expected):
                        self.assertAlmostEqual(number, other, delta=1e-5 * max(1.0, abs(other)))
        self.assertEqual(seen, {path.name.removesuffix(".predicted") for path in SAVED.glob("*.predicted")})

    def test_models_are_inspected_converted_and_begun_with(self):
        for data, models in DATA.items():
            for name in models:
                if name in NETS and not HAS_NETS:
                    continue
                with self.subTest(model=name):
                    self.run_command("inspect", SAVED / name)
                    self.run_command("convert", SAVED / name, self.folder / f"{name}.txt")
        self.run_command("train", SAVED / "two.svm", "--init", SAVED / "logistic.bin", "--no-cache", "--epochs", "1",
                         "--quiet")

    def test_word_vectors_are_begun_with(self):
        for name, model in WORDS.items():
            with self.subTest(vectors=name):
                self.run_command("train", SAVED / "corpus.txt", "--model", model, "--dimension", "3", "--min-count",
                                 "2", "--init", SAVED / name, "--epochs", "1", "--engine", "serial")
        for name in WORD_MODELS:
            with self.subTest(model=name):
                self.assertIn(name.split(".")[0], self.run_command("inspect", SAVED / name).stdout)

    def test_checkpoints_are_refused_by_a_sentence(self):
        checkpoint = self.folder / "run.checkpoint"
        shutil.copyfile(SAVED / "run.checkpoint", checkpoint)
        said = self.run_command("train", SAVED / "two.svm", "--no-cache", "--engine", "serial", "--epochs", "3",
                                "--step", "0.1", "--resume", checkpoint, code=3).stderr
        self.assertIn("this is a checkpoint of version 1", said)
        self.assertIn("begin it anew", said)

    def test_caches_are_made_again(self):
        for name, version, model in (("two.svm", 3, "logistic"), ("lists.svm", 4, "softmax")):
            for file in (name, f"{name}.hogwild"):
                shutil.copyfile(SAVED / file, self.folder / file)
            command = ["train", self.folder / name, "--model", model, "--engine", "serial", "--epochs", "1"]
            said = self.run_command(*command).stderr
            self.assertIn(f"has version {version}, not 5 or 6; the data are read again", said)
            self.assertNotIn("cache", self.run_command(*command).stderr)


if __name__ == "__main__":
    unittest.main()
