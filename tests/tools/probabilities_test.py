# SPDX-License-Identifier: Apache-2.0
"""Probabilities from held-back rows (--calibrate), their measures, and the curves of --plot."""
import json
import math
import random
import unittest
import xml.etree.ElementTree as xml

from command_case import command_case

SVG = "{http://www.w3.org/2000/svg}"


def rows(count, seed, rate=0.5, flip=0.0):
    """Rows whose label depends on three columns, and by chance; about `rate` of them are positive."""
    draw = random.Random(seed)
    lines = []
    for _ in range(count):
        x = [draw.gauss(0, 1) for _ in range(3)]
        tilt = math.log(rate / (1 - rate))
        p = 1 / (1 + math.exp(-(1.5 * x[0] - x[1] + 0.2 * x[2] + 1.6 * tilt)))
        positive = draw.random() < p
        if draw.random() < flip:
            positive = not positive
        lines.append(("1" if positive else "-1") + "".join(f" {j + 1}:{v:.5f}" for j, v in enumerate(x)) + "\n")
    return "".join(lines)


def points_of(picture, name):
    [line] = [e for e in picture.iter(SVG + "polyline") if e.get("class") == name]
    pairs = [tuple(map(float, pair.split(","))) for pair in line.get("points").split()]
    return [((x - 60) / 380, (440 - y) / 380) for x, y in pairs]


def area(points):
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(points, points[1:]))


class with_models(command_case):
    def setUp(self):
        super().setUp()
        self.train = self.write("train.svm", rows(3000, 1))
        self.test = self.write("test.svm", rows(3000, 2))

    def trained(self, *words, name="model.bin"):
        path = str(self.folder / name)
        self.said("train", self.train, "--engine", "serial", "--epochs", "5", "--seed", "3", "--save", path, "--quiet", *words)
        return path

    def measured(self, model, *words, rows=None):
        return json.loads(self.said("evaluate", model, rows or self.test, "--json", *words))


class measures(with_models):
    def test_the_measures_are_those_of_the_printed_probabilities(self):
        model = self.trained("--model", "logistic")
        told = self.measured(model)
        given = [float(line.split()[0]) > 0 for line in (self.folder / "test.svm").read_text().splitlines()]
        said = [float(p) for p in self.said("predict", model, self.test, "--probabilities").split()]
        brier = sum((p - y)**2 for p, y in zip(said, given)) / len(given)
        self.assertAlmostEqual(told["brier_score"], brier, delta=1e-5)
        self.assertAlmostEqual(told["log_loss"], told["loss"], delta=1e-6)
        error = 0
        for k in range(15):
            inside = [(p, y) for p, y in zip(said, given) if min(int(p * 15), 14) == k]
            error += abs(sum(y for _, y in inside) - sum(p for p, _ in inside)) / len(given)
        self.assertAlmostEqual(told["expected_calibration_error"], error, delta=2e-3)  # printed digits change bins
        self.assertIn("Brier score", self.said("evaluate", model, self.test))

    def test_weights_count_as_that_many_rows(self):
        model = self.trained("--model", "logistic")
        lines = (self.folder / "test.svm").read_text().splitlines(keepends=True)[:300]
        some, weights = self.write("some.svm", "".join(lines)), self.write("w", "".join(f"{k % 3}\n" for k in range(300)))
        repeated = self.write("repeated.svm", "".join(line * (k % 3) for k, line in enumerate(lines)))
        one, other = self.measured(model, "--weights", weights, rows=some), self.measured(model, rows=repeated)
        for name in ("log_loss", "brier_score", "expected_calibration_error", "auc"):
            self.assertAlmostEqual(one[name], other[name], delta=1e-6, msg=name)


class plots(command_case):
    def picture(self, name, folder="plots"):
        return xml.parse(self.folder / folder / f"{name}.svg").getroot()

    def evaluate(self, count, *words, model="logistic", plots="plots"):
        train, test = self.write("train.svm", rows(2000, 5)), self.write("a & b <test>.svm", rows(count, 6))
        saved = str(self.folder / "model.bin")
        self.said("train", train, "--model", model, "--engine", "serial", "--save", saved, "--quiet", *words)
        return json.loads(self.said("evaluate", saved, test, "--json", "--plot", str(self.folder / plots)))

    def test_curves_begin_and_end_where_they_must_and_have_the_area_that_is_printed(self):
        for count in (40, 20000):
            told = self.evaluate(count)
            self.assertEqual(len(told["plots"]), 4)
            roc, gains = (points_of(self.picture(name), "curve") for name in ("roc", "gains"))
            for curve in (roc, gains):
                self.assertEqual((curve[0], curve[-1]), ((0, 0), (1, 1)))
                self.assertLessEqual(len(curve), 1026)
                for a, b in zip(curve, curve[1:]):
                    self.assertTrue(a[0] <= b[0] and a[1] <= b[1], (a, b))
            self.assertAlmostEqual(area(roc), told["auc"], delta=1e-3)
            steps = points_of(self.picture("precision_recall"), "curve")
            self.assertEqual((steps[0][0], steps[-1][0]), (0, 1))
            base = sum(line[0] == "1" for line in (self.folder / "a & b <test>.svm").read_text().splitlines()) / count
            self.assertAlmostEqual(steps[-1][1], base, delta=1e-4)
            precision = next(e.text for e in self.picture("precision_recall").iter(SVG + "text") if "average" in e.text)
            self.assertAlmostEqual(area(steps), float(precision.split()[-1]), delta=5e-3)
            heads = [e.text for e in self.picture("roc").iter(SVG + "text")][:2]
            self.assertEqual(heads[0], f"ROC: AUC {told['auc']:.4f}")
            self.assertIn(f"a & b <test>.svm, {count} rows", heads[1])
            dots = [e for e in self.picture("reliability").iter(SVG + "circle")]
            self.assertTrue(2 <= len(dots) <= 15)

    def test_equal_rows_make_equal_bytes(self):
        self.evaluate(500)
        self.evaluate(500, plots="again")
        for path in (self.folder / "plots").iterdir():
            self.assertEqual(path.read_bytes(), (self.folder / "again" / path.name).read_bytes())

    def test_models_without_probabilities_have_no_reliability(self):
        told = self.evaluate(500, model="hinge_svm")
        self.assertEqual(len(told["plots"]), 3)

    def test_several_classes_have_reliability_alone_and_numbers_nothing(self):
        lines = "".join(f"{k % 3} {k % 3 + 1}:1 4:{k % 7}\n" for k in range(300))
        data, saved = self.write("classes.svm", lines), str(self.folder / "model.bin")
        self.said("train", data, "--model", "softmax", "--engine", "serial", "--save", saved, "--quiet")
        told = json.loads(self.said("evaluate", saved, data, "--json", "--plot", str(self.folder / "plots")))
        self.assertEqual([path.rsplit("/", 1)[1] for path in told["plots"]], ["reliability.svg"])
        self.said("train", data, "--model", "least_squares", "--engine", "serial", "--save", saved, "--quiet")
        self.assertIn("--plot draws models", self.said("evaluate", saved, data, "--plot", str(self.folder / "p"), code=2))
        self.assertFalse((self.folder / "p").exists())

    def test_rows_of_one_label_have_no_curves(self):
        saved, one = str(self.folder / "model.bin"), self.write("one.svm", "1 1:1\n1 1:2\n")
        self.said("train", self.write("train.svm", rows(200, 5)), "--engine", "serial", "--save", saved, "--quiet")
        self.assertIn("one of the two labels only", self.said("evaluate", saved, one, "--plot", str(self.folder / "p"), code=2))


if __name__ == "__main__":
    unittest.main()
