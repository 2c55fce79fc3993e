// SPDX-License-Identifier: Apache-2.0
// Saves a model, loads it again and scores rows with it, as another program would.
#include <cstdio>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/trained_model.hpp>

int main(int argc, char** argv) {
  if (argc < 3) return std::puts("usage: save_and_score TRAIN.svm MODEL"), 2;
  {
    const hogwild::sparse_dataset data = hogwild::open_libsvm(argv[1]);
    const auto run = hogwild::train(hogwild::logistic{}, data, hogwild::thread_engine{});
    hogwild::save(argv[2], run, data, hogwild::logistic{});  // 'hogwild predict' reads it, too
  }
  const auto model = hogwild::load<hogwild::logistic>(argv[2]);
  const auto numbering = model.numbering();
  const hogwild::sparse_dataset rows = hogwild::open_libsvm(argv[1], {.numbering = &numbering});
  const hogwild::measurement measured = hogwild::evaluate(model, rows);
  std::printf("loss %.4f, accuracy %.4f\n", measured.loss, measured.accuracy.value_or(0.0));
  std::printf("the first row has label %g and score %.3f\n", hogwild::predict(model, rows)[0],
              hogwild::scores(model, rows)[0]);
}
