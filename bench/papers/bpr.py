# SPDX-License-Identifier: Apache-2.0
"""BPR (Rendle, Freudenthaler, Gantner, Schmidt-Thieme, UAI 2009): ranking from implicit feedback."""
import collections

from suite import data, embeddings, made
from suite.claims import Claim
from suite.experiment import Configuration
from suite.figures import ratio
from suite.terms import Unavailable


def user_by_user(_):
    raise Unavailable("rows of a file are shuffled once when they are read")


TITLE = "BPR: ranking from implicit feedback"
CLAIMS = [
    Claim("BPR ranks better than popularity does", "recall at 20 at least 1.2 times", ("recall over popularity's",),
          lambda f: f["recall over popularity's"] >= 1.2),
    Claim("More factors rank better", "recall with 64 at least 1.1 times that with 8", ("recall with 64 over 8",),
          lambda f: f["recall with 64 over 8"] >= 1.1),
    Claim("Pairs in random order learn sooner than user by user", "needs rows in the order of their file", (),
          user_by_user),
]
BEST = 20


def popularity(train, test):
    """Recall at 20 of a list of the items with most pairs, less those of the user's training pairs. As hogwild has it,
    users and items that training lacks do not count."""
    counts, seen, wanted = collections.Counter(), collections.defaultdict(set), collections.defaultdict(set)
    for u, i in zip(*embeddings.read_pairs(train)):
        counts[i] += 1
        seen[u].add(i)
    for u, i in zip(*embeddings.read_pairs(test)):
        if u in seen and i in counts:
            wanted[u].add(i)
    order = [i for i, _ in counts.most_common(BEST + max(map(len, seen.values())))]
    return sum(len(items & set([i for i in order if i not in seen[u]][:BEST])) / len(items)
               for u, items in wanted.items()) / len(wanted)


def measure(x):
    if x.scale == "tiny":
        parts = data.written("visits", lambda: made.visits(300, 200, 12))(x.place)
    else:
        parts = {part: x.real(f"gowalla.{part}.txt") for part in ("train", "test")}
        x.tell("Rossmann's and Netflix's pairs cannot be had: visits of places (Gowalla) stand for them")
    runs = x.run("pairs", parts["train"],
                 ["--model", "bpr", "--test", str(parts["test"]), "--epochs", x.at("30", "80", "80"),
                  "--measure-lists", "1000000", "--measure-every", "20"],
                 [Configuration("64 factors", x.cpus, []), Configuration("8 factors", x.cpus, ["--factors", "8"])],
                 seeds=x.at(1, 3, 9), metric="test_recall_at_20", less=False, of_first=0.05)
    x.figures["recall of popularity"] = popularity(parts["train"], parts["test"])
    x.figures["recall over popularity's"] = ratio(runs.last("64 factors"), x.figures["recall of popularity"])
    x.figures["recall with 64 over 8"] = ratio(runs.last("64 factors"), runs.last("8 factors"))
