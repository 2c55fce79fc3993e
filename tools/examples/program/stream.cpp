// SPDX-License-Identifier: Apache-2.0
// Trains on rows as they come, a few at a time; rows that a checkpoint holds need not be sent again.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/trainer.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: stream CHECKPOINT"), 2;
  const hogwild::train_options options{.step = {.initial = 0.5}, .labels = {0.0, 1.0}};
  hogwild::trainer<hogwild::logistic> stream(hogwild::logistic{}, hogwild::thread_engine{}, options);

  std::mt19937 random(1);
  std::uint32_t columns = 10;
  for (int batch = 0; batch < 100; ++batch, columns += batch == 50 ? 10 : 0) {  // new columns make the model grow
    std::vector<std::uint64_t> start{0};
    std::vector<std::uint32_t> index;
    std::vector<float> label;
    for (int i = 0; i < 1000; ++i) {
      index.push_back(static_cast<std::uint32_t>(random() % columns));
      start.push_back(index.size());
      label.push_back(index.back() % 2 == 0 ? 1.0f : 0.0f);
    }
    const std::vector<float> value(index.size(), 1.0f);
    const auto report = stream.partial_fit(hogwild::csr_rows(start, index, value, label, columns));
    if (batch % 20 == 19) {
      stream.checkpoint(argv[1]);
      std::printf("%llu rows: progressive loss %.4f\n", static_cast<unsigned long long>(report.rows), report.loss);
    }
  }

  auto resumed = options;
  resumed.resume = argv[1];
  hogwild::trainer<hogwild::logistic> again(hogwild::logistic{}, hogwild::thread_engine{}, resumed);
  std::printf("goes on behind row %llu, with %zu columns\n", static_cast<unsigned long long>(again.rows()),
              again.columns());
}
