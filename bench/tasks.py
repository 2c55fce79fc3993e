# SPDX-License-Identifier: Apache-2.0
"""The tasks of the suite: rows, model, target and tuned settings of each."""
import dataclasses

from suite import data, made, nodes, words
from suite.terms import Target, Task

TASKS = {}  # by name
CHOSEN = "not tuned, but chosen so that a serial run takes about eight measurements or more"
USUAL = "the defaults of the model"
TUNED = "hogwild bench --tune 10, two workers: best of ten trials of each, medians of three seeds, AMD EPYC, 2026-11"
TEXT = data.generated("text", rows=100000, seed=1)
A9A = data.files(train="a9a.libsvm", test="a9a.t.libsvm")
IMDB = data.files(train="imdb.train.libsvm", test="imdb.test.libsvm")
CLICKS = data.written("clicks", lambda: made.clicks(60000))
WIKIFA = data.sentences("wikifa.txt", 200000)
GOWALLA = data.files(train="gowalla.train.txt", test="gowalla.test.txt")
FB15K = data.facts("fb15k-237.train.tsv", "fb15k-237.valid.tsv", "fb15k-237.test.tsv")


def add(name, family, rows, options, epochs, target, settings, *, suites="", found=CHOSEN, judged=None,
        **of_contestants):
    """See Task in suite/terms.py; a task of no suite is measured by --task."""
    TASKS[name] = Task(name, family, rows, options.split(), target, {"": settings, **of_contestants}, found, epochs,
                       suites=tuple(suites.split()), judged=judged)


def variant(name, of, **changed):
    TASKS[name] = dataclasses.replace(TASKS[of], name=name, suites=(), **changed)


def at_most(metric, value, found):
    return Target(metric, value, True, found)


def at_least(metric, value, found):
    return Target(metric, value, False, found)


# Logistic regression on generated rows in the shape of RCV1.
add("text", "linear", TEXT, "--model logistic --l2 0.000001", 25,
    at_most("objective", 0.213126, "optimum 0.212489 + 0.3 %, by LIBLINEAR"), {"step": 4.0, "decay": 0.8},
    all_reduce={"step": 64.0, "decay": 0.9, "meeting": 16, "batch": 1},
    local_sgd={"step": 4.0, "decay": 0.9, "meeting": 16384}, suites="quick full", found=TUNED)

# The task text for machines on a network, whose replicas exchange seldom: the target is farther from the optimum.
variant("text_between", "text", epochs=40,
        target=at_most("objective", 0.214614, "optimum 0.212489 + 1 %, by LIBLINEAR"))

# A factorization machine on the rows of the task text.
add("text_pairs", "machine", TEXT, "--model factorization_machine --factors 4", 8,
    at_most("test_loss", 0.34, "what a serial run has after 2 epochs, step 0.4"), {"step": 0.4, "decay": 0.9},
    xlearn_fm={"step": 0.4})

# Logistic regression on generated rows of text: small enough for a test.
add("tiny_text", "linear", data.generated("tiny_text", rows=20000, columns=2000, nonzeros=30, seed=1),
    "--model logistic --l2 0.001", 30,
    at_most("objective", 0.59729, "optimum 0.591376 + 1 %: 200 serial epochs, step 2 and 8, decay 0.95"),
    {"step": 0.5, "decay": 0.9}, suites="tiny")

# Logistic regression on a9a: few columns, which all workers write all the time.
add("adult", "linear", A9A, "--model logistic --l2 0.00001", 30,
    at_most("objective", 0.323256, "optimum 0.322933 + 0.1 %, by LIBLINEAR"), {"step": 0.08, "decay": 0.7},
    all_reduce={"step": 2.56, "decay": 0.6, "meeting": 16, "batch": 4},
    local_sgd={"step": 0.16, "decay": 0.7, "meeting": 1024}, suites="quick full",
    found=TUNED + "; on an edge: local_sgd")

# Logistic regression on reviews of films: real rows.
add("imdb", "linear", IMDB, "--model logistic --l2 0.000001", 40,
    at_most("objective", 0.127355, "optimum 0.126094 + 1 %, by LIBLINEAR"), {"step": 4.0, "decay": 0.93},
    all_reduce={"step": 128.0, "decay": 0.9, "meeting": 16, "batch": 1},
    local_sgd={"step": 8.0, "decay": 0.95, "meeting": 16}, suites="quick full", found=TUNED)

