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


class groups(with_models):
    def test_of_a_table_have_the_measures_of_their_own_rows(self):
        draw, lines = random.Random(8), []
        for _ in range(900):
            site, x = draw.choice(["north", "south, east", ""]), draw.gauss(0, 1)
            label = "yes" if draw.random() < 1 / (1 + math.exp(-2 * x - (site == "north"))) else "no"
            lines.append((site, f'"{site}",{x:.4f},{label}\n'))
        header = "site,x,bought\n"
        self.train = self.write("train.csv", header + "".join(line for _, line in lines))
        for options in ([], ["--calibrate", "platt", "--validation", "0.3"]):
            model = self.trained("--label", "bought", "--ignore", "site", "--numeric", "x", *options)
            told = self.measured(model, "--by", "site", rows=self.train)
            self.assertEqual([g["group"] for g in told["groups"]], list(dict.fromkeys(site for site, _ in lines)))
            for group in told["groups"]:
                own = self.write("own.csv", header + "".join(line for site, line in lines if site == group["group"]))
                alone = self.measured(model, rows=own)
                self.assertEqual(group["rows"], alone["rows"])
                for name in ("loss", "accuracy", "auc", "f1", "log_loss", "brier_score", "expected_calibration_error"):
                    self.assertAlmostEqual(group[name], alone[name], places=6, msg=name)
            self.assertIn("site north, ", self.said("evaluate", model, self.train, "--by", "site"))
        self.assertIn("'town'", self.said("evaluate", model, self.train, "--by", "town", code=3))

    def test_of_queries_count_by_weight_and_those_that_weigh_nothing_are_left_out(self):
        lines = (self.folder / "test.svm").read_text().splitlines()[:400]
        grouped = self.write("grouped.svm", "".join(line.replace(" ", f" qid:{k % 4} ", 1) + "\n" for k, line in enumerate(lines)))
        weights = self.write("w", "".join(f"{k % 4}\n" for k in range(400)))
        told = self.measured(self.trained("--model", "logistic"), "--by", "qid", "--weights", weights, rows=grouped)
        self.assertEqual([(g["group"], g["rows"]) for g in told["groups"]], [("1", 100), ("2", 100), ("3", 100)])
        for name in ("loss", "brier_score"):  # means: those of the groups make that of all
            mean = sum(g[name] * int(g["group"]) for g in told["groups"]) / 6
            self.assertAlmostEqual(told[name], mean, places=6)

    def test_refusals(self):
        model = self.trained("--model", "logistic")
        self.assertIn("reads none", self.said("evaluate", model, self.test, "--by", "site", code=2))
        self.assertIn("qid:NUMBER", self.said("evaluate", model, self.test, "--by", "qid", code=3))


