#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Generated tables, read by the command and by Python's csv: hostile_tables_test.py HOGWILD [TABLES]"""
import csv
import io
import pathlib
import random
import sys
import unittest

from command_case import command_case

TABLES = int(sys.argv.pop(1)) if len(sys.argv) > 1 and sys.argv[1].isdigit() else 150
PIECES = ["", "a", "b c", "\"", "\"\"", ",", ";", "|", "\t", "\n", "\r\n", "=", "\\", "\\x0a", "é", "漢", "1", "-2.5", "NA",
          " ", "'", "#", "__label__", "x" * 70]


def escaped(text, also=""):
    """As the command names columns."""
    made = ""
    for c in text:
        if ord(c) < 32 or ord(c) == 127:
            made += f"\\x{ord(c):02x}"
        else:
            made += "\\" + c if c == "\\" or c in also else c
    return made


class a_table(command_case):
    def test_is_read_as_python_reads_it(self):
        for seed in range(TABLES):
            draw = random.Random(seed)
            columns, rows = draw.randrange(1, 6), draw.randrange(2, 12)
            names = [f"n{k}" + draw.choice(PIECES).replace(" ", "_") for k in range(columns)]
            fields = [["".join(draw.choice(PIECES) for _ in range(draw.randrange(3))) for _ in names] for _ in range(rows)]
            separator = draw.choice(",;\t|")
            text = io.StringIO()
            writer = csv.writer(text, delimiter=separator, lineterminator=draw.choice(["\n", "\r\n"]),
                                quoting=draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
            # Two labels, whatever else the table has.
            table = [["y", *names]] + [[str(k % 2), *row] for k, row in enumerate(fields)]
            writer.writerows(table)
            path = pathlib.Path(self.folder / "t.csv")
            path.write_bytes(text.getvalue().encode())
            model = str(self.folder / "m.txt")
            with self.subTest(seed=seed):
                done = self.run_command("train", str(path), "--label", "y", "--categorical", "n*", "--separator",
                                        {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[separator], "--header",
                                        "yes", "--no-cache", "--quiet", "--epochs", "1", "--step", "0.1", "--engine",
                                        "serial", "--save", model)
                read = list(csv.reader(io.StringIO(text.getvalue(), newline=""), delimiter=separator))
                quoted = self.quoted_fields(text.getvalue(), separator)
                wanted = set()  # quoted fields keep the blanks around them
                blanks = " \t" if separator != "\t" else " "
                content = [[value if mark else value.strip(blanks) for value, mark in zip(row, marks)]
                           for row, marks in zip(read, quoted)]
                for row in content[1:]:
                    wanted |= {f"{escaped(name, '=')}={escaped(value)}" for name, value in zip(content[0][1:], row[1:])}
                self.assertEqual(self.names_of(model), wanted, done.stderr)
                self.assertEqual(len(self.said("predict", model, str(path), "--no-cache").split()), rows)

    @staticmethod
    def quoted_fields(text, separator):
        """Whether each field stands in quotation marks."""
        marks, at = [[]], 0
        while at < len(text):
            quoted = text[at] == '"'
            if quoted:
                at += 1
                while text[at] != '"' or text[at + 1:at + 2] == '"':
                    at += 2 if text[at] == '"' else 1
                at += 1
            while text[at] not in (separator, "\n"):
                at += 1
            marks[-1].append(quoted)
            if text[at] == "\n":
                marks.append([])
            at += 1
        return marks[:-1]

    @staticmethod
    def names_of(model):
        lines = pathlib.Path(model).read_text().split("\n")
        first = next(k for k, line in enumerate(lines) if line.startswith("columns "))
        names = set()
        for line in lines[first + 1:-2]:
            name = line.split(" ", 1)[1]
            if lines[first].endswith(" quoted"):
                end, text = 1, ""
                while name[end] != '"':
                    end += name[end] == "\\"
                    text += name[end]
                    end += 1
                names.add(text)
            else:
                names.add(name.split(" ")[0])
        return names


if __name__ == "__main__":
    unittest.main()
