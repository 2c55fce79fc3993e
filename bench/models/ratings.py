# SPDX-License-Identifier: Apache-2.0
"""Matrix factorisation with 32 factors on MovieLens 1M."""
import pathlib
import random
import re
import shutil

import runs

FACTORS, EPOCHS, L2 = 32, 30, 0.05
TEST_FRACTION, SEED = 0.1, 1
LARGEST_RMSE = 0.855
LIBMF_RMSE = 0.845  # its test RMSE after as many epochs, within 0.0005


def split(lines, folder):
    """The same tenth for testing in every run."""
    random.Random(SEED).shuffle(lines)
    tested = round(TEST_FRACTION * len(lines))
    for name, part in (("test.tsv", lines[:tested]), ("train.tsv", lines[tested:])):
        (folder / name).write_text("".join(part), encoding="ascii")


def made_up():
    """Ratings that factors explain, 30 by each of 200 users."""
    chance = random.Random(SEED)
    users, items = ([[chance.gauss(0, 0.7) for _ in range(3)] for _ in range(n)] for n in (200, 100))
    return [f"{u + 1}\t{i + 1}\t{3 + sum(a * b for a, b in zip(users[u], items[i])):.3f}\n"
            for u in range(200) for i in chance.sample(range(100), 30)]


def libmf(program, folder, threads):
    def run():
        seconds, said = runs.output_of([program, "-k", FACTORS, "-l2", L2, "-r", 0.05, "-t", EPOCHS, "-s", threads,
                                        "-p", "test.tsv", "train.tsv", "libmf.model"], folder)
        # Its table: iteration, training RMSE, test RMSE, objective.
        table = [line.split() for line in said.splitlines() if re.match(r"\s*\d+\s+\d", line)]
        return {"command_seconds": seconds, "test_rmse": float(table[-1][2])}
    return run


def stick(program, folder):
    """Its ratings a second, of the ways that have a counterpart here."""
    def run():
        _, said = runs.output_of([program], folder)
        told = re.findall(r"^\| ([^|]+?) \|.*?\| ([\d.]+) M ratings/s \| RMSE e20 ([\d.]+)", said, re.MULTILINE)
        figures = {name: (float(rate) * 1e6, float(rmse)) for name, rate, rmse in told}
        one, two = figures["1 thread, blocks"], figures["2 threads block-owned 4x4"]
        return {"rate": one[0], "two_threads_rate": two[0], "test_rmse": one[1]}
    return run


def task(asked, folder, tiny=False):
    if tiny:
        source, lines = None, made_up()
    else:
        source = runs.unpacked(asked.data, "ml-1m.ratings.tsv", folder)
        lines = source.read_text(encoding="ascii").splitlines(keepends=True)
    split(lines, folder)

    def ours(*more):
        return runs.Hogwild(asked.hogwild, folder,
                            ["train.tsv", "--model", "matrix_factorization", "--factors", str(FACTORS), "--test",
                             "test.tsv", "--epochs", str(EPOCHS), "--no-cache", *more])

    many = ["--workers", str(asked.workers)]
    owned, shared = ["--ownership", "blocks"], ["--ownership", "shared"]
    alone = ["--engine", "serial"]
    few = f"{asked.workers} "
    until = ["--target", f"test_rmse={LIBMF_RMSE}"]
    contestants = [
        runs.Contestant("one worker", 1, ours(*alone)),
        runs.Contestant("one worker, blocks, no biases", 1, ours(*alone, *owned, "--no-bias")),
        runs.Contestant(few + "threads, blocks", asked.workers, ours(*many, *owned)),
        runs.Contestant(few + "threads, blocks, no biases", asked.workers, ours(*many, *owned, "--no-bias")),
        runs.Contestant(few + "threads, shared", asked.workers, ours(*many, *shared)),
        runs.Contestant(few + "processes, blocks", asked.workers, ours(*many, *owned, "--engine", "processes")),
    ]
    if source:
        if source.parent == folder:
            shutil.copy(source, folder / "ml1m.tsv")
        else:
            (folder / "ml1m.tsv").symlink_to(source.resolve())
        stick_program = str(pathlib.Path(asked.stick).resolve()) if asked.stick else ""
        contestants.append(runs.Contestant("stick", 1, stick(stick_program, folder), runs.found(stick_program)))
        for threads in (1, asked.workers):
            contestants.append(runs.Contestant(f"LIBMF, {threads} thread" + ("s" if threads > 1 else ""), threads,
                                               libmf(asked.libmf, folder, threads), runs.found(asked.libmf)))
            reached = "one worker" if threads == 1 else few + "threads, blocks"
            contestants.append(runs.Contestant(f"{reached}, to LIBMF's RMSE", threads,
                                               ours(*(alone if threads == 1 else [*many, *owned]), *until)))
    ratios = [
        ("one worker against the stick", "one worker, blocks, no biases", "stick", "rate"),
        ("two workers against one, blocks", few + "threads, blocks, no biases", "one worker, blocks, no biases", "rate"),
        ("two workers against one, blocks, with biases", few + "threads, blocks", "one worker", "rate"),
        ("two workers against one, shared", few + "threads, shared", "one worker", "rate"),
        ("processes against threads", few + "processes, blocks", few + "threads, blocks", "rate"),
        ("whole command to LIBMF's RMSE, one worker", "one worker, to LIBMF's RMSE", "LIBMF, 1 thread",
         "command_seconds"),
        ("whole command to LIBMF's RMSE", few + "threads, blocks, to LIBMF's RMSE", f"LIBMF, {asked.workers} threads",
         "command_seconds"),
    ]
    most = 0.65 if tiny else LARGEST_RMSE
    return runs.Task("tiny" if tiny else "ratings",
                     f"{'made-up ratings' if tiny else 'MovieLens 1M'}, {TEST_FRACTION:.0%} tested, {FACTORS} factors, "
                     f"{EPOCHS} epochs", "test_rmse", f"at most {most}", lambda f: f["test_rmse"] <= most, contestants,
                     ratios)