class calibration(with_models):
    def kept(self, name):
        """The margins and probabilities of a calibration in a model that is text."""
        lines = iter((self.folder / name).read_text().splitlines())
        count = next(int(line.split()[2]) for line in lines if line.startswith("calibration isotonic"))
        return [tuple(map(float, next(lines).split())) for _ in range(count)]

    def test_every_model_of_two_labels_gets_probabilities_that_come_true(self):
        for model in ("hinge_svm", "logistic", "squared_hinge", "factorization_machine"):
            for kind in ("platt", "isotonic"):
                told = self.measured(self.trained("--model", model, "--validation", "0.4", "--calibrate", kind))
                with self.subTest(model=model, kind=kind):
                    self.assertLess(told["expected_calibration_error"], 0.06)
                    self.assertLess(told["brier_score"], 0.18)
        plain = self.measured(self.trained("--model", "hinge_svm", "--validation", "0.4"))
        self.assertNotIn("brier_score", plain)

    def test_probabilities_are_those_of_the_sigmoid_that_inspect_shows(self):
        model = self.trained("--model", "hinge_svm", "--validation", "0.4", "--calibrate", "platt", name="model.txt")
        shown = json.loads(self.said("inspect", model, "--json"))["calibration"]
        self.assertEqual(shown["by"], "platt")
        weights = {}
        for line in (self.folder / "model.txt").read_text().splitlines():
            if len(words := line.split()) == 2 and words[0].isdigit():
                weights[int(words[0])] = float(words[1])
        told = self.said("predict", model, self.test, "--probabilities").split()
        for line, p in zip((self.folder / "test.svm").read_text().splitlines(), told):
            margin = sum(weights[int(j)] * float(x) for j, x in (pair.split(":") for pair in line.split()[1:]))
            expected = 1 / (1 + math.exp(shown["slope"] * margin + shown["intercept"]))
            self.assertAlmostEqual(float(p), expected, delta=2e-5)

    def test_labels_follow_the_probability(self):
        # Few rows have the larger label, whose probability hardly ever reaches a half.
        self.train = self.write("few.svm", rows(4000, 4, rate=0.1))
        for kind in ("platt", "isotonic"):
            model = self.trained("--model", "hinge_svm", "--weight-positive", "9", "--validation", "0.5", "--calibrate", kind)
            told = [float(p) for p in self.said("predict", model, self.test, "--probabilities").split()]
            labels = self.said("predict", model, self.test).split()
            self.assertEqual(labels, ["1" if p >= 0.5 else "-1" for p in told])
            own = self.trained("--model", "hinge_svm", "--weight-positive", "9", "--validation", "0.5", name="plain.bin")
            self.assertNotEqual(labels, self.said("predict", own, self.test).split())
            given = [line.split()[0] for line in (self.folder / "test.svm").read_text().splitlines()]
            right = sum(a == b for a, b in zip(labels, given)) / len(given)
            self.assertAlmostEqual(self.measured(model)["accuracy"], right, places=12)
            self.assertAlmostEqual(self.measured(model)["auc"], self.measured(own)["auc"], places=12)

    def test_a_file_of_validation_rows_is_what_the_map_is_fitted_to(self):
        held = self.write("held.svm", rows(2000, 9))
        (self.folder / "w").write_text("2\n" * 2000)
        one = self.trained("--model", "hinge_svm", "--validation", held, "--calibrate", "isotonic", name="one.txt")
        self.trained("--model", "hinge_svm", "--validation", held, "--calibrate", "isotonic", "--validation-weights",
                     str(self.folder / "w"), name="weighted.txt")
        plain, weighted = self.kept("one.txt"), self.kept("weighted.txt")
        self.assertEqual([x for x, _ in plain], [x for x, _ in weighted])  # equal weights change nothing of it
        for (_, p), (_, q) in zip(plain, weighted):
            self.assertAlmostEqual(p, q, places=12)
        shown = json.loads(self.said("inspect", one, "--json"))["calibration"]
        self.assertEqual(shown, {"by": "isotonic",
                                 "margins": {"kept": len(plain), "least": plain[0][0], "most": plain[-1][0]},
                                 "probabilities": {"least": plain[0][1], "most": plain[-1][1]}})
        told = self.measured(one, rows=held)
        self.assertLess(told["expected_calibration_error"], 1e-6)  # on its own rows

    def test_the_same_run_makes_the_same_bytes_and_no_calibration_leaves_them_as_they_were(self):
        twice = [self.trained("--model", "hinge_svm", "--validation", "0.3", "--calibrate", "platt", name=name)
                 for name in ("a.bin", "b.bin")]
        a, b = ((self.folder / name).read_bytes() for name in ("a.bin", "b.bin"))
        self.assertEqual(a, b)
        plain = self.trained("--model", "hinge_svm", "--validation", "0.3", name="c.bin")
        none = self.trained("--model", "hinge_svm", "--validation", "0.3", "--calibrate", "none", name="d.bin")
        self.assertEqual((self.folder / "c.bin").read_bytes(), (self.folder / "d.bin").read_bytes())
        self.assertEqual((self.folder / "c.bin").read_bytes()[8], 1)
        self.assertEqual(len({*twice, plain, none}), 4)

    def test_forms_for_other_programs_hold_the_sigmoid_alone(self):
        words = ("--model", "hinge_svm", "--validation", "0.3", "--calibrate")
        model, form = self.trained(*words, "platt"), self.folder / "m.json"
        self.said("convert", model, str(form))
        formula = json.loads(form.read_text())
        weights = {one["column"]: one["weights"][0] for one in formula["columns"]}
        told = self.said("predict", model, self.test, "--probabilities").split()
        for line, p in zip((self.folder / "test.svm").read_text().splitlines(), told):
            pairs = (pair.split(":") for pair in line.split()[1:])
            margin = formula["intercept"][0] + sum(weights[int(j)] * float(x) for j, x in pairs)
            self.assertAlmostEqual(float(p), 1 / (1 + math.exp(-margin)), delta=2e-5)
        model = self.trained(*words, "isotonic")
        for name in ("m.json", "m.csv", "m.hpp", "m.liblinear"):
            to = ["--to", "liblinear"] if name.endswith("liblinear") else []
            said = self.said("convert", model, str(self.folder / name), *to, code=2)
            self.assertIn("hold no isotonic calibration", said)

    def test_ensembles_and_scaled_columns_are_calibrated(self):
        for words in (["--ensemble", "3"], ["--scale", "standard"], ["--bias"]):
            model = self.trained("--model", "squared_hinge", "--validation", "0.4", "--calibrate", "platt", *words)
            self.assertLess(self.measured(model)["expected_calibration_error"], 0.06, words)

    def test_margins_against_the_labels_are_told(self):
        held = self.write("held.svm", "\n".join(
            ("-1" if line.startswith("1") else "1") + line[line.index(" "):] for line in rows(500, 3).splitlines()) + "\n")
        for kind in ("platt", "isotonic"):
            done = self.run_command("train", self.train, "--model", "hinge_svm", "--engine", "serial", "--validation", held,
                                    "--calibrate", kind, "--save", str(self.folder / "m.bin"))
            self.assertIn("no more frequent", done.stderr)

    def test_refusals(self):
        for words, why in (
                (["--calibrate", "platt", "--save", "m.bin"], "give --validation FILE or --validation FRACTION as well"),
                (["--calibrate", "platt", "--validation", "0.2"], "give --save FILE as well"),
                (["--calibrate", "platt", "--validation", "0.2", "--model", "least_squares", "--save", "m.bin"], "two labels"),
                (["--calibrate", "platt", "--validation", "0.2", "--model", "softmax", "--save", "m.bin"], "two labels"),
                (["--calibrate", "sigmoid", "--validation", "0.2", "--save", "m.bin"], "isotonic"),
                (["--calibrate", "platt", "--validation", self.write("one.svm", "1 1:1\n1 2:1\n"), "--save", "m.bin"],
                 "do not have both labels")):
            self.assertIn(why, self.said("train", self.train, *words, code=2))
        self.assertIn("not for a stream", self.said("train", "-", "--stream", "--calibrate", "platt", "--save", "m.bin", code=2))


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
