// SPDX-License-Identifier: Apache-2.0
// A search of step and l2 by Hyperband: one function trains and measures, the library chooses trials and epochs.
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/search.hpp>

struct own_trainer : hogwild::trial_trainer {
  const hogwild::sparse_dataset& data;
  explicit own_trainer(const hogwild::sparse_dataset& rows) : data(rows) {}

  void train(std::span<hogwild::trial* const> some, std::size_t epochs) override {
    for (hogwild::trial* const t : some) {
      const double l2 = std::stod(t->options[0].text), step = std::stod(t->options[1].text);
      const auto run =
          hogwild::train(hogwild::logistic{}, data, hogwild::serial_engine{},
                         {.epochs = epochs, .step = {.initial = step}, .l2 = l2, .validation_fraction = 0.2});
      const bool diverged = run.status == hogwild::run_status::diverged;
      t->metric = diverged ? std::numeric_limits<double>::infinity() : run.validation->loss;  // lower is better
      t->epochs = epochs;
    }
  }
};

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: search_options TRAIN.svm [JOURNAL]"), 2;
  const hogwild::sparse_dataset data = hogwild::open_libsvm(argv[1]);
  const std::vector<std::string> texts{"l2=log:1e-8:1e-2", "step=0.03,0.1,0.3,1"};
  own_trainer trainer(data);
  // With a journal a search that was killed goes on where it was.
  const hogwild::search_result found = hogwild::run_search(
      hogwild::search_space::parse(texts),
      {.strategy = hogwild::strategy_kind::hyperband, .epochs = 9, .journal = argc > 2 ? argv[2] : ""}, trainer,
      [](const hogwild::search_progress& now) {
        if (now.best != nullptr) std::printf("best so far: loss %.4f\n", now.best->metric);
        return hogwild::observer_answer::go_on;
      });
  if (!found.best) return std::puts("all diverged"), 5;
  const hogwild::trial& best = found.trials[*found.best];
  std::printf("%s: validation loss %.4f\n", to_text(best.options).c_str(), best.metric);
}
