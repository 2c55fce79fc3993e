#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tables from the file to the prediction: tables_test.py HOGWILD"""
import json
import pathlib
import random
import re
import unittest

from command_case import command_case

COLORS = ["red", "green", "blue"]


def clicks(rows, seed, columns=("age", "color", "click", "id")):
    """Whether somebody clicks depends on the colour and the age."""
    draw = random.Random(seed)
    lines = [",".join(columns)]
    for k in range(rows):
        color, age = draw.choice(COLORS), draw.randrange(18, 80)
        row = {"age": str(age) if k % 10 else "", "color": color, "id": f"u{k}",
               "click": "yes" if color == "red" or (color == "blue" and age > 40) else "no"}
        lines.append(",".join(row[c] for c in columns))
    return "\n".join(lines) + "\n"


class tables(command_case):
    def trained(self, *more, save="model.bin", rows=400):
        model = str(self.folder / save)
        data = self.write("train.csv", clicks(rows, 1))
        self.said("train", data, "--label", "click", "--ignore", "id", "--engine", "serial", "--epochs", "20", "--quiet",
                  "--save", model, *more)
        return model

    def test_a_model_reads_other_files_by_its_columns(self):
        for save in ("model.bin", "model.txt"):
            for bits in ([], ["--hash-bits", "12"]):
                with self.subTest(save=save, bits=bits):
                    model = self.trained(*bits, save=save)
                    test = self.write("test.csv", clicks(200, 2))
                    other = self.write("other.csv", clicks(200, 2, ("id", "color", "age")))
                    truth = [line.split(",")[2] for line in pathlib.Path(test).read_text().split()[1:]]
                    said = self.said("predict", model, test).split()
                    self.assertEqual(said, self.said("predict", model, other).split())
                    self.assertGreater(sum(a == b for a, b in zip(said, truth)), 180)
                    accuracy = json.loads(self.said("evaluate", model, test, "--json"))["accuracy"]
                    self.assertAlmostEqual(accuracy, sum(a == b for a, b in zip(said, truth)) / 200)

    def test_the_same_rows_as_libsvm_text_make_the_same_parameters(self):
        rows = [(k % 2, k % 5 + 1, 0.25 * (k % 3)) for k in range(60)]
        table = self.write("t.csv", "y,a,b\n" + "".join(f"{y},{a},{b}\n" for y, a, b in rows))
        text = self.write("t.svm", "".join(f"{y} 1:{a}" + (f" 2:{b}" if b else "") + "\n" for y, a, b in rows))
        weights = []
        for data, more in ((table, ["--label", "y", "--numbers", "as_given"]), (text, [])):
            model = str(self.folder / "m.txt")
            self.said("train", data, "--engine", "serial", "--epochs", "3", "--quiet", "--save", model, *more)
            lines = pathlib.Path(model).read_text().split("\n")
            weights.append([line.split()[-1] for line in lines if line and (line[0].isdigit() or line.startswith("bias"))])
        self.assertEqual(weights[0], weights[1])
        self.assertEqual(len(weights[0]), 2)

    def test_files_for_testing_and_validation_are_read_by_the_columns_of_training(self):
        test = self.write("test.csv", clicks(100, 3, ("click", "id", "color", "age")))
        said = json.loads(self.said("train", self.write("train.csv", clicks(300, 1)), "--label", "click", "--ignore", "id",
                                    "--test", test, "--validation", test, "--engine", "serial", "--epochs", "5", "--json",
                                    "--quiet"))
        self.assertGreater(said["test_accuracy"], 0.8)

    def test_training_goes_on_with_values_that_the_model_did_not_know(self):
        model = self.trained(save="first.txt")
        more = self.write("more.csv", clicks(300, 5).replace("blue", "azure"))
        second = str(self.folder / "second.txt")
        self.said("train", more, "--init", model, "--engine", "serial", "--epochs", "1", "--quiet", "--save", second)
        text = pathlib.Path(second).read_text()
        for name in ("color=red", "color=green", "color=azure", "color=blue"):
            self.assertIn(" " + name + " ", text)
        # Values that did not occur keep their weights.
        blue = [line for line in pathlib.Path(model).read_text().split("\n") if " color=blue " in line]
        self.assertIn(blue[0], text.split("\n"))
        said = self.run_command("train", more, "--init", model, "--label", "click", code=2).stderr
        self.assertIn("leave out --label", said)
        rows = self.write("rows.svm", "1 1:1\n0 2:1\n")
        old = str(self.folder / "old.bin")
        self.said("train", rows, "--quiet", "--epochs", "1", "--save", old)
        self.assertIn("does not know the columns of a table",
                      self.run_command("train", more, "--label", "click", "--init", old, code=2).stderr)

    def test_ten_days_one_after_the_other_are_as_good_as_all_at_once(self):
        """Each day has sites that no day before had; those of the first days do not come back."""
        draw = random.Random(9)
        likes = {}

        def day(number, rows):
            lines = []
            for _ in range(rows):
                site = f"s{max(0, number - draw.randrange(4))}_{draw.randrange(6)}"
                likes.setdefault(site, draw.random() < 0.5)
                click = likes[site] if draw.random() < 0.95 else not likes[site]
                lines.append(f"{int(click)},{site},{draw.choice(COLORS)},{draw.randrange(18, 80)}")
            return lines

        days = [day(number, 300) for number in range(10)]
        held = self.write("held.csv", "click,site,color,age\n" + "\n".join(day(9, 400)) + "\n")
        words = ["--label", "click", "--engine", "serial", "--epochs", "10", "--quiet"]
        for model in ("logistic", "factorization_machine"):
            with self.subTest(model=model):
                before, path = [], ""
                for number, lines in enumerate(days):
                    data = self.write("day.csv", "click,site,color,age\n" + "\n".join(lines) + "\n")
                    path = str(self.folder / f"{model}{number}.txt")
                    self.said("train", data, "--model", model, *(before or words[:2]), *words[2:], "--save", path)
                    before = ["--init", path]
                whole = str(self.folder / "whole.txt")
                data = self.write("whole.csv", "click,site,color,age\n" + "\n".join(sum(days, [])) + "\n")
                self.said("train", data, "--model", model, *words, "--save", whole)
                names = [set(re.findall(r"(?:site|color)=\w+", pathlib.Path(each).read_text())) for each in (path, whole)]
                self.assertEqual(names[0], names[1])
                last, all_at_once = (json.loads(self.said("evaluate", each, held, "--json"))["accuracy"] for each in (path, whole))
                self.assertGreater(last, all_at_once - 0.03)
                self.assertGreater(all_at_once, 0.88)


    def test_a_search_goes_on_with_the_values_of_a_model(self):
        first = self.write("first.csv", "y,site\n" + "1,aa\n0,bb\n" * 60)
        other = self.write("other.csv", "y,site\n" + "1,aa\n0,cc\n" * 60)
        before, after = str(self.folder / "before.txt"), str(self.folder / "after.txt")
        self.said("train", first, "--label", "y", "--epochs", "5", "--quiet", "--save", before)
        self.said("search", other, "--init", before, "--strategy", "grid", "--space", "l2=1e-4,1e-3", "--epochs", "1",
                  "--step", "1e-9", "--save", after)
        weight = [{line.split()[1]: float(line.split()[2]) for line in pathlib.Path(path).read_text().splitlines()
                   if " site=" in line} for path in (before, after)]
        self.assertAlmostEqual(weight[1]["site=aa"], weight[0]["site=aa"], 3)
        self.assertAlmostEqual(weight[1]["site=cc"], 0, 3)
        self.assertAlmostEqual(weight[1]["site=bb"], weight[0]["site=bb"], 3)

    def test_classes_of_a_model_that_goes_on_stay_the_same(self):
        day = lambda name, classes: self.write(name, "".join(f"{k} {k}:1\n" for k in classes) * 60)
        first, other, fewer = day("first.svm", (1, 2, 3)), day("other.svm", (2, 3, 4)), day("fewer.svm", (1, 2))
        before, after = str(self.folder / "before.bin"), str(self.folder / "after.bin")
        self.said("train", first, "--model", "softmax", "--epochs", "5", "--quiet", "--save", before)
        self.assertIn("the label 4", self.said("train", other, "--model", "softmax", "--init", before, code=3))
        self.said("train", fewer, "--model", "softmax", "--init", before, "--epochs", "1", "--quiet", "--save", after)
        self.assertEqual(self.said("predict", after, first).split(), ["1", "2", "3"] * 60)

    def test_groups_are_ranked_among_themselves(self):
        """Users differ in how often they click, which says nothing about which of their rows they click on."""
        draw = random.Random(4)
        lines = ["y,user,ad"]
        for _ in range(3000):
            user = draw.randrange(40)
            chance = (0.8 if user % 2 else 0.1) + draw.choice((-0.05, 0.05))
            lines.append(f"{int(draw.random() < chance)},u{user},{draw.choice('ab')}")
        data = self.write("t.csv", "\n".join(lines) + "\n")
        words = ["--label", "y", "--categorical", "user,ad", "--group", "user", "--engine", "serial", "--epochs", "3"]
        said = json.loads(self.said("train", data, *words, "--test", data, "--json", "--quiet", "--save",
                                    str(self.folder / "m.bin")))
        self.assertGreater(said["test_auc"], 0.8)
        self.assertLess(said["test_group_auc"], 0.65)
        measured = json.loads(self.said("evaluate", str(self.folder / "m.bin"), data, "--json"))
        self.assertAlmostEqual(measured["group_auc"], said["test_group_auc"])
        self.assertIn("ndcg_at_10", measured)
        # Groups of another column are measured by themselves, and the measures of all rows stay.
        by_ad = json.loads(self.said("evaluate", str(self.folder / "m.bin"), data, "--json", "--by", "ad"))
        self.assertNotIn("group_auc", by_ad)
        by_user = json.loads(self.said("evaluate", str(self.folder / "m.bin"), data, "--json", "--by", "user"))
        self.assertEqual(by_user["group_auc"], measured["group_auc"])
        found = self.said("search", data, *words, "--metric", "group_auc", "--strategy", "grid", "--space",
                          "l2=1e-6,1e-4", "--json")
        metrics = [trial["metric"] for trial in json.loads(found)["trials"]]
        self.assertEqual(len(metrics), 2)
        self.assertTrue(all(0.3 < metric < 0.65 for metric in metrics), metrics)

    def test_numbered_columns_of_earlier_days_are_kept_too(self):
        """Column d of day d decides its labels, and no other day has it."""
        days = [[(k % 2, day + 1 if k % 2 else 90 + k % 3) for k in range(200)] for day in range(10)]
        for words in ([], ["--model", "factorization_machine"], ["--optimizer", "adagrad"]):
            path, before = "", []
            for number, rows in enumerate(days):
                data = self.write("day.svm", "".join(f"{y} {c}:1\n" for y, c in rows))
                path = str(self.folder / f"{number}.txt")
                said = self.run_command("train", data, "--engine", "serial", "--epochs", "5", *words, *before, "--save", path)
                before = ["--init", path]
            self.assertIn("of the columns, 3 are in", said.stderr)
            self.assertIn("1 are new; 9 do not occur", said.stderr)
            held = self.write("held.svm", "".join(f"{y} {c}:1\n" for y, c in sum(days, [])))
            self.assertGreater(json.loads(self.said("evaluate", path, held, "--json"))["accuracy"], 0.99, words)

    def test_models_of_every_kind_train_on_them(self):
        data = self.write("train.csv", clicks(120, 1))
        for words in (["--model", "hinge_svm"], ["--model", "softmax"], ["--model", "factorization_machine"],
                      ["--model", "ffm", "--factors", "2"], ["--folds", "3"],
                      ["--engine", "processes", "--workers", "2"]):
            with self.subTest(words=words):
                self.said("train", data, "--label", "click", "--ignore", "id", "--epochs", "2", "--quiet", *words)
        said = self.run_command("train", data, "--label", "click", "--model", "least_squares", code=2).stderr
        self.assertIn("the labels are words", said)

    def test_a_mismatch_is_refused(self):
        model = self.trained()
        for text, phrase in (("age,click\n20,yes\n", "no column 'color'"),
                             ("age,color\n20\n", ":2:3: the record has 1 fields"),
                             ("age,color\nold,red\n", ":2:1: 'old' is not a number"),
                             ("20,red,yes,u\n", "no column 'age'"),
                             ("1 1:1\n", "no column 'age'")):
            with self.subTest(text=text):
                self.assertIn(phrase, self.run_command("predict", model, self.write("x.csv", text), code=3).stderr)
        evaluated = self.run_command("evaluate", model, self.write("x.csv", "age,color\n20,red\n"), code=3).stderr
        self.assertIn("no column 'click', which has the labels", evaluated)
        self.assertIn("was trained on a table",
                      self.run_command("predict", model, self.write("x.svm", "1 1:1\n"), "--format", "libsvm", code=2).stderr)

    def test_labels_of_which_some_are_numbers_are_classes(self):
        data = self.write("t.csv", "y,c\n" + "1,a\n2,b\nC:\\many,c\n" * 30)
        for save in ("m.bin", "m.txt"):
            model = str(self.folder / save)
            self.said("train", data, "--label", "y", "--model", "softmax", "--quiet", "--epochs", "10", "--save", model)
            other = self.write("u.csv", "y,c\n?,c\nnone,a\n,b\n")
            self.assertEqual(self.said("predict", model, other).split(), ["C:\\many", "1", "2"])

    def test_columns_of_every_kind_are_told_by_a_file(self):
        draw = random.Random(3)
        lines = ["spam,title,tags,when,site,user"]
        for k in range(300):
            spam = k % 2
            words = draw.choices(["cheap", "pills", "now"] if spam else ["meeting", "notes", "today"], k=4)
            lines.append(",".join([str(spam), " ".join(words).upper(), draw.choice(["a|b", "b", ""]),
                                   f"2026-11-{1 + k % 30:02} 10:00", f"s{k % 3}", f"u{k}"]))
        data = self.write("t.csv", "\n".join(lines) + "\n")
        columns = self.write("columns.txt", "# The table of mails\n\nlabel spam\r\n text title\nlist tags\ndate  when\n"
                                            "interactions site*title, site*tags\nmin-rows 3\nword-ngrams 2\n")
        by_file, by_words = str(self.folder / "a.txt"), str(self.folder / "b.txt")
        more = ["--engine", "serial", "--epochs", "5"]
        said = self.run_command("train", data, "--columns", columns, *more, "--save", by_file).stderr
        self.assertIn("text: title; date: when; interaction: site*title, site*tags", said)
        self.said("train", data, "--label", "spam", "--text", "title", "--list", "tags", "--date", "when", "--interactions",
                  "site*title,site*tags", "--min-rows", "3", "--word-ngrams", "2", *more, "--quiet", "--save", by_words)
        text = pathlib.Path(by_file).read_text()
        self.assertEqual(text, pathlib.Path(by_words).read_text())
        for name in ("title=cheap", "title=cheap pills", "tags=a", "when=month:11", "when=hour:10", "user=(rare)", "site=s1",
                     "site*title=#"):
            self.assertIn(" " + name, text.replace('"', ""))
        other = self.write("u.csv", "title,user,site,when,tags\nCheap pills!,nobody,s1,2026-12-24,b\n"
                                    "\"notes, today\",u1,s9,2027-01-01 11:00,\n")
        self.assertEqual(self.said("predict", by_file, other).split(), ["1", "0"])
        # A pair with a column of fields is a field of its own.
        self.said("train", data, "--columns", columns, "--model", "ffm", "--factors", "2", "--epochs", "2", "--quiet")
        said = self.run_command("train", data, "--columns", columns, "--label", "site", code=2).stderr
        self.assertIn("--label is given twice", said)
        self.assertIn("cannot be read", self.run_command("train", data, "--columns", str(self.folder), code=2).stderr)
        self.assertIn("leave out --columns", self.run_command("train", data, "--init", by_file, "--columns",
                                                              self.write("empty.txt", "# nothing\n"), code=2).stderr)
        for line, phrase in (("colour red", "columns.txt:2: 'colour' is none of the options for tables"),
                             ("min-rows none", "columns.txt:2: it should be 1 or more"), ("weight", "a column needs a name")):
            wrong = self.write("columns.txt", "label spam\n" + line + "\n")
            self.assertIn(phrase, self.run_command("train", data, "--columns", wrong, code=2).stderr)
        self.assertIn("cannot be read", self.run_command("train", data, "--columns", "nowhere.txt", code=2).stderr)

    def test_text_of_vowpal_wabbit_is_read_by_its_columns(self):
        draw = random.Random(5)
        lines = []
        for _ in range(300):
            site, user = draw.choice("abc"), draw.choice("xyz")
            lines.append(f"{1 if (site == 'a') == (user == 'x') else -1} {draw.choice(['1', '2'])} |site {site} |user {user}")
        data = self.write("t.vw", "\n".join(lines) + "\n")
        for save in ("m.bin", "m.txt"):
            model = str(self.folder / save)
            self.said("train", data, "--interactions", "site*user", "--engine", "serial", "--epochs", "20", "--quiet", "--save",
                      model, "--test", data)
            said = self.said("predict", model, self.write("u.vw", "|site a |user x\n|user y |site a\n|user z |site c unknown\n"))
            self.assertEqual(said.split(), ["1", "-1", "1"])
            self.assertGreater(json.loads(self.said("evaluate", model, data, "--json"))["accuracy"], 0.99)
        self.assertIn("2^18 columns; interaction: site*user", self.said("inspect", model))
        self.assertIn("trained on --format vw, not on --format csv",
                      self.run_command("predict", model, data, "--format", "csv", code=2).stderr)
        self.assertIn("leave out --ignore", self.run_command("train", data, "--init", model, "--ignore", "site", code=2).stderr)
        for words, phrase in ((["--format", "vw", "--label", "y"], "--label is not for --format vw"),
                              (["--format", "vw", "--char-ngrams", "2-3"], "--char-ngrams is not for --format vw"),
                              (["--model", "softmax", "--weights", data], "have weights already")):
            self.assertIn(phrase, self.run_command("train", data, *words, code=2).stderr)
        self.said("train", "-", "--format", "vw", "--quiet", "--epochs", "1", stdin="\n".join(lines))

    def test_labelled_text_is_read_by_its_words(self):
        draw = random.Random(6)
        of = {"sport": ["ball", "goal", "team"], "news": ["vote", "law", "tax"]}
        lines = []
        for k in range(300):
            labels = draw.sample(list(of), 2 if k % 10 == 0 else 1)
            words = [draw.choice(of[draw.choice(labels)]) for _ in range(5)]
            lines.append(" ".join(["__label__" + label for label in labels] + words))
        one_label = [line for k, line in enumerate(lines) if k % 10]
        data = self.write("one.txt", "\n".join(one_label) + "\n")
        model = str(self.folder / "m.bin")
        self.said("train", data, "--model", "softmax", "--word-ngrams", "2", "--char-ngrams", "2-3", "--epochs", "10", "--quiet",
                  "--save", model)
        said = self.said("predict", model, self.write("u.txt", "goal team ball\n__label__none tax tax\n"))
        self.assertEqual(said.split(), ["sport", "news"])
        self.assertIn("labelled text; runs of up to 2 words; parts of words of 2 to 3 characters", self.said("inspect", model))
        more = self.write("more.txt", "__label__news budget\n__label__sport medal\n" * 20)
        second = str(self.folder / "second.txt")
        self.said("train", more, "--model", "softmax", "--init", model, "--epochs", "1", "--quiet", "--save", second)
        for name in ("word=budget", "word=goal", "word=medal"):
            self.assertIn(" " + name + " ", pathlib.Path(second).read_text())
        several = self.write("several.txt", "\n".join(lines) + "\n")
        self.said("train", several, "--model", "softmax", "--epochs", "1", "--quiet", "--min-rows", "2")
        self.assertIn("--interactions is not for --format labelled_text",
                      self.run_command("train", data, "--interactions", "a*b", code=2).stderr)

    def test_a_search_trains_on_them(self):
        model = str(self.folder / "best.bin")
        test = self.write("test.csv", clicks(100, 2))
        self.said("search", self.write("train.csv", clicks(300, 1)), "--label", "click", "--ignore", "id", "--space",
                  "l2=1e-4,1e-2", "--epochs", "3", "--quiet", "--save", model)
        self.assertGreater(json.loads(self.said("evaluate", model, test, "--json"))["accuracy"], 0.6)

    def test_a_model_of_fields_goes_on(self):
        data = self.write("train.csv", clicks(120, 1))
        first, second = str(self.folder / "a.bin"), str(self.folder / "b.bin")
        words = ["--model", "ffm", "--factors", "2", "--epochs", "2", "--quiet"]
        self.said("train", data, "--label", "click", "--ignore", "id", *words, "--save", first)
        self.said("train", data, "--init", first, *words, "--save", second)
        self.assertIn("not separated by tabs", self.run_command("predict", second, data, "--format", "tsv", code=2).stderr)

    def test_standard_input_is_read(self):
        model = str(self.folder / "m.bin")
        text = clicks(200, 1)
        self.said("train", "-", "--label", "click", "--quiet", "--epochs", "3", "--save", model, stdin=text)
        self.assertEqual(len(self.said("predict", model, "-", stdin=text).split()), 200)

    def test_inspect_shows_a_table_and_what_would_be_made_of_it(self):
        data = self.write("train.csv", clicks(50, 1))
        said = self.said("inspect", data)
        self.assertRegex(said, r"age +numeric +\d+ +5 +\d+ to \d+")
        self.assertRegex(said, r"color +categorical +3 +0")
        facts = json.loads(self.said("inspect", data, "--json", "--label", "click", "--ignore", "id"))
        self.assertEqual([(c["name"], c["as"]) for c in facts["columns"]],
                         [("age", "numeric"), ("color", "categorical"), ("click", "label"), ("id", "ignored")])

    def test_inspect_shows_the_heaviest_weights_by_name(self):
        model = self.trained()
        facts = json.loads(self.said("inspect", model, "--json", "--top-weights", "2"))
        self.assertEqual(len(facts["top_weights"]), 2)
        self.assertIn("color=red", [w["name"] for w in facts["top_weights"]])
        self.assertEqual(facts["labels"], [0.0, 1.0])
        self.assertEqual(facts["label_names"], ["no", "yes"])
        self.assertIn("color=green", self.said("inspect", model, "--top-weights", "9"))


    def test_groups_are_not_torn(self):
        # The label of a user is a toss: who has seen the user knows it, and nobody else.
        draw = random.Random(9)
        users = {f"u{k}": k % 2 for k in range(60)}
        rows = [(users[user], user) for user in users for _ in range(10)]
        draw.shuffle(rows)
        table = self.write("t.csv", "y,user,one\n" + "".join(f"{y},{user},1\n" for y, user in rows))
        text = self.write("t.svm", "".join(f"{y} qid:{user[1:]} {int(user[1:]) + 1}:1\n" for y, user in rows))
        torn = self.write("torn.svm", "".join(f"{y} {int(user[1:]) + 1}:1\n" for y, user in rows))
        for words in (["--test", "0.2"], ["--validation", "0.2"], ["--folds", "4"]):
            accuracies = []
            for data in ((table, "--label", "y", "--categorical", "user", "--group", "user"), (text,), (torn,)):
                said = self.said("train", *data, "--engine", "serial", "--epochs", "5", "--json", "--quiet", *words)
                said = json.loads(said.splitlines()[-1])
                accuracies.append(next(said[name] for name in said if name.endswith("accuracy")))
            self.assertLess(max(accuracies[:2]), 0.9, words)
            self.assertGreater(accuracies[2], 0.99, words)


if __name__ == "__main__":
    unittest.main()
