# SPDX-License-Identifier: Apache-2.0
"""PyTorch on knowledge graphs as libraries of it train: a batch of questions compared with the same drawn entities, a
softmax with the correction for how few these are, and Adagrad on the rows that a batch reads."""
import time

from suite import embeddings, point
from suite.peer import Peer, module, option

DRAWN = 512  # entities for a batch


def asked_for(model, sources, relations):
    """The vectors of questions."""
    import torch
    if model != "complex":
        return sources + relations if model == "transe" else sources * relations
    (a, b), (c, d) = sources.chunk(2, 1), relations.chunk(2, 1)
    return torch.cat([a * c - b * d, a * d + b * c], 1)


def main(asked):
    import torch
    model, batch, seconds = option(asked, "--model"), asked.settings["batch"], 0.0
    torch.set_num_threads(asked.workers), torch.manual_seed(asked.seed)
    begin = time.perf_counter()
    triples, *names = embeddings.read_triples(asked.data["train"])
    triples, (entities, relations) = torch.tensor(triples), map(len, names)
    parsed, correction = time.perf_counter() - begin, torch.tensor(entities / DRAWN).log()
    width = int(option(asked, "--factors", 256)) * (2 if model == "complex" else 1)
    of_entities, of_relations = (torch.nn.Embedding(n, width, sparse=True) for n in (entities, 2 * relations))
    for table in (of_entities, of_relations):
        torch.nn.init.normal_(table.weight, std=0.1)
    optimizer = torch.optim.Adagrad([of_entities.weight, of_relations.weight], asked.settings["step"])
    for epoch in range(1, asked.epochs + 1):
        begin = time.perf_counter()
        for h, r, t in (rows.T for rows in triples[torch.randperm(len(triples))].split(batch)):
            optimizer.zero_grad()
            drawn = of_entities(torch.randint(entities, (DRAWN,)))
            questions = asked_for(model, of_entities(torch.cat([h, t])), of_relations(torch.cat([r, r + relations])))
            answers = of_entities(torch.cat([t, h]))
            right = (-torch.linalg.vector_norm(questions - answers, dim=1) if model == "transe" else
                     (questions * answers).sum(1))
            others = questions @ drawn.T
            if model == "transe":  # distances by products: torch.cdist takes several times as long backwards
                squares = questions.square().sum(1)[:, None] + drawn.square().sum(1) - 2 * others
                others = -squares.clamp(min=1e-12).sqrt()
            (torch.cat([right[:, None], others + correction], 1).logsumexp(1) - right).sum().backward()
            optimizer.step()
        seconds += time.perf_counter() - begin
        path = embeddings.write_triples(asked, epoch, of_entities.weight, of_relations.weight, *names)
        point.tell(seconds=seconds, epochs=epoch, weights=path, parse_seconds=parsed)


def train(*run):
    return embeddings.train(__name__, *run, timeout=1200)


contestant = Peer("torch_triples", module("torch", "torch"), ("triples",), train,
                  {"step": [0.05, 0.1, 0.2], "batch": [128, 256, 512]}, models=("transe", "distmult", "complex"),
                  metrics=("test_mrr",), workers=(1, 2))
