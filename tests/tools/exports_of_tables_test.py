#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Models of tables in the forms of other programs: exports_of_tables_test.py HOGWILD COMPILER"""
import csv
import json
import math
import pathlib
import random
import shutil
import subprocess
import unittest

from exported import by_json, export_case


def table_rows(count, seed):
    """Rows of a table, and their entries by name: (label, fields, entries)."""
    draw = random.Random(seed)
    for _ in range(count):
        price, site = draw.choice(["", f"{draw.uniform(1, 5000):.2f}"]), draw.choice(["news", 'a "b", c', "x:y|z", "(odd)", "é"])
        tags = sorted(set(draw.choices("pqr", k=2)))
        month = draw.randrange(1, 13)
        clicks = float(price or 0) > 2000 or site == "news" or "q" in tags
        entries = {"price=missing": 1.0} if price == "" else {"price": float(price)}
        entries["site=" + site.replace("(", "\\(")] = 1.0
        entries.update({f"tags={tag}": 1 / math.sqrt(len(tags)) for tag in tags})
        entries.update({"day=year:2026": 1.0, f"day=month:{month}": 1.0,
                        "day=weekday:" + ["thu", "sun", "sun", "wed", "fri", "mon", "wed", "sat", "tue", "thu", "sun", "tue"][
                            month - 1]: 1.0})
        yield ("yes" if clicks else "no"), [price, site, f"2026-{month:02}-01", "|".join(tags)], entries


class exports_of_tables(export_case):
    """Columns have names, and numbers are as the table has them."""

    def setUp(self):
        super().setUp()
        self.model, self.test = str(self.folder / "clicks.bin"), self.table("test.csv", 100, 2)
        self.rows = list(table_rows(100, 2))
        self.train(self.model)

    def table(self, name, count, seed):
        path = self.folder / name
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["price", "site", "day", "tags", "click"])
            writer.writerows(fields + [label] for label, fields, _ in table_rows(count, seed))
        return str(path)

    def train(self, model, *more):
        self.run_command("train", self.table("train.csv", 300, 1), "--label", "click", "--date", "day", "--list", "tags",
                         "--model", "logistic", "--bias", "--engine", "serial", "--epochs", "10", "--quiet", "--no-cache",
                         "--save", model, *more)

    def test_json_and_csv_have_names(self):
        scorer = by_json(self.exported(self.model, "clicks.json"))
        said = [scorer.prediction(entries) for _, _, entries in self.rows]
        self.assert_same(said, self.predicted(self.model, self.test), "labels")
        self.assertEqual({*said}, {"yes", "no"})
        self.assert_same([str(scorer.probabilities(z)[0]) for _, _, z in self.rows],
                         self.predicted(self.model, self.test, "--probabilities"), "probabilities")
        self.assertEqual(scorer.said["reading"]["fields"][0], {"name": "price", "kind": "numeric"})
        with open(self.exported(self.model, "clicks.csv"), newline="", encoding="utf-8") as file:
            lines = list(csv.reader(file))[2:]
        self.assertEqual([line[0] for line in lines], list(scorer.columns))
        self.assertEqual({*scorer.columns}, {name for _, _, entries in table_rows(300, 1) for name in entries})

    def test_numbers_of_a_table_are_not_divided(self):
        text = str(self.folder / "clicks.txt")
        self.train(text, "--interactions", "price*site")
        saved = pathlib.Path(text).read_text(encoding="utf-8").splitlines()
        divisor = next(float(line.split()[2]) for line in saved if line.startswith("column numeric"))
        self.assertGreater(divisor, 100)
        for column in by_json(self.exported(text, "clicks.json")).said["columns"]:
            weight = next(float(line.split()[-1]) for line in saved if line.startswith(f"{column['column']} "))
            by = divisor if column["name"] == "price" or column["name"].startswith("price*site=") else 1
            self.assertAlmostEqual(column["weights"][0] * by, weight, delta=1e-6 * abs(weight))

    @unittest.skipUnless(shutil.which("liblinear-predict"), "liblinear-predict is not installed (liblinear-tools)")
    def test_columns_of_liblinear_are_the_lines_of_csv(self):
        number = {name: k + 1 for k, name in enumerate(by_json(self.exported(self.model, "clicks.json")).columns)}
        rows = "".join("0 " + " ".join(f"{j}:{x!r}" for j, x in sorted((number[n], x) for n, x in entries.items()
                                                                      if n in number)) + "\n"
                       for _, _, entries in self.rows)
        said = str(self.folder / "said")
        subprocess.run(["liblinear-predict", "-b", "1", self.write("rows", rows), self.exported(self.model, "clicks.liblinear"),
                        said], check=True, stdout=subprocess.DEVNULL)
        lines = pathlib.Path(said).read_text().splitlines()
        self.assertEqual(lines[0], "labels 1 0")
        self.assert_same([line.split()[1] for line in lines[1:]],
                         self.predicted(self.model, self.test, "--probabilities"), "probabilities")

    def test_vowpal_wabbit_has_hashes_of_the_names(self):
        head, weights = self.vw_weights(self.exported(self.model, "clicks.vw"))
        self.assertEqual((head["bits"], head["options"]), ("18", " --link logistic"))
        index = {name: k for k, (name, _) in weights.items()}
        # As Vowpal Wabbit 9.11 writes them by --invert_hash.
        known = {"price": 229902, "price=missing": 60079, "site=news": 184561, "day=month_11": 158357, "day=weekday_sun": 211874,
                 "Constant": 116060}
        self.assertEqual({name: index[name] for name in known}, known)
        self.assertIn('site=a_"b",_c', index)
        self.assertIn("site=x_y_z", index)

    def test_a_header_finds_columns_by_name(self):
        self.exported(self.model, "2 clicks.h")
        rows = "".join("    if (row == %d) return {%s};\n" % (k, ", ".join(
            "{%s, %rf}" % (json.dumps(name, ensure_ascii=False), x) for name, x in entries.items()))
            for k, (_, _, entries) in enumerate(self.rows))
        self.compile(self.write("program.cpp", f"""#include "2 clicks.h"
#include <cstdio>
#include <utility>
#include <vector>
namespace model = m2_clicks_model;
std::vector<std::pair<const char*, float>> entries_of(int row) {{
{rows}    return {{}};
}}
int main() {{
  for (int row = 0; row < {len(self.rows)}; ++row) {{
    std::vector<std::uint32_t> index{{model::column_named("nowhere"), model::column_named("zzz")}};
    std::vector<float> value{{5.0f, 5.0f}};
    for (const auto& [name, x] : entries_of(row)) index.push_back(model::column_named(name)), value.push_back(x);
    std::printf("%s %.9g\\n", model::label_text[model::predicted_class(index.data(), value.data(), index.size())].data(),
                model::probability(index.data(), value.data(), index.size()));
  }}
}}
"""))
        lines = [line.split() for line in subprocess.run([self.folder / "program"], capture_output=True, text=True,
                                                         check=True).stdout.splitlines()]
        self.assertEqual([line[0] for line in lines], self.predicted(self.model, self.test))
        self.assert_same([line[1] for line in lines], self.predicted(self.model, self.test, "--probabilities"), "")


if __name__ == "__main__":
    unittest.main()