# The task imdb for machines on a network, whose replicas exchange seldom: the target is farther from the optimum.
variant("imdb_between", "imdb", epochs=60,
        target=at_most("objective", 0.132399, "optimum 0.126094 + 5 %, by LIBLINEAR"))

# Logistic regression on connections of a network: many short rows, and columns that most of them have.
add("kddcup99", "linear", data.files(train="kddcup99.train.libsvm", test="kddcup99.test.libsvm"),
    "--model logistic --l2 0.00001", 40,
    at_most("objective", 0.0146481, "optimum 0.0145031 + 1 %: 300 serial epochs, step 0.5, decay 0.98"),
    {"step": 0.5, "decay": 0.9}, suites="full")

# A support vector machine on reviews of films: real rows, and a loss with a corner.
add("svm", "linear", IMDB, "--model hinge_svm --l2 0.0001", 40,
    at_most("objective", 0.344026, "optimum 0.34062 + 1 %, by LIBLINEAR"), {"step": 0.5, "decay": 0.85}, suites="full")

# A support vector machine with a smooth loss on reviews of films.
add("svm_squared", "linear", IMDB, "--model squared_hinge --l2 0.0001", 20,
    at_most("objective", 0.305364, "optimum 0.30234 + 1 %: 200 serial epochs, step 0.3, decay 0.95"),
    {"step": 0.25, "decay": 0.75})

# A linear classifier on which wrong labels have less effect, on reviews of films.
add("svm_robust", "linear", IMDB, "--model modified_huber --l2 0.0001", 20,
    at_most("objective", 0.305326, "optimum 0.302303 + 1 %: 200 serial epochs, step 0.3, decay 0.95"),
    {"step": 0.25, "decay": 0.75})

# Linear regression of the stars that reviews of films give.
add("stars", "linear", data.stars, "--model least_squares --l2 0.0001", 20,
    at_most("objective", 2.286518, "optimum 2.263879 + 1 %: 150 serial epochs, decay 0.96"),
    {"step": 0.25, "decay": 0.8})

# The task stars by `huber`.
add("stars_huber", "linear", data.stars, "--model huber --l2 0.0001", 20,
    at_most("objective", 1.456151, "optimum 1.448906 + 0.5 %: 150 serial epochs, decay 0.96"),
    {"step": 0.25, "decay": 0.8})

# The task stars by `quantile`.
add("stars_quantile", "linear", data.stars, "--model quantile --l2 0.0001", 20,
    at_most("objective", 1.040017, "optimum 1.034843 + 0.5 %: 150 serial epochs, decay 0.96"),
    {"step": 0.25, "decay": 0.8})

# The task stars by `poisson`.
add("stars_poisson", "linear", data.stars, "--model poisson --l2 0.0001", 20,
    at_most("objective", -4.689752, "optimum -4.69915 + 0.2 %: 150 serial epochs, decay 0.96"),
    {"step": 0.1, "decay": 0.8})

# Softmax regression on generated rows of five classes, hardly regularised.
add("classes", "softmax", data.written("classes", made.classes), "--model softmax --l2 0.00001", 30,
    at_most("objective", 0.348122, "optimum 0.347774 + 0.1 %: 300 serial epochs, step 1, decay 0.98"),
    {"step": 2.0, "decay": 0.8}, all_reduce={"step": 64.0, "decay": 0.8, "meeting": 16},
    local_sgd={"step": 4.0, "decay": 0.8, "meeting": 256}, suites="quick", found=TUNED)

# Softmax regression on generated rows of five classes: small enough for a test.
add("tiny_classes", "softmax", data.written("tiny_classes", made.classes), "--model softmax --l2 0.001", 30,
    at_most("objective", 1.2085, "optimum 1.19653 + 1 %: 200 serial epochs, step 1 and 2, decay 0.95"),
    {"step": 0.7, "decay": 0.9}, suites="tiny")

