# SPDX-License-Identifier: Apache-2.0
"""Substitutes for data that are not available, made from a seed: (part, line) pairs, as `data.written` takes them."""
import itertools
import math
import random

PART = 0.1  # of the lines, for testing


def ratings(users, items, each, rank=3, noise=0.3, seed=1, test=True):
    """Each user rates `each` items, 3 + a product of factors + noise; the smaller an item's number, the more often it
    is rated."""
    chance = random.Random(seed)
    of_users, of_items = ([[chance.gauss(0, 0.7) for _ in range(rank)] for _ in range(n)] for n in (users, items))
    for u, factors in enumerate(of_users):
        rated = set()
        while len(rated) < min(each, items):
            rated.add(int(items * chance.random() ** 2))
        for i in sorted(rated):
            value = 3 + sum(a * b for a, b in zip(factors, of_items[i])) + chance.gauss(0, noise)
            yield "test" if test and chance.random() < PART else "train", f"{u + 1}\t{i + 1}\t{value:.3f}"


def classes(count=6000):
    """Rows of 15 of 200 columns, labelled with the largest of five noisy linear scores."""
    chance = random.Random(1)
    planes = [[chance.gauss(0, 1) for _ in range(200)] for _ in range(5)]
    for _ in range(count):
        row = [(j, chance.gauss(0, 1) / 4) for j in sorted(chance.sample(range(200), 15))]
        scores = [2 * sum(plane[j] * x for j, x in row) + chance.gauss(0, 0.3) for plane in planes]
        entries = " ".join(f"{j + 1}:{x:.4f}" for j, x in row)
        yield "train", f"{max(range(5), key=scores.__getitem__) + 1} {entries}"


def pairs(count=6000):
    """Rows of 10 of 200 columns, whose labels depend on the pairs of a row's columns."""
    chance = random.Random(1)
    factors = [[chance.gauss(0, 0.6) for _ in range(4)] for _ in range(200)]
    for _ in range(count):
        row = sorted(chance.sample(range(200), 10))
        sums = [sum(factors[j][k] for j in row) for k in range(4)]
        score = sum(s * s for s in sums) / 2 - sum(x * x for j in row for x in factors[j]) / 2 + chance.gauss(0, 0.5)
        yield "train", ("+1 " if score > 0 else "-1 ") + " ".join(f"{j + 1}:1" for j in row)


def _labelled(count, edges, classes):
    yield "train", f"{count} {len(edges)} {max(classes) + 1}"
    yield from (("train", f"v {node} {of}") for node, of in enumerate(classes))
    yield from (("train", f"e {a} {b}") for a, b in edges)


def grid(side, kept=0.9, seed=1):
    """A square of nodes, each joined to its neighbours; two classes, on either side of a diagonal, with noise."""
    chance = random.Random(seed)
    nodes = [(x, y) for x in range(side) for y in range(side)]
    edges = [(x * side + y, x2 * side + y2) for x, y in nodes for x2, y2 in ((x + 1, y), (x, y + 1))
             if x2 < side and y2 < side and chance.random() < kept]
    return _labelled(len(nodes), edges, [int(x + y + chance.gauss(0, side / 10) > side) for x, y in nodes])


def mentions(documents, entities, each, classes=4, seed=1):
    """Entities that are mentioned together are joined: a few occur in most documents, like names in text."""
    chance = random.Random(seed)
    of = [chance.randrange(classes) for _ in range(entities)]
    by_class = [[e for e in range(entities) if of[e] == c] or [c] for c in range(classes)]
    edges = set()
    for _ in range(documents):
        topic = by_class[chance.randrange(classes)]
        found = {topic[min(len(topic) - 1, int(chance.paretovariate(1)) - 1)] for _ in range(each)}
        found.add(chance.randrange(entities))
        edges.update(itertools.combinations(sorted(found), 2))
    return _labelled(entities, sorted(edges), of)


def sentences(count, words=20, topics=20, vocabulary=30, seed=1):
    """Sentences, each on one of the topics, whose words follow Zipf's law."""
    chance = random.Random(seed)
    for _ in range(count):
        topic = chance.randrange(topics)
        yield "train", " ".join(f"t{topic}w{int(chance.paretovariate(1)) % vocabulary}" for _ in range(words))


def clicks(count, fields=10, vocabulary=100, rank=2, seed=1):
    """Rows in libffm's format with one column for each field, small numbers far more often than large ones. Whether one
    is clicked depends on its columns and on their pairs; each column has factors for the field of the other."""
    chance = random.Random(seed)
    weights = [[chance.gauss(0, 0.4) for _ in range(vocabulary)] for _ in range(fields)]
    factors = [[[[chance.gauss(0, 0.5) for _ in range(rank)] for _ in range(fields)] for _ in range(vocabulary)]
               for _ in range(fields)]
    for _ in range(count):
        row = [int(vocabulary * chance.random() ** 4) for _ in range(fields)]
        score = sum(weights[f][j] for f, j in enumerate(row)) - 0.5
        for (f, j), (g, k) in itertools.combinations(enumerate(row), 2):
            score += sum(a * b for a, b in zip(factors[f][j][g], factors[g][k][f]))
        clicked = int(chance.random() < 1 / (1 + math.exp(-score)))
        yield ("test" if chance.random() < PART else "train",
               f"{clicked} " + " ".join(f"{f}:{f * vocabulary + j}:1" for f, j in enumerate(row)))


