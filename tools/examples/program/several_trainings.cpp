// SPDX-License-Identifier: Apache-2.0
// Several trainings at once, on the same rows: each run has its own parameters, and the rows are only read.
#include <array>
#include <cstdio>
#include <thread>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: several_trainings TRAIN.svm"), 2;
  const hogwild::sparse_dataset data = hogwild::open_libsvm(argv[1]);
  const std::array l2{1e-6, 1e-5, 1e-4, 1e-3};
  std::array<hogwild::train_result, l2.size()> runs;
  {
    std::array<std::jthread, l2.size()> at_work;
    for (std::size_t i = 0; i < l2.size(); ++i)
      at_work[i] = std::jthread([&, i] {
        runs[i] = hogwild::train(hogwild::logistic{}, data, hogwild::serial_engine{},
                                 {.epochs = 10, .step = {.initial = 0.1}, .l2 = l2[i], .validation_fraction = 0.2});
      });
  }
  for (std::size_t i = 0; i < l2.size(); ++i)
    std::printf("l2 %g: validation loss %.4f\n", l2[i], runs[i].validation->loss);
}
