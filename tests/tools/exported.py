# SPDX-License-Identifier: Apache-2.0
"""Scores of exported models: by the JSON alone, and the parts that tests of each form need."""
import json
import math
import pathlib
import subprocess
import sys

from command_case import command_case

COMPILER = sys.argv.pop(1)


class by_json:
    """Scores rows by what a JSON file says, and nothing else."""

    def __init__(self, path):
        self.said = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
        assert self.said["format"] == "hogwild model" and self.said["version"] == 1
        self.columns = {c["name"]: c for c in self.said["columns"]}

    def margins(self, entries):
        sums, known = list(self.said["intercept"]), [(self.columns[j], x) for j, x in entries.items() if j in self.columns]
        for column, x in known:
            for k, w in enumerate(column["weights"]):
                sums[k] += w * x
        for f in range(self.said["factors"]):
            terms = [column["factors"][f] * x for column, x in known]
            sums[0] += 0.5 * (sum(terms) ** 2 - sum(t * t for t in terms))
        return sums

    def linked(self, margins):
        link = {"identity": lambda m: m, "logistic": lambda m: 1 / (1 + math.exp(-m)),
                "clipped": lambda m: min(max((m + 1) / 2, 0), 1), "exponential": lambda m: math.exp(min(m, 30))}
        if self.said["link"] == "softmax":
            parts = [math.exp(m - max(margins)) for m in margins]
            return [p / sum(parts) for p in parts]
        return [link[self.said["link"]](m) for m in margins]

    def prediction(self, entries):
        margins, decision = self.margins(entries), self.said["decision"]
        linked, texts = self.linked(margins), self.said["labels"]["texts"]
        if decision == "number":
            return linked[0]
        if decision == "sign":
            return texts[margins[0] > 0]
        if decision == "greatest":
            return texts[margins.index(max(margins))]
        if self.said["labels"]["kind"] == "real":
            return sum(linked) / len(linked)
        middle = 0.0 if self.said["link"] == "identity" else 0.5
        votes = sum(1 if m > 0 else -1 for m in margins)
        if decision == "vote" and votes != 0:
            return texts[votes > 0]
        return texts[sum(linked) / len(linked) > middle]

    def probabilities(self, entries):
        linked, decision = self.linked(self.margins(entries)), self.said["decision"]
        return linked if decision == "greatest" else [sum(linked) / len(linked)]


class export_case(command_case):
    def predicted(self, model, test, *more):
        return self.said("predict", model, test, "--quiet", *more).splitlines()

    def exported(self, model, name):
        path = str(self.folder / name)
        self.run_command("convert", model, path)
        return path

    def assert_same(self, said, wanted, what):
        """Labels are the same text; numbers, and those of a line, differ by a few units of single precision."""
        self.assertEqual(len(said), len(wanted), what)
        for mine, theirs in zip(said, wanted):
            if mine == theirs:
                continue
            for a, b in zip(mine.split(), theirs.split(), strict=True):
                self.assertLessEqual(abs(float(a) - float(b)), 1e-5 * max(1, abs(float(b))), what)

    def vw_weights(self, path):
        """The header of a readable model, and {index: (name, weight)}."""
        head, _, body = pathlib.Path(path).read_text(encoding="utf-8").partition("\n:0\n")
        weights = {}
        for line in body.splitlines():
            *name, index, weight = line.rsplit(":", 2)
            self.assertNotIn(int(index), weights)
            weights[int(index)] = (name[0] if name else "", float(weight))
        self.assertEqual(list(weights), sorted(weights))
        return dict(line.partition(":")[::2] for line in head.splitlines() if ":" in line), weights

    def compile(self, source):
        done = subprocess.run([COMPILER, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow",
                               "-Werror", source, "-o", self.folder / "program"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
