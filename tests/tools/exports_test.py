#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Models in the forms of other programs, which score rows as `hogwild predict` does: exports_test.py HOGWILD COMPILER"""
import csv
import math
import pathlib
import random
import shutil
import subprocess
import unittest

from exported import by_json, export_case

# The rows of numbers: (label, {column: value}).
MODELS = {
    "logistic": ("two", ["--model", "logistic", "--bias"]),
    "hinge_svm": ("two", ["--model", "hinge_svm"]),
    "modified_huber": ("two", ["--model", "modified_huber", "--bias"]),
    "huber": ("number", ["--model", "huber", "--bias"]),
    "poisson": ("count", ["--model", "poisson", "--bias"]),
    "softmax": ("three", ["--model", "softmax", "--bias"]),
    "softmax_of_two": ("two", ["--model", "softmax"]),
    "rest": ("three", ["--model", "softmax", "--class-loss", "one_vs_rest"]),
    "ovr": ("three", ["--model", "logistic", "--bias", "--multiclass", "ovr"]),
    "svms": ("three", ["--model", "squared_hinge", "--multiclass", "ovr"]),
    "pairs": ("two", ["--model", "factorization_machine", "--factors", "3"]),
    "numbers_of_pairs": ("number", ["--model", "factorization_machine", "--loss", "squared", "--factors", "4"]),
    "vote": ("two", ["--model", "hinge_svm", "--ensemble", "3", "--combine", "vote"]),
    "mean_of_numbers": ("number", ["--model", "least_squares", "--bias", "--ensemble", "3"]),
    "mean": ("two", ["--model", "logistic", "--bias", "--ensemble", "3"]),
}
COLUMNS = [1, 2, 3, 5, 8, 13, 40]


def rows_of(kind, count, seed):
    draw = random.Random(seed)
    rows = []
    for _ in range(count):
        entries = {j: round(draw.uniform(-2, 2), 3) for j in COLUMNS if draw.random() < 0.7}
        score = sum(x * math.cos(j) for j, x in entries.items()) + entries.get(1, 0) * entries.get(2, 0)
        rows.append(({"two": 1 if score > 0 else -1, "three": 7 if score < -1 else 9 if score < 1 else 30,
                      "number": 20 + 3 * score, "count": int(max(0, 2 + score))}[kind], entries))
    return rows


def as_libsvm(rows):
    return "".join(f"{label} " + " ".join(f"{j}:{x}" for j, x in entries.items()) + "\n" for label, entries in rows)


