// SPDX-License-Identifier: Apache-2.0
// The cost of waiting for others, by how long a gradient takes (the experiment behind figure 5 of the Hogwild! paper):
// logistic regression whose gradient computes for so many microseconds more. Prints seconds and loss of a run.
//
//   slow_gradient train.svm MICROSECONDS WORKERS lossy|exact|locked|edge_locked|ordered [EPOCHS [STEP]]
//
// The time passes between an example's reads and its adds; under edge_locked and ordered others then wait for it.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <string>
#include <string_view>

#include <hogwild/error.hpp>
#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

namespace {

struct slow_logistic : hogwild::logistic {
  static constexpr std::string_view name = "slow_logistic";
  std::chrono::nanoseconds delay{0};
  float derivative(float margin, float label) const {
    // It computes: a thread that slept would leave its CPU to the others.
    for (const auto end = std::chrono::steady_clock::now() + delay; std::chrono::steady_clock::now() < end;) {
    }
    return logistic::derivative(margin, label);
  }
};

int run(const std::string& file, double microseconds, std::size_t workers, const std::string& update,
        std::size_t epochs, double step) {
  using hogwild::update_kind;
  const std::map<std::string, update_kind> updates{{"lossy", update_kind::lossy},
                                                   {"exact", update_kind::exact},
                                                   {"locked", update_kind::locked},
                                                   {"edge_locked", update_kind::edge_locked},
                                                   {"ordered", update_kind::ordered}};
  const auto asked = updates.find(update);
  if (asked == updates.end())
    throw hogwild::config_error("the update is lossy, exact, locked, edge_locked or ordered, and not '" + update + "'");
  slow_logistic model;
  model.delay = std::chrono::nanoseconds(static_cast<std::int64_t>(1000.0 * microseconds));
  const auto data = hogwild::open_libsvm(file);
  const auto result = hogwild::train(model, data, hogwild::thread_engine{.workers = workers},
                                     {.epochs = epochs,
                                      .step = {.initial = step, .decay = 0.9},
                                      .update = asked->second,
                                      .sharing = hogwild::sharing_kind::direct});
  std::printf("%.6f seconds of training, loss %.6f after %zu updates by %zu workers\n", result.train_seconds,
              result.train_loss, static_cast<std::size_t>(result.updates), result.workers);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: slow_gradient DATA MICROSECONDS WORKERS UPDATE [EPOCHS [STEP]]\n");
    return 2;
  }
  try {
    return run(argv[1], std::strtod(argv[2], nullptr), std::strtoul(argv[3], nullptr, 10), argv[4],
               argc > 5 ? std::strtoul(argv[5], nullptr, 10) : 3, argc > 6 ? std::strtod(argv[6], nullptr) : 0.3);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