# Softmax regression: 20 classes of messages, 49,050 columns.
add("news20mc", "softmax", data.files(train="news20mc.train.libsvm", test="news20mc.test.libsvm"),
    "--model softmax --l2 0.000001", 25,
    at_most("objective", 0.0759, "what a serial run has after 12 epochs, step 4, decay 0.9"),
    {"step": 4.0, "decay": 0.9}, suites="full")

# Topics of news, of which a row may have several.
add("topics", "softmax", data.files(train="reuters90.train.libsvm", test="reuters90.test.libsvm"),
    "--model softmax --l2 1e-7 --bias", 30,
    at_least("test_precision_at_1", 0.937, "what a serial run has after about 10 epochs, step 8, decay 0.85"),
    {"step": 8.0, "decay": 0.85})

# Matrix factorisation of MovieLens 100K.
add("ml_100k", "ratings", data.files(train="ml-100k.u.data"),
    "--test 0.1 --model matrix_factorization --factors 16 --l2 0.08", 30,
    at_most("test_rmse", 0.915, "what a serial run has after 17 epochs, step 0.06, decay 0.9"),
    {"step": 0.06, "decay": 0.95}, ring={"step": 0.12, "decay": 0.8},
    all_reduce={"step": 2.0, "decay": 0.95, "meeting": 16}, local_sgd={"step": 0.24, "decay": 0.8, "meeting": 4096},
    suites="quick full", found=TUNED + "; on an edge: local_sgd")

# Matrix factorisation of MovieLens 1M.
add("ml_1m", "ratings", data.files(train="ml-1m.ratings.tsv"),
    "--test 0.1 --model matrix_factorization --factors 32 --l2 0.05", 40,
    at_most("test_rmse", 0.861, "what a serial run has after 15 epochs, step 0.03, decay 0.9"),
    {"step": 0.03, "decay": 0.9}, suites="full")

# Matrix factorisation of ratings of films, with a published test part.
add("douban", "ratings", data.files(train="douban-3k.train.tsv", test="douban-3k.test.tsv"),
    "--model matrix_factorization --factors 16 --l2 0.05", 20,
    at_most("test_rmse", 0.737, "what a serial run has after 3 epochs, step 0.03, decay 0.92"),
    {"step": 0.03, "decay": 0.92})

# Matrix factorisation of generated ratings of rank 3: small enough for a test.
add("tiny_ratings", "ratings", data.written("tiny_ratings", lambda: made.ratings(300, 150, 40)),
    "--model matrix_factorization --factors 8", 25,
    at_most("test_rmse", 0.385, "what a serial run has after 9 epochs; the noise alone is 0.3"),
    {"step": 0.05, "decay": 0.95}, suites="tiny")

# A factorization machine on a9a.
add("pairs", "machine", A9A, "--model factorization_machine --factors 8 --l2 0.00001", 25,
    at_most("objective", 0.306, "what a serial run has after 9 epochs, step 0.24, decay 0.9"),
    {"step": 0.48, "decay": 0.8}, threads={"step": 0.24, "decay": 0.95}, processes={"step": 0.24, "decay": 0.9},
    ring={"step": 0.24, "decay": 0.9}, all_reduce={"step": 0.5, "decay": 0.8, "meeting": 16},
    local_sgd={"step": 0.48, "decay": 0.9, "meeting": 64}, suites="quick full",
    found=TUNED + "; on an edge: all_reduce")

# A factorization machine on generated rows whose labels depend on pairs of columns: small enough for a test.
add("tiny_pairs", "machine", data.written("tiny_pairs", made.pairs), "--model factorization_machine --factors 4", 25,
    at_most("objective", 0.21, "what a serial run has after 11 epochs"), {"step": 0.05, "decay": 0.95}, suites="tiny")

# A field-aware factorization machine on generated clicks.
add("clicks", "machine", CLICKS, "--model ffm", 12,
    at_most("test_loss", 0.5645, "what libffm has after 4 epochs, step 0.2"), {"step": 0.05, "decay": 0.9})

# A deep factorization machine on the rows of the task clicks.
add("clicks_deep", "machine", CLICKS, "--model deepfm --factors 8 --hidden 64,32", 12,
    at_most("test_loss", 0.604, "what a serial run has after 2 epochs"), {"step": 0.02, "decay": 0.9})

