#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Other people's programs as contestants, played by fakes. Usage: peers_test.py HOGWILD"""
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
from contestants import (fasttext, gensim, libmf, liblinear, max_flow, numasvm, sklearn_logistic,  # noqa: E402
                         sklearn_sgd, torch_all_reduce, torch_hogwild, vowpal_wabbit, xlearn_fm)
from suite import made, peer, trial, words  # noqa: E402
from suite.terms import Outcome, Place, Point, Target, Task, Unavailable  # noqa: E402

HOGWILD = pathlib.Path(sys.argv.pop(1)).resolve()
ROWS = "+1 1:1\n-1 2:1\n+1 1:1 3:0.5\n-1 2:2\n"


class Peers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "rows.svm").write_text(ROWS, encoding="ascii")
        self.place = Place(HOGWILD, None, self.folder, sys.executable)
        self.task = Task("toy", "linear", lambda _: {"train": self.folder / "rows.svm"},
                         ["--model", "logistic", "--l2", "0.5"], Target("objective", 0.6, True, "made up"),
                         {"": {}}, "", 3)

    def program(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
        return mock.patch.dict(os.environ, {"PATH": f"{self.folder}:{os.environ['PATH']}"})

    def run_liblinear(self, text):
        with self.program("liblinear-train", text):
            return liblinear.contestant.run(self.task, self.place, 1, {"tolerance": 0.1, "primal": 1}, 1)

    def test_weights_are_measured_by_our_evaluator_with_l2(self):
        self.assertAlmostEqual(peer.objective(self.task, self.place, self.task.data(None), {}), 0.693147, 5)
        # log(1 + exp(-2)), four times at margins 2, 2, 2 and 4, and l2 / 2 (4 + 4).
        value = peer.objective(self.task, self.place, self.task.data(None), {1: [2.0], 2: [-2.0], 3: [0.0]})
        self.assertAlmostEqual(value, (3 * 0.126928 + 0.018150) / 4 + 2.0, 5)

    def test_liblinear_is_given_our_objective_and_read_back(self):
        done = self.run_liblinear("#!/bin/sh\necho \"$@\" >> $(dirname $0)/calls\nfor last; do :; done\n"
                                  "printf 'solver_type L2R_LR\\nnr_class 2\\nlabel -1 1\\nnr_feature 3\\nbias -1\\nw\\n"
                                  "-0.5 \\n0.5 \\n0 \\n' > $last\n")
        self.assertEqual(done.error, "")
        self.assertIn("-c 0.5", (self.folder / "calls").read_text())  # 1 / (4 rows x 0.5)
        # Its first label is -1: weights 0.5 and -0.5 for us.
        want = peer.objective(self.task, self.place, self.task.data(None), {1: [0.5], 2: [-0.5]})
        self.assertAlmostEqual(done.points[0].value, want, 6)
        self.assertLess(done.train_seconds, done.total_seconds)

    def test_training_that_reading_hides_has_taken_time(self):
        (self.place.work / "liblinear.model").write_text("nr_class 2\nlabel 1 -1\nw\n0.5 \n")
        # Its first call, which reads, is the slower one.
        ended = iter(trial.Ended(0, seconds, seconds, 1, "", False) for seconds in (2.0, 1.5))
        with mock.patch.object(liblinear, "program", lambda: "liblinear-train"), \
                mock.patch.object(liblinear, "ran", lambda _: next(ended)):
            done = liblinear.contestant.run(self.task, self.place, 1, {"tolerance": 0.1, "primal": 1}, 1)
        self.assertEqual(done.error, "")
        self.assertEqual((done.points[0].seconds, done.parse_seconds, done.total_seconds), (0.001, 2.0, 1.5))

    def test_a_run_for_each_number_of_epochs_ends_at_the_target(self):
        ended, values = trial.Ended(0, 2.0, 1.0, 1, "", False), iter((0.9, 0.7, 0.6, 0.1))
        asked = []
        done = peer.by_counts(dataclasses.replace(self.task, epochs=8), lambda n: asked.append(n) or ended,
                              lambda: next(values), (1, 2, 4, 8), 0)
        self.assertEqual((asked, [p.epochs for p in done.points]), ([0, 1, 2, 4], [1, 2, 4]))
        with self.assertRaisesRegex(Unavailable, "no point"):
            peer.by_counts(dataclasses.replace(self.task, epochs=2), lambda _: ended, None, (4, 8), 0)

    def test_what_fails_or_leaves_nonsense_is_told(self):
        self.assertIn("no memory", self.run_liblinear("#!/bin/sh\necho no memory >&2\nexit 1\n").error)
        self.assertTrue(self.run_liblinear("#!/bin/sh\nfor last; do :; done\necho nonsense > $last\n").error)

    def test_what_is_not_there_is_missing_with_a_reason(self):
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            self.assertIn("liblinear-tools", liblinear.contestant.missing(self.place))
        (self.folder / "python").write_text("#!/bin/sh\nexit 1\n")
        (self.folder / "python").chmod(0o755)
        bare = Place(HOGWILD, None, self.folder, str(self.folder / "python"))
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}):
            self.assertIn("apt-get install fasttext", fasttext.contestant.missing(bare))
        for other in (gensim, max_flow, sklearn_logistic, sklearn_sgd, torch_all_reduce, torch_hogwild, vowpal_wabbit,
                      xlearn_fm):
            self.assertIn("--python", other.contestant.missing(bare))

    def test_a_script_tells_points_and_one_that_hangs_is_ended(self):
        script = self.folder / "script.py"
        found = mock.patch.dict(os.environ, {"PYTHONPATH": str(self.folder)})
        found.start(), self.addCleanup(found.stop)
        script.write_text("from suite import point\ndef main(asked):\n  path = asked.work + '/w.txt'\n"
                          "  open(path, 'w').write('1 2.0\\n2 -2.0\\n')\n  print('noise')\n"
                          "  for epoch in range(1, 9):\n"
                          "    point.tell(seconds=0.5 * epoch, epochs=epoch, weights=path, parse_seconds=0.1)\n")
        done = peer.by_script("script", self.task, self.place, 1, {}, 1, self.task.data(None))
        self.assertEqual((done.points[0].seconds, done.parse_seconds), (0.5, 0.1))
        self.assertAlmostEqual(done.points[0].value, (3 * 0.126928 + 0.018150) / 4 + 2.0, 5)
        self.assertEqual([p.epochs for p in done.points], [1, 2, 3, 4, 6, 8])
        near = dataclasses.replace(self.task, target=Target("objective", done.points[0].value, True, ""))
        done = peer.by_script("script", near, self.place, 1, {}, 1, self.task.data(None))
        self.assertEqual([p.epochs for p in done.points], [1])
        script.write_text("def main(_): print('noise')\n")
        with self.assertRaisesRegex(Unavailable, "no point"):
            peer.by_script("script", self.task, self.place, 1, {}, 1, self.task.data(None))
        script.write_text("import time\ndef main(_): time.sleep(60)\n")
        with self.assertRaisesRegex(Unavailable, "longer than"):
            peer.by_script("script", self.task, self.place, 1, {}, 1, self.task.data(None), timeout=0.5)

    def test_few_points_are_measured_but_all_around_the_target(self):
        told = [Point(k, k, None) for k in range(1, 41)]
        few = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 40]
        for passing, want in ((11, [1, 2, 3, 4, 6, 8, 9, 10, 11, 12]), (1, [1]), (40, [*few[:-1], *range(33, 41)]),
                              (99, few)):
            found = peer.Thinned(
                lambda p, passing=passing: Point(p.seconds, p.epochs, 0.5 if p.epochs >= passing else 0.7),
                self.task.target)
            if not any(map(found.passes, told)):
                found.newest_passes()
            self.assertEqual([p.epochs for p in found.points], want)

    def test_vowpal_wabbit_reads_rows_and_is_read_back(self):
        rows = self.folder / "rows.vw"
        self.assertEqual(vowpal_wabbit.convert(self.folder / "rows.svm", rows), 3)
        self.assertEqual(rows.read_text(), "1 | 1:1\n-1 | 2:1\n1 | 1:1 3:0.5\n-1 | 2:2\n")
        rows.write_text("Version 9\n0 ngram:\nl2_state 0.5\n:0\n1:2.0 8.1 0.4\n3:-1.0\n")
        self.assertEqual(vowpal_wabbit.weights_of(rows), {1: 1.0, 3: -0.5})

    def test_what_numasvm_prints_is_our_objective(self):
        rows = self.folder / "rows.svm"
        task = Task("toy", "linear", lambda _: {"train": rows, "test": rows}, ["--model", "hinge_svm", "--l2", "0.5"],
                    self.task.target, {"": {}}, "", 2)
        # With weights 0.5 and -0.5 the margins are 0.5, 0.5, 0.5 and 1: the summed loss is 1.5, half the norm 0.25.
        with self.program("numasvm", "#!/bin/sh\ncd $(dirname $0)\necho \"$@\" > calls\n"
                                     "echo 'epoch: 1 wall_clock: 9.0 train_time: 0.5 test_time: 0.1 epoch_time: 0.5 "
                                     "train_rmse: 0.612372 test_rmse: 0.6 obj: 1.75 train_acc: 1 test_acc: 0.75'\n"):
            asked = [dataclasses.replace(task, target=Target(metric, 0.6, metric == "objective", ""))
                     for metric in ("objective", "test_accuracy")]
            points = [numasvm.contestant.run(each, self.place, 2, {"step": 0.5, "decay": 0.9}, 1).points
                      for each in asked]
        want = peer.objective(task, self.place, task.data(None), {1: [0.5], 2: [-0.5]})
        self.assertEqual([(p.seconds, p.epochs) for p in points[0]], [(0.5, 1)])
        self.assertAlmostEqual(points[0][0].value, want, 5)
        self.assertEqual(points[1][0].value, 0.75)
        self.assertIn("--mu 2.0 --stepinitial 0.5 --step_decay 0.9 --splits 2", (self.folder / "calls").read_text())
        self.assertEqual((self.folder / "numasvm.test.tsv").read_text().splitlines()[3:7],
                         ["1\t1\t1", "2\t-2\t1", "2\t0\t1", "2\t2\t0.5"])
        with mock.patch.dict(os.environ, {"HOGWILD_NUMASVM": "/no/such"}):
            self.assertIn("HOGWILD_NUMASVM", numasvm.contestant.missing(self.place))

    def test_libmf_is_measured_on_the_test_rows(self):
        ratings = self.folder / "ratings.tsv"
        ratings.write_text("0\t0\t2.5\n1\t1\t1\n")  # products: 0.5 + 2, and none
        task = Task("toy", "ratings", lambda _: {"train": ratings, "test": ratings},
                    ["--model", "matrix_factorization", "--factors", "2"], Target("test_rmse", 0.8, True, ""),
                    {"": {}}, "", 3)
        with self.program("mf-train", "#!/bin/sh\nfor last; do :; done\nprintf 'f 0\\nm 2\\nn 2\\nk 2\\nb 1\\n"
                                      "p0 T 1 2\\np1 F nan nan\\nq0 T 0.5 1\\nq1 T 1 1\\n' > $last\n"):
            done = libmf.contestant.run(task, self.place, 1, {"step": 0.1, "l2": 0.05}, 1)
        self.assertEqual(done.error, "")
        self.assertAlmostEqual(done.points[-1].value, 0.5 ** 0.5, 5)

    def test_xlearn_is_measured_with_pairs_and_l2(self):
        model = self.folder / "fm.txt"
        model.write_text("bias: 0\ni_0: 0\ni_1: 2\ni_2: -2\ni_3: 0\nv_0: 0 0\nv_1: 1 0\nv_2: 0 0\nv_3: 2 0\n")
        task = Task("toy", "machine", self.task.data,
                    ["--model", "factorization_machine", "--factors", "2", "--l2", "0.5"], self.task.target,
                    {"": {}}, "", 3)
        # Margins 2, 2, 2 + 0.5 x 2 and 4; squares 4 + 4 + 1 + 4.
        want = (2 * 0.126928 + 0.048587 + 0.018150) / 4 + 0.25 * 13
        self.assertAlmostEqual(xlearn_fm.measured(task, self.place, self.task.data(None), model), want, 5)

    def words_task(self):
        text = self.folder / "words.txt"
        text.write_text("\n".join(line for _, line in made.sentences(250)) + "\n")
        options = ["--model", "skip_gram", "--dimension", "8", "--window", "3"]
        target = Target("objective", 0.0, True, "")
        return Task("toy", "words", lambda _: {"train": text}, options, target, {"": {}}, "", 2)

    def trained(self, task):
        """Both vectors of each word after a run of ours, and the last objective that it reported."""
        model, text = self.folder / "our.model", self.folder / "our.txt"
        arguments = [task.data(None)["train"], *task.options, "--engine", "serial", "--epochs", "4", "--step", "0.1",
                     "--save", model]
        told = trial.train(self.place, arguments, metric="objective", timeout=60)
        subprocess.run([HOGWILD, "convert", model, text], check=True, capture_output=True)
        lines = text.read_text().partition(" named\n")[2].splitlines()[:-1]
        return {w: [float(x) for x in numbers] for _, w, *numbers in map(str.split, lines)}, told.points[-1].value

    def test_word_vectors_are_measured_as_a_run_measures_them(self):
        task = self.words_task()
        vectors, told = self.trained(task)
        self.assertGreater(len(vectors), 100)
        self.assertAlmostEqual(words.objective(task, self.place, task.data(None), vectors), told, 9)
        outputs_alone = {word: [0.0] * 8 + numbers[8:] for word, numbers in vectors.items()}
        # With input vectors of zeros nothing is predicted.
        self.assertGreater(words.objective(task, self.place, task.data(None), outputs_alone), told + 0.1)
        del vectors["t0w1"]
        with self.assertRaisesRegex(Unavailable, "t0w1"):
            words.objective(task, self.place, task.data(None), vectors)

    def test_fasttext_trains_what_we_do_and_both_of_its_files_are_read(self):
        task = self.words_task()
        vectors, told = self.trained(task)
        for name, part in (("inputs", slice(8)), ("outputs", slice(8, 16))):
            lines = (f"{word} {' '.join(map(str, numbers[part]))} \n" for word, numbers in vectors.items())
            (self.folder / name).write_text(f"{len(vectors) + 1} 8\n</s> {'1 ' * 8}\n{''.join(lines)}")
        with self.program("fasttext", "#!/bin/sh\ncd $(dirname $0)\necho \"$@\" >> calls\ncp inputs fasttext.vec\n"
                                      "cp outputs fasttext.output\n"):
            done = fasttext.contestant.run(task, self.place, 2, {"step": 0.1}, 5)
        self.assertEqual(done.error, "")
        self.assertEqual([p.epochs for p in done.points], [1, 2])
        self.assertAlmostEqual(done.points[-1].value, told, 9)
        calls = (self.folder / "calls").read_text()
        for asked in ("-minn 0 -maxn 0", "-dim 8 -ws 3 -neg 5 -t 0.0001 -minCount 5", "-epoch 2 -thread 2 -seed 5"):
            self.assertIn(asked, calls)

    def test_gensim_learns_words(self):
        why = gensim.contestant.missing(self.place)
        if why:
            self.skipTest(why)
        done = gensim.contestant.run(self.words_task(), self.place, 1, {"step": 0.1}, 1)
        self.assertEqual((done.error, [p.epochs for p in done.points]), ("", [1, 2]))
        self.assertLess(done.points[1].value, done.points[0].value)

    def test_faults_of_a_peer_are_outcomes(self):
        def broken(*_):
            raise ValueError("no number")
        made = peer.Peer("made", lambda _: "1", ("linear",), broken, {"step": [1, 2, 3]})
        self.assertEqual(made.settings(self.task), {"step": 2})
        self.assertEqual(made.run(self.task, self.place, 1, {}, 1), Outcome([], error="ValueError: no number"))
        self.assertIn("cut", max_flow.contestant.families)
        self.assertIn("linear", max_flow.contestant.refuses(self.task))


if __name__ == "__main__":
    unittest.main()
