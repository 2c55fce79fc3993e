// SPDX-License-Identifier: Apache-2.0
// Rows that count more than others, and rows with a known part of their score.
#include <cstdint>
#include <cstdio>
#include <vector>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/rows.hpp>
#include <hogwild/trained_model.hpp>

int main() {
  // Rows i and i + 1 are alike but for the label; those of label +1 weigh three times as much.
  std::vector<hogwild::sparse_row<float>> rows;
  const std::vector<std::uint32_t> column{0};
  const std::vector<float> one{1.0f};
  for (int i = 0; i < 1000; ++i)
    rows.push_back(
        {.index = column, .value = one, .label = i % 2 == 0 ? 1.0f : -1.0f, .weight = i % 2 == 0 ? 3.0f : 1.0f});
  const hogwild::sparse_dataset data = hogwild::rows_from(rows);

  const hogwild::train_options options{.epochs = 200, .step = {.initial = 0.5, .decay = 0.97}, .l2 = 0.0};
  const auto run = hogwild::train(hogwild::logistic{}, data, hogwild::thread_engine{}, options);
  const auto model = hogwild::trained(run, data, hogwild::logistic{});
  std::printf("score %.3f: the logarithm of the odds, 3 to 1\n", hogwild::scores(model, data.view())[0]);
}