class exports(export_case):
    def trained(self, name):
        """The model, 200 rows to be predicted, and their file."""
        kind, words = MODELS[name]
        data = self.write(f"{name}.svm", as_libsvm(rows_of(kind, 300, 1)))
        rows = rows_of(kind, 200, 2)
        model = str(self.folder / f"{name}.bin")
        self.run_command("train", data, *words, "--engine", "serial", "--epochs", "5", "--quiet", "--no-cache", "--save", model)
        return model, rows, self.write(f"{name}.test.svm", as_libsvm(rows))

    def test_json_says_all_that_a_score_needs(self):
        for name in MODELS:
            model, rows, test = self.trained(name)
            scorer = by_json(self.exported(model, f"{name}.json"))
            named = [{str(j): x for j, x in entries.items()} for _, entries in rows]
            self.assert_same([str(scorer.prediction(z)) for z in named], self.predicted(model, test), name)
            if scorer.said["link"] not in ("identity", "exponential"):
                said = [" ".join(map(str, scorer.probabilities(z))) for z in named]
                self.assert_same(said, self.predicted(model, test, "--probabilities"), name)
            self.assertEqual(scorer.said["first_column"], 1)

    def test_csv_has_the_same_numbers_as_json(self):
        for name in MODELS:
            model, _, _ = self.trained(name)
            said = by_json(self.exported(model, f"{name}.json")).said
            with open(self.exported(model, f"{name}.csv"), newline="") as file:
                heading, constant, *lines = list(csv.reader(file))
            several = said["labels"]["texts"] if said["decision"] == "greatest" else [
                f"weight_{k + 1}" for k in range(said["outputs"])]
            self.assertEqual(heading, ["name"] + (several if said["outputs"] > 1 else ["weight"]) +
                             [f"factor_{f + 1}" for f in range(said["factors"])])
            self.assertEqual(constant[0], "(intercept)")
            self.assertEqual([float(x) for x in constant[1:] if x], said["intercept"])
            self.assertEqual([(line[0], [float(x) for x in line[1:]]) for line in lines],
                             [(c["name"], c["weights"] + c.get("factors", [])) for c in said["columns"]])

    @unittest.skipUnless(shutil.which("liblinear-predict"), "liblinear-predict is not installed (liblinear-tools)")
    def test_liblinear_predicts_the_same(self):
        for name in ("logistic", "hinge_svm", "modified_huber", "huber", "softmax", "softmax_of_two", "rest", "ovr", "svms"):
            model, _, test = self.trained(name)
            written, said = self.exported(model, f"{name}.liblinear"), str(self.folder / "said")
            subprocess.run(["liblinear-predict", test, written, said], check=True, stdout=subprocess.DEVNULL)
            self.assert_same(pathlib.Path(said).read_text().split(), self.predicted(model, test), name)
            has = subprocess.run(["liblinear-predict", "-b", "1", test, written, said], capture_output=True, check=False)
            self.assertEqual(has.returncode == 0, name in ("logistic", "rest", "ovr"), name)
            if has.returncode == 0:
                lines = [line.split()[1:] for line in pathlib.Path(said).read_text().splitlines()[1:]]
                wanted = [line.split() for line in self.predicted(model, test, "--probabilities")]
                if name == "logistic":  # of the larger label, which LIBLINEAR has first
                    lines = [line[:1] for line in lines]
                else:  # LIBLINEAR divides those of several classes by their sum
                    wanted = [[str(float(p) / sum(map(float, line))) for p in line] for line in wanted]
                self.assert_same([" ".join(line) for line in lines], [" ".join(line) for line in wanted], name)

    def test_vowpal_wabbit_reads_the_same_weights(self):
        for name in ("logistic", "poisson", "huber", "softmax", "svms"):
            model, rows, test = self.trained(name)
            head, weights = self.vw_weights(self.exported(model, f"{name}.vw"))
            scorer = by_json(self.exported(model, f"{name}.json"))
            outputs, texts = scorer.said["outputs"], scorer.said["labels"]["texts"]
            shift, mask = (outputs - 1).bit_length(), 2 ** int(head["bits"]) - 1
            constant = 11650396 if any(n == "Constant" for n, _ in weights.values()) else None
            self.assertEqual("--noconstant" in head["options"], constant is None)
            self.assertEqual(" --oaa 3" in head["options"], outputs == 3)
            said = []
            for _, entries in rows:
                features = {**entries, **({constant: 1.0} if constant else {})}
                margins = [sum(x * weights.get(((j << shift) & mask) + k, ("", 0.0))[1] for j, x in features.items())
                           for k in range(outputs)]
                said.append(texts[margins.index(max(margins))] if outputs == 3 else
                            str(math.exp(margins[0])) if "--link poisson" in head["options"] else
                            str(margins[0]) if name == "huber" else texts[margins[0] > 0])
            self.assert_same(said, self.predicted(model, test), name)
            self.assertEqual(weights[(5 << shift) & mask][0], "5")

    def test_text_of_vowpal_wabbit_keeps_its_indices(self):
        kept = rows_of("two", 300, 1)
        data, test = (self.write(name, "".join(f"{label} | " + " ".join(f"{j}:{x}" for j, x in z.items()) + "\n" for label, z in rows))
                      for name, rows in (("train.vw", kept), ("test.vw", rows_of("two", 200, 2))))
        model = str(self.folder / "vw.bin")
        self.run_command("train", data, "--model", "logistic", "--bias", "--interactions", "f*g", "--ignore", "h", "--word-ngrams", "2",
                         "--hash-bits", "20", "--epochs", "5", "--quiet", "--no-cache", "--save", model)
        head, weights = self.vw_weights(self.exported(model, "model.vw"))
        self.assertEqual((head["bits"], head["1 ngram"].strip()), ("20", "2"))
        self.assertEqual(head["options"].split(), "--ignore h --interactions fg --link logistic".split())
        constant = weights[11650396 % 2**20][1]
        features = [{j: x for j, x in z.items()} for _, z in rows_of("two", 200, 2)]
        said = []
        for z in features:  # a run of two features a, b has the index a * 27942141 + b in Vowpal Wabbit
            pairs = [(a * 27942141 + b) % 2**20 for a, b in zip(z, list(z)[1:])]
            margin = constant + sum(x * weights.get(j, ("", 0))[1] for j, x in z.items()) + sum(
                weights.get(j, ("", 0))[1] for j in pairs)
            said.append("1" if margin > 0 else "-1")
        self.assert_same(said, self.predicted(model, test), "labels")

    def test_a_header_compiles_alone_and_predicts_the_same(self):
        names = [name for name in MODELS if "--ensemble" not in MODELS[name][1]]
        tests, scorers = {}, {}
        program = ["#include <cstdio>", "#include <cstdlib>", "#include <fstream>", "#include <iostream>",
                   "#include <sstream>", "#include <string>", "#include <vector>"]
        for name in names:
            model, _, tests[name] = self.trained(name)
            scorers[name] = by_json(self.exported(model, f"{name}.json")).said
            self.exported(model, f"{name}.hpp")
            program.append(f'#include "{name}.hpp"')
        program.append("int main(int, char** argv) {\n  std::string line;\n  const std::string model = argv[1];\n"
                       "  while (std::getline(std::cin, line)) {\n    std::istringstream in(line.substr(line.find(' ')));\n"
                       "    std::vector<std::uint32_t> index;\n    std::vector<float> value;\n"
                       "    for (std::string word; in >> word;) {\n"
                       "      index.push_back(static_cast<std::uint32_t>(std::atoi(word.c_str())));\n"
                       "      value.push_back(std::strtof(word.c_str() + word.find(':') + 1, nullptr));\n    }")
        for name in names:
            said, space = scorers[name], f"{name}_model::"
            row = "(index.data(), value.data(), index.size())"
            program.append(f'    if (model == "{name}") {{\n      std::printf("%.9g", {space}predict{row});')
            if said["decision"] == "sign" and said["link"] != "identity":
                program.append(f'      std::printf(" %.9g", {space}probability{row});')
            if said["decision"] == "greatest" and said["link"] != "identity":
                program.append(f'      for (const double p : {space}probabilities{row}) std::printf(" %.9g", p);')
            program.append('      std::printf("\\n");\n    }')
        source = self.write("program.cpp", "\n".join(program) + "\n  }\n}\n")
        self.compile(source)
        for name in names:
            with open(tests[name]) as rows:
                lines = [line.split() for line in subprocess.run([self.folder / "program", name], stdin=rows, check=True,
                                                                 capture_output=True, text=True).stdout.splitlines()]
            model = str(self.folder / f"{name}.bin")
            self.assert_same([line[0] for line in lines], self.predicted(model, tests[name]), name)
            if len(lines[0]) > 1:
                self.assert_same([" ".join(line[1:]) for line in lines],
                                 self.predicted(model, tests[name], "--probabilities"), name)


if __name__ == "__main__":
    unittest.main()
