# SPDX-License-Identifier: Apache-2.0
"""The sources of a task's rows: an existing file, or a generator with a seed."""
import functools
import gzip
import lzma
import shutil
import zlib

from suite import life
from suite.terms import Unavailable


def real(place, name):
    """A data file, unpacked once into the folder of the call; Unavailable if it does not exist."""
    for ending in ("", ".xz"):
        source = place.data and place.data / (name + ending)
        if source and source.exists():
            if not ending:
                return source
            target = place.work / name
            if not target.exists():
                try:
                    with lzma.open(source) as packed, open(target, "wb") as file:
                        shutil.copyfileobj(packed, file)
                except (lzma.LZMAError, EOFError) as error:
                    target.unlink()
                    raise Unavailable(f"{source} is damaged: {error}") from None
            return target
    raise Unavailable(f"{name} is not there; name its folder with --data")


def files(**names):
    """For `data` of a task: real files by part."""
    return lambda place: {part: real(place, name) for part, name in names.items()}


def facts(train, test, other):
    """For `data` of a task: triples; `known` are all that are true, those of a file that takes no other part, too."""
    def make(place):
        parts, path = {"train": real(place, train), "test": real(place, test)}, place.work / "known.tsv"
        if not path.exists():
            path.write_bytes(parts["train"].read_bytes() + real(place, other).read_bytes())
        return {**parts, "known": path}
    return make


def stars(place):
    """For `data` of a task: reviews of films, labelled with the stars that they give."""
    rows, stars, path = real(place, "imdb.train.libsvm"), real(place, "imdb.train.stars.txt"), place.work / "stars.svm"
    if not path.exists():
        with open(rows, encoding="ascii") as a, open(stars, encoding="ascii") as b, open(path, "w", encoding="ascii") as out:
            out.writelines(f"{star.strip()} {row.partition(' ')[2]}" for row, star in zip(a, b))
    return {"train": path}


def generated(name, **options):
    """For `data` of a task: rows of `hogwild generate` with these options, a tenth of them for testing."""
    def make(place):
        train, test = place.work / f"{name}.svm", place.work / f"{name}.t"
        if not train.exists():
            words = [word for key, value in options.items() for word in (f"--{key}", str(value))]
            done = life.run([place.hogwild, "generate", train, "--test", test, *words])
            if done.returncode != 0:
                raise Unavailable(f"{name} cannot be generated: {done.stderr.strip()}")
        return {"train": train, "test": test}
    return make


def written(name, lines):
    """For `data` of a task: lines of text that `lines()` yields, (part, line), as files of the parts."""
    @functools.cache  # every run asks
    def make_in(folder):
        parts = {}
        for part, line in lines():
            parts.setdefault(part, []).append(line)
        paths = {part: folder / f"{name}.{part}" for part in parts}
        for part, path in paths.items():
            path.write_text("\n".join(parts[part]) + "\n", encoding="utf-8")
        return paths
    return lambda place: make_in(place.work)


def images(count, test):
    """For `data` of a task: the first `count` images of MNIST, and of its test images the first `test`."""
    def make(place):
        parts = {}
        for part, kept, n in (("train", "train", count), ("test", "t10k", test)):
            for kind, head, size in (("images-idx3-ubyte", 16, 28 * 28), ("labels-idx1-ubyte", 8, 1)):
                path = place.work / f"{kept}_{n}" / f"{kept}-{kind}"
                parts.setdefault(part, path)
                if path.exists():
                    continue
                source = real(place, f"{kept}-{kind}.gz")
                try:
                    raw = gzip.decompress(source.read_bytes())
                except (gzip.BadGzipFile, EOFError, zlib.error) as error:
                    raise Unavailable(f"{source} is damaged: {error}") from None
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(raw[:4] + n.to_bytes(4, "big") + raw[8:head + n * size])
        return parts
    return make


def sentences(name, count, each=20):
    """For `data` of a task: the first `count` words of a text, `each` a line."""
    def make(place):
        path = place.work / f"{count}_words.txt"
        if not path.exists():
            with open(real(place, name), encoding="utf-8") as file:
                words = file.read(12 * count).split()[:count]
            path.write_text("".join(" ".join(words[k:k + each]) + "\n" for k in range(0, count, each)), encoding="utf-8")
        return {"train": path}
    return make