# A net with one hidden layer on images of digits.
add("digits", "net", data.images(20000, 10000), "--model mlp --hidden 128 --batch 32", 20,
    at_least("test_accuracy", 0.965, "9,650 of 10,000 test images right"), {"step": 0.01})

# A net with one hidden layer on sparse rows: reviews of films.
add("reviews", "net", IMDB, "--model mlp --hidden 128 --optimizer adagrad", 4,
    at_least("test_accuracy", 0.885, "what a serial run has after an epoch, less 0.004"), {"step": 0.05})

# A net with 5,000 classes, whose last layer is sampled.
add("many_classes", "net", data.written("labels", lambda: made.labels(40000, 5000)),
    "--model mlp --hidden 64 --optimizer adagrad", 6,
    at_least("test_accuracy", 0.9, "what a serial run has after 3 epochs"), {"step": 0.05})

# A small convolutional net on the first 5,000 images of MNIST.
add("images", "images", data.images(5000, 1000),
    "--model convnet --net mnist --optimizer momentum --momentum 0.5 --batch 32 --schedule geometric", 20,
    at_least("test_accuracy", 0.965, "965 of 1,000 test images right"), {"step": 0.04, "decay": 0.95}, suites="quick",
    found="between the best of ten trials of a serial run (0.06) and of two threads (0.03); the others had none")

# A small convolutional net on MNIST.
add("mnist", "images", data.images(60000, 10000),
    "--model convnet --net mnist --optimizer momentum --momentum 0.5 --batch 64", 14,
    at_least("test_accuracy", 0.98, "98 of 100 test images right"), {"step": 0.01}, suites="full")

# Word vectors of the first 200,000 words of wikifa.
add("words", "words", WIKIFA, "--model skip_gram", 15,
    at_most("objective", 65.0, "what a serial run has after about 9 epochs, step 0.1"), {"step": 0.1},
    suites="quick full")

# Word vectors of the first 200,000 words of wikifa by cbow.
add("words_mean", "words", WIKIFA, "--model cbow", 15,
    at_most("objective", 18.5, "what a serial run has after about 8 epochs, step 0.15"), {"step": 0.15})

# Word vectors of generated text, each sentence on one of twenty topics: small enough for a test.
add("tiny_words", "words", data.written("tiny_words", lambda: made.sentences(3000)),
    "--model skip_gram --dimension 32", 15, at_most("objective", 7.2, "what a serial run has after 10 epochs"),
    {"step": 0.05}, suites="tiny")

# The cut between foreground and background of a picture (Tsukuba), 110,594 nodes.
add("cut", "cut", data.files(train="tsukuba-fgbg.max"), "--model graph_cut", 40,
    at_most("test_cut", 140000, "2.7 times the least cut, 52,393 (exact): what a serial run has after 25 epochs"),
    {"step": 0.2, "decay": 0.95}, threads={"step": 0.1, "decay": 0.975}, processes={"step": 0.05, "decay": 0.9},
    suites="quick full", found=TUNED + "; on an edge: threads, processes")

# The task cut nearly to its end.
variant("stereo", "cut", epochs=400, options=["--model", "graph_cut", "--measure-every", "20"], settings={"": {}},
        target=at_most("test_cut", 52917, "the least cut, 52,393 (exact), + 1 %"))

# The cut of a graph of entities that are mentioned together, into four classes.
add("mentions", "cut", data.written("mentions", lambda: made.mentions(20000, 20000, 5)), "--model graph_cut", 30,
    at_most("objective", 0.105, "what a serial run has after about 11 epochs"), {"step": 0.05, "decay": 0.9},
    suites="full")

# The cut of a generated grid graph with two classes: small enough for a test.
add("tiny_cut", "cut", data.written("tiny_cut", lambda: made.grid(40)), "--model graph_cut", 30,
    at_most("objective", 0.0565, "what a serial run has after 20 epochs"), {"step": 0.05, "decay": 0.9}, suites="tiny")

# Places that people visit, by pairs: all lists of twenty are measured after every tenth epoch.
LISTS = "--measure-lists 1000000 --measure-every 10"
add("gowalla", "pairs", GOWALLA, f"--model bpr --factors 64 {LISTS}", 80,
    at_least("test_recall_at_20", 0.129, "published of BPR on this split, in papers of LightGCN's line"),
    {"step": 0.05}, found=USUAL)

