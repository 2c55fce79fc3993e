// SPDX-License-Identifier: Apache-2.0
// Logistic regression by an engine whose name is one word: the build compiles this file once for each of them, with
// -DENGINE=ring_engine, say.
#include <cstdio>
#include <exception>

#include <hogwild/models/logistic.hpp>
#include <hogwildpp/hogwildpp.hpp>

int main(int argc, char** argv) {
  // Where an engine has started this process as a worker, it trains here; otherwise this does nothing.
  if (const auto code = hogwild::worker_main<hogwild::logistic>(argc, argv)) return *code;
  try {
    const auto data = hogwild::open_libsvm("train.svm");
    const auto run =
        hogwild::train(hogwild::logistic{}, data, hogwild::ENGINE{}, {.test = data.view(), .record = "run.jsonl"});
    std::printf("accuracy %.4f with %zu workers\n", run.test->accuracy.value(), run.workers);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
