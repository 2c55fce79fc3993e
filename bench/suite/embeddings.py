# SPDX-License-Identifier: Apache-2.0
"""Vectors of users and items, or of entities and relations, that other programs train: written as models of hogwild,
whose evaluator measures their lists and ranks."""
import pathlib

from suite.peer import by_script, of_file, of_metric, option

LISTS = tuple(f"test_{measure}_at_20" for measure in ("recall", "precision", "ndcg", "map", "mrr", "hit_rate"))
# Options of the loss, which is not told.
OF_LOSS = {"pairs": ["option negatives 1", "option sampler 0", "option popularity 0", "option margin 1"],
           "triples": ["option negatives 1", "option loss 0", "option margin 1", "option temperature 1"]}
LEFT_OUT = {"pairs": "--seen", "triples": "--known"}  # names the training rows, whose answers do not count as wrong


def read_pairs(path):
    """Users and items of lines "user item item ...", as two lists of one length. ValueError if pairs have weights."""
    with open(path, encoding="ascii") as file:
        lines = [list(map(int, line.split())) for line in file]
    if {len(line) for line in lines} in ({3}, {4}):  # as hogwild decides
        raise ValueError("peers take no weights or times of pairs")
    return [u for u, *items in lines for _ in items], [i for _, *items in lines for i in items]


def read_triples(path):
    """Triples of numbers, and the names of entities and of relations in the order of their numbers."""
    entities, relations = {}, {}
    with open(path, encoding="utf-8") as file:
        triples = [(entities.setdefault(h, len(entities)), relations.setdefault(r, len(relations)),
                    entities.setdefault(t, len(entities))) for h, r, t in (line.rstrip("\n").split("\t") for line in file)]
    return triples, list(entities), list(relations)


def write(asked, epoch, head, odd, even, named=False):
    """Writes lines of columns 1, 3, 5, ... and 2, 4, 6, ... as a model; returns its path, which measured() takes."""
    path = pathlib.Path(asked.work) / f"vectors_{epoch}.txt"
    lines = {**{2 * k + 1: line for k, line in enumerate(odd)}, **{2 * k + 2: line for k, line in enumerate(even)}}
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(["hogwild model 1", f"model {option(asked, '--model')}", *head,
                              f"columns {len(lines)}{' named' * named}\n"]))
        file.writelines(f"{column} {lines[column]}\n" for column in sorted(lines))
        file.write("end\n")
    return str(path)


def text(numbers):
    return " ".join(map("{:.9g}".format, numbers))


def write_pairs(asked, epoch, users, items, biases):
    """Arrays of vectors, a row for each user and each item, and a number for each item."""
    factors = users.shape[1]
    return write(asked, epoch, [f"option rank {factors}", "option cosine 0", "option temperature 1",
                                *OF_LOSS["pairs"], "labels real", f"width {factors + 1}"],
                 (text([*row, 0.0]) for row in users.tolist()),
                 (text([*row, bias]) for row, bias in zip(items.tolist(), biases.tolist())))


def write_triples(asked, epoch, entities, relations, names, names_of_relations):
    """Arrays of vectors: a row for each entity, and for each relation in one direction, then in the other one. Complex
    numbers have their real parts first."""
    model, width = option(asked, "--model"), entities.shape[1]
    both, half = relations.tolist(), len(names_of_relations)
    return write(asked, epoch, [f"option rank {width // 2 if model == 'complex' else width}",
                                *(["option gamma 0"] if model == "transe" else []), *OF_LOSS["triples"],
                                "labels real", f"width {2 * width}"],
                 (f"{name} {text([*row, *[0.0] * width])}" for name, row in zip(names, entities.tolist())),
                 (f"{name} {text([*a, *b])}" for name, a, b in zip(names_of_relations, both[:half], both[half:])), named=True)


def train(module, task, place, *run, timeout):
    """As by_script(), of a module whose points name files that write() wrote."""
    data = task.data(place)

    def measured(path):
        return of_metric(task, of_file(task, place, data, path, LEFT_OUT[task.family],
                                       data.get("known", data["train"])), {})
    return by_script(module, task, place, *run, data, timeout, measured)