# The task gowalla by the best of our recommenders.
add("gowalla_softmax", "pairs", GOWALLA, f"--model sampled_softmax --factors 64 {LISTS}", 60,
    at_least("test_recall_at_20", 0.165, "a run of 60 epochs ends at 0.1716"), {"step": 0.2}, found=USUAL)

# The task gowalla by the loss that looks for items above the right one.
add("gowalla_warp", "pairs", GOWALLA, "--model warp --factors 64 --measure-lists 1000000", 15,
    at_least("test_recall_at_20", 0.135, "what LightFM has after 13 epochs"), {"step": 0.05}, found=USUAL)

# Tags of questions on cooking, by words and pairs of words.
add("cooking", "texts", data.files(train="cooking.train.txt", test="cooking.valid.txt"),
    "--model text_classifier --word-ngrams 2", 25,
    at_least("test_precision_at_1", 0.595, "fastText's tutorial has 0.599"), {"step": 1.5}, found=USUAL)

# Groups of bloggers, by vectors of the nodes of their graph.
add("blogcatalog", "walks", data.files(train="blogcatalog.edges.txt", labels="blogcatalog.labels.txt"),
    "--model node_vectors", 40,
    at_least("macro_f1", 0.25, "half of the nodes are labelled; the paper on node2vec has 0.211 for DeepWalk"),
    {"step": 0.05}, found=USUAL, judged=nodes.macro_f1)

# The task blogcatalog by walks of the second order.
variant("blogcatalog_biased", "blogcatalog", options="--model node_vectors --p 0.25 --q 0.25".split(),
        target=at_least("macro_f1", 0.25, "half of the nodes are labelled; the paper on node2vec has 0.258"))

# Facts, by translations, by products and by those of complex numbers: the filtered ranks of all validation triples.
add("facts", "triples", FB15K, "--model transe --measure-lists 1000000", 14,
    at_least("test_mrr", 0.3, "4 % below the best published MRR of this model, 0.313, of test triples"), {"step": 0.2},
    found=USUAL)
variant("facts_products", "facts", epochs=40, options="--model distmult --measure-lists 1000000".split())
variant("facts_complex", "facts", epochs=24, options="--model complex --measure-lists 1000000".split())

# Tags of bookmarks, of which a row may have several, by a tree of labels.
add("bibtex", "tree", data.files(train="bibtex.train.libsvm", test="bibtex.test.libsvm"), "--model label_tree", 8,
    at_least("test_precision_at_1", 0.63, "napkinXC has 0.632"), {"step": 1.5}, found=USUAL)

# Word vectors of the first 3 million words of wikifa by counts of neighbours.
MORE_OF_WIKIFA = data.sentences("wikifa.txt", 3000000)
add("words_counted", "words",
    lambda place: {**MORE_OF_WIKIFA(place), "questions": data.real(place, "questions-words.txt")},
    "--model glove --window 5", 15, at_least("analogies", 0.03, "what two threads have, less a tenth"), {"step": 0.1},
    found=USUAL, judged=words.analogies)

# Generated data of each kind: small enough for a test.
add("tiny_visits", "pairs", data.written("tiny_visits", lambda: made.visits(300, 200, 12)),
    "--model bpr --factors 8", 20, at_least("test_recall_at_20", 0.5, "what a serial run has after 14 epochs"),
    {"step": 0.05}, suites="tiny")
add("tiny_triples", "triples", data.written("tiny_triples", lambda: made.triples(40, 12)),
    "--model complex --factors 16 --negatives 20 --dropout 0", 15,
    at_least("test_mrr", 0.9, "what a serial run has after 10 epochs"), {"step": 0.1}, suites="tiny")
add("tiny_titles", "texts", data.written("tiny_titles", lambda: made.titles(2000)),
    "--model text_classifier --dimension 16", 15, at_least("test_precision_at_1", 0.75, "what a serial run has"),
    {"step": 0.1}, suites="tiny")
add("tiny_friends", "walks", data.written("tiny_friends", lambda: made.friends(200, 8)),
    "--model node_vectors --dimension 16", 10, at_least("macro_f1", 0.8, "what a serial run has"), {"step": 0.05},
    suites="tiny", judged=nodes.macro_f1)
