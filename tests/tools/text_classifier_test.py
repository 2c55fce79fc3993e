#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Labels of texts by vectors of words: text_classifier_test.py HOGWILD"""
import json
import random
import unittest

from command_case import command_case

TOPICS = ("billing", "delivery", "login")
OWN = {topic: [f"{topic[0]}{k}" for k in range(12)] for topic in TOPICS}
MODEL = ("--model", "text_classifier", "--dimension", "16", "--quiet")


def line(chance, *topics):
    words = [chance.choice(OWN[topic]) for topic in topics for _ in range(4)] + ["the", "of"]
    chance.shuffle(words)
    return " ".join([f"__label__{topic}" for topic in topics] + words)


def texts(seed, count, lists=False):
    chance = random.Random(seed)
    return "".join(line(chance, *chance.sample(TOPICS, 1 + (lists and k % 3 == 0))) + "\n" for k in range(count))


class text_classifier(command_case):
    def train(self, text, *more, save="model.bin", code=0):
        self.data, self.model = self.write("train.txt", text), str(self.folder / save)
        return self.said("train", self.data, *MODEL, "--save", self.model, *more, code=code)

    def predicted(self, text, *more):
        return self.said("predict", self.model, self.write("new.txt", text), "--quiet", *more).splitlines()

    def measured(self, text):
        return json.loads(self.said("evaluate", self.model, self.write("test.txt", text), "--json", "--quiet"))

    def test_labels_come_back_from_text_and_binary_models(self):
        for save in ("model.bin", "model.txt"):
            for more in ((), ("--class-loss", "one_vs_rest"), ("--word-ngrams", "2", "--char-ngrams", "2-3")):
                with self.subTest(save=save, more=more):
                    self.train(texts(1, 300), *more, save=save)
                    self.assertGreater(self.measured(texts(2, 200))["accuracy"], 0.95)
                    self.assertEqual(self.predicted("b1 b2 the\nd3 d4 of\nl5\n"), list(TOPICS))

    def test_unknown_words_count_for_nothing(self):
        self.train(texts(1, 300))
        known, more = self.predicted("b1 l2 b3\nb1 unheard l2 of_it b3\n", "--top", "3", "--probabilities")
        self.assertEqual(known, more)

    def test_a_text_without_a_known_word_has_no_better_label(self):
        self.train(texts(1, 300))
        said = json.loads(self.predicted("unheard of_it\n", "--top", "3", "--probabilities", "--json")[0])
        self.assertEqual(said["texts"], list(TOPICS))
        for probability in said["probabilities"]:
            self.assertAlmostEqual(probability, 1 / 3, 5)
        self.assertEqual(self.measured("__label__billing\n__label__login b1\n")["rows"], 2)

    def test_several_labels_of_a_text(self):
        for loss in ("softmax", "one_vs_rest"):
            with self.subTest(loss=loss):
                self.train(texts(3, 400, lists=True), "--class-loss", loss)
                told = self.measured(texts(4, 200, lists=True))
                self.assertGreater(told["precision_at_1"], 0.95)
                best = self.predicted("b1 b2 l1 l2 the\n", "--top", "2")[0].split()
                self.assertEqual(set(best), {"billing", "login"})

    def test_unknown_labels_are_left_out_of_texts_that_have_others(self):
        self.train(texts(3, 400, lists=True))
        test = self.write("test.txt", "__label__refund __label__billing b1 b2\n__label__login __label__delivery l1 d1\n")
        done = self.run_command("evaluate", self.model, test, "--json", "--no-cache")
        self.assertIn("1 label is none of the model's", done.stderr)
        self.assertEqual(json.loads(done.stdout)["precision_at_1"], 1.0)

    def test_labels_below_a_threshold_are_left_out(self):
        self.train(texts(1, 300))
        text = "b1 b2 b3\nunheard\n"
        self.assertEqual(self.predicted(text, "--top", "3", "--threshold", "0.5"), ["billing", ""])
        self.assertEqual(self.predicted(text, "--top", "2", "--threshold", "0.5", "--output-format", "csv"),
                         ["label_1,label_2", "billing,", ","])
        said = [json.loads(each) for each in self.predicted(text, "--top", "3", "--threshold", "0.5", "--json")]
        self.assertEqual([each["texts"] for each in said], [["billing"], []])
        with_probabilities = self.predicted(text, "--top", "2", "--threshold", "0.5", "--probabilities",
                                            "--output-format", "csv")
        self.assertEqual([each.count(",") for each in with_probabilities], [3, 3, 3])
        for more, why in ((("--threshold", "0.5"), "give that, too"), (("--top", "2", "--threshold", "2"), "0 to 1"),
                          (("--top", "2", "--threshold", "nan"), "threshold")):
            self.assertIn(why, self.said("predict", self.model, self.data, *more, code=2))

    def test_reproducible_runs_have_the_same_bits_with_any_number_of_threads(self):
        saved = []
        for workers in ("1", "3"):
            self.train(texts(5, 400), "--word-ngrams", "2", "--reproducible", "--workers", workers, "--epochs", "3")
            saved.append((self.folder / "model.bin").read_bytes())
        self.assertEqual(*saved)

    def test_word_vectors_come_and_go(self):
        self.train(texts(1, 300), "--word-ngrams", "2")
        vectors = str(self.folder / "words.vec")
        self.said("convert", self.model, vectors)
        written = (self.folder / "words.vec").read_text()
        head, *rows = written.splitlines()
        self.assertEqual(head, f"{12 * 3 + 2} 16")
        self.assertEqual({row.split()[0] for row in rows}, {*sum(OWN.values(), []), "the", "of"})

        own = self.write("own.vec", "2 16\nb1" + " 0.5" * 16 + "\nnever" + " 1" * 16 + "\n")
        for init, words in ((own, 1), (vectors, 38)):
            told = self.run_command("train", self.data, *MODEL[:-1], "--init", init, "--step", "1e-30", "--epochs", "1",
                                    "--save", self.model, "--no-cache").stderr
            self.assertIn(f"begins with {words * 16} of ", told)
        self.said("convert", self.model, str(self.folder / "again.vec"))
        self.assertEqual((self.folder / "again.vec").read_text(), written)
        for init, more, why in ((self.write("8.vec", "1 8\nb1" + " 1" * 8 + "\n"), (), "give --dimension 8"),
                                (own, ("--hash-bits", "10"), "without --hash-bits"),
                                (own, ("--init-groups", "vectors"), "word vectors are one group"),
                                (self.write("not.vec", "b1 0.5\n"), (), "not.vec:1:1")):
            self.assertIn(why, self.train(texts(1, 20), "--init", init, *more, code=2 if "not" not in init else 3))

    def test_fasttexts_form_is_refused_where_it_says_something_else(self):
        self.train(texts(1, 60), "--word-ngrams", "2", "--char-ngrams", "2-3")
        out = str(self.folder / "out.bin")
        self.assertIn("runs and parts of words", self.said("convert", self.model, out, "--to", "fasttext", code=2))
        self.train(texts(1, 60), "--min-rows", "2")
        self.assertIn("overwrite", self.said("convert", self.model, self.model, "--to", "fasttext", code=2))

    def test_a_quantised_model_is_smaller_and_predicts_nearly_the_same(self):
        self.train(texts(1, 600), "--word-ngrams", "2")
        small, test = str(self.folder / "small.bin"), self.write("test.txt", texts(2, 200))
        sizes, whole = [], self.model
        for more in ((), ("--no-norms", "--quantize-labels"), ("--sub-vector", "4"), ("--cutoff", "100")):
            told = json.loads(self.said("quantize", whole, small, "--test", test, "--json", "--quiet", *more))
            sizes.append((self.folder / "small.bin").stat().st_size)
            self.assertEqual(told["after"]["bytes"], sizes[-1])
            self.assertEqual(told["before"]["bytes"], (self.folder / "model.bin").stat().st_size)
            self.assertGreater(told["after"]["test_accuracy"], told["before"]["test_accuracy"] - 0.02)
            self.model = small
            self.assertEqual(self.measured(texts(2, 200))["accuracy"], told["after"]["test_accuracy"])
            self.assertEqual(self.predicted("b1 b2 the\nd3 d4 of\nl5\n"), list(TOPICS))
        self.assertEqual(told["after"]["columns"], 100)
        self.assertLess(sizes[2], sizes[0])
        self.assertLess(sizes[3], sizes[2])
        shown = json.loads(self.said("inspect", small, "--json"))["quantised_columns"]
        self.assertEqual(shown, {"sub_vector": 2, "centroids": 100, "norms": 100})
        text = self.said("quantize", whole, small)
        self.assertRegex(text, r"^before +\d+\.\d{3} MB, \d+ columns\nafter .*\nsmaller +\d+\.\d times\n$")
        before = (self.folder / "small.bin").read_bytes()
        self.said("quantize", whole, small)
        self.assertEqual((self.folder / "small.bin").read_bytes(), before)
        self.said("quantize", whole, small, "--seed", "2")
        self.assertNotEqual((self.folder / "small.bin").read_bytes(), before)
        self.said("convert", small, str(self.folder / "words.vec"))

        other = self.write("other.txt", "hogwild model 1\nmodel logistic\nlabels binary -1 1\nwidth 1\ncolumns 1\n1 2\nend\n")
        out, faulty = str(self.folder / "out.bin"), self.write("faulty.txt", "__label__ b1\n")
        for words, why in ((("quantize", small, out), "quantised already"), (("quantize", other, out), "is a logistic"),
                           (("quantize", whole, out, "--sub-vector", "17"), "1 to 16"),
                           (("quantize", whole, str(self.folder / "out.txt")), "not saved as text"),
                           (("quantize", whole, whole), "overwrite"),
                           (("quantize", whole, out, "--test", "-"), "read twice"),
                           (("convert", small, str(self.folder / "small.txt")), "not saved as text"),
                           (("train", self.data, *MODEL[:2], "--init", small), "is quantised")):
            self.assertIn(why, self.said(*words, code=2))
        self.assertIn("regular file", self.said("quantize", whole, out, "--test", str(self.folder), code=3))
        self.assertIn("faulty.txt:1:1", self.said("quantize", whole, out, "--test", faulty, code=3))
        self.assertFalse((self.folder / "out.bin").exists())

    def test_goes_on_from_a_saved_model(self):
        self.train(texts(1, 300))
        first = self.model
        self.train(texts(6, 100) + "__label__billing newword b1\n", "--init", first, "--epochs", "2", save="next.bin")
        self.assertGreater(self.measured(texts(2, 200))["accuracy"], 0.95)

    def test_other_rows_have_vectors_of_columns(self):
        self.data = self.write("t.svm", "1 1:1 4:2\n2 2:1 4:1\n3 3:-1 4:1\n" * 60)
        self.model = str(self.folder / "m.bin")
        self.said("train", self.data, *MODEL, "--save", self.model)
        self.assertEqual(self.said("predict", self.model, self.data).split()[:3], ["1", "2", "3"])
        self.assertIn("train it on text", self.said("convert", self.model, str(self.folder / "w.vec"), code=2))

    def test_what_does_not_suit_it_is_refused(self):
        for more, why in ((("--bias",), "leave out --bias"), (("--dimension", "0"), "dimension"),
                          (("--class-loss", "hinge"), "softmax"), (("--factors", "3"), "--factors")):
            self.assertIn(why, self.said("train", self.write("train.txt", texts(1, 20)), *MODEL[:2], *more, code=2))
        self.assertIn("nothing to tell apart", self.train("__label__a x y\n__label__a z\n", code=3))
        self.train(texts(1, 300))
        test = self.write("test.txt", "__label__refund b1\n")
        self.assertIn("test.txt:1:1: the label 'refund' is none", self.said("evaluate", self.model, test, code=3))


if __name__ == "__main__":
    unittest.main()