def labels(count, classes, columns=20000, nonzeros=20, own=20, seed=1):
    """LIBSVM rows of many classes, each of which has a training row: half of a row's entries are columns of its class,
    the others are arbitrary."""
    chance = random.Random(seed)
    of = [[chance.randrange(columns) for _ in range(own)] for _ in range(classes)]
    for i in range(count):
        label = i if i < classes else int(classes * chance.random() ** 2)
        row = {*chance.sample(of[label], nonzeros // 2), *(chance.randrange(columns) for _ in range(nonzeros // 2))}
        part = "test" if i >= classes and chance.random() < PART else "train"
        yield part, f"{label} " + " ".join(f"{j + 1}:1" for j in sorted(row))


def visits(users, items, each, groups=10, seed=1):
    """Pairs of a user and an item, most of them of the user's group."""
    chance = random.Random(seed)
    for u in range(users):
        of = {i if chance.random() < 0.1 else i - i % groups + u % groups
              for i in (int((items - groups) * chance.random() ** 2) for _ in range(each))}
        for i in sorted(of):
            yield "test" if chance.random() < PART else "train", f"{u} {i}"


def triples(entities, relations, seed=1):
    """Entities on a circle; a relation leads from each to the one so many places on."""
    chance = random.Random(seed)
    for r in range(relations):
        places = chance.randrange(1, entities)
        for e in range(entities):
            yield "test" if chance.random() < PART else "train", f"e{e}\tr{r}\te{(e + places) % entities}"


def relation(kind, entities, reach=5, seed=1):
    """Triples of one relation on a circle: an entity is `near` those at most so many places away, itself among them, and
    `before` those at most so many places on."""
    chance = random.Random(seed)
    for a in range(entities):
        for places in range(1 if kind == "before" else -reach, reach + 1):
            yield "test" if chance.random() < 2 * PART else "train", f"e{a}\t{kind}\te{(a + places) % entities}"


def titles(count, words=8, topics=20, seed=1):
    """Short texts, labelled with their topic or with both of two. Less than half of the words are on a topic of
    theirs."""
    chance = random.Random(seed)
    for _ in range(count):
        of = chance.sample(range(topics), 1 + (chance.random() < 0.1))
        drawn = [chance.choice(of) if chance.random() < 0.4 else chance.randrange(topics) for _ in range(words)]
        yield ("test" if chance.random() < PART else "train",
               " ".join([*(f"__label__t{t}" for t in of), *(f"t{t}w{int(chance.paretovariate(1)) % 30}" for t in drawn)]))


def friends(people, each, groups=5, seed=1):
    """Edges between people, most of them within a group, and the labels of all: their groups."""
    chance = random.Random(seed)
    for a in range(people):
        yield "labels", f"{a} {a % groups}"
        for _ in range(each):
            b = chance.randrange(people) if chance.random() < 0.2 else chance.randrange(people // groups) * groups + a % groups
            if a != b:
                yield "train", f"{a} {b}"


def rows(n, d, nnz, omega, delta, rho, seed=1):
    """n labelled rows of d columns with `nnz` entries, but every hundredth with `omega`.

    One column is in a fraction `delta` of the rows, no other one is in more; the longest rows meet a fraction `rho` of
    all, no other one meets more (Hogwild!, section 2). ValueError if that is impossible.
    """
    if not (2 <= nnz <= omega <= d and 0.01 < delta <= rho <= 1 and n >= 100):
        raise ValueError("2 <= nnz <= omega <= d, 0.01 < delta <= rho <= 1 and at least 100 rows are asked for")
    # The other rows are in groups; all rows of a group have one column in common, so a long row meets the groups whose
    # columns it has. Its remaining entries are the last columns, which only long rows have.
    groups = max(math.ceil(1 / delta), min(omega - 1, (d - 1 - omega) // nnz))
    met = round(groups * (rho - delta) / (1 - delta)) if delta < 1 else 0
    width = (d - 1 - omega) // groups
    if width < nnz or met > omega - 1:
        raise ValueError(f"{groups} groups of columns do not fit: ask for more columns, shorter rows, or a larger delta")
    chance = random.Random(seed)
    begins = [1 + g * width for g in range(groups)]
    for i in range(n):
        common = int((i + 1) * delta + 1e-9) > int(i * delta + 1e-9)
        group = chance.randrange(groups)
        long = i % 100 == 0
        chosen = {0} if long or common else set()
        chosen |= set(begins[:met]) if long else {begins[group]}
        free = range(d - omega, d) if long else range(begins[group] + 1, begins[group] + width)
        chosen |= set(chance.sample(free, (omega if long else nnz) - len(chosen)))
        yield "train", f"{chance.choice(('+1', '-1'))} " + " ".join(f"{c + 1}:1" for c in sorted(chosen))
