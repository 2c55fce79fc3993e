// SPDX-License-Identifier: Apache-2.0
// Reading the parameters of a run while it trains, from another process: start "live_reader train TRAIN.svm NAME", and
// beside it "live_reader read NAME".
#include <chrono>
#include <cstdio>
#include <string_view>
#include <thread>

#include <hogwild/hogwild.hpp>
#include <hogwild/live_parameters.hpp>
#include <hogwild/models/logistic.hpp>

namespace {

int train(const char* file, const char* name) {
  const hogwild::sparse_dataset data = hogwild::open_libsvm(file);
  const hogwild::thread_engine engine{.segment = name};  // its parameters lie where others can map them
  const auto run = hogwild::train(hogwild::logistic{}, data, engine, {.epochs = 300, .step = {.initial = 0.1}});
  return run.status == hogwild::run_status::done ? 0 : 1;
}

int read(const char* name) {
  auto live = hogwild::live_parameters::attach(name);
  while (live.state() == hogwild::run_state::training) {
    if (live.read()) {
      const hogwild::live_age age = live.age();
      std::printf("epoch %zu, rows %llu to %llu: first weight %.4f\n", age.epoch,
                  static_cast<unsigned long long>(age.rows_before), static_cast<unsigned long long>(age.rows_after),
                  live.values().front());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::puts("the run has ended; what was read last stays");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 4 && std::string_view(argv[1]) == "train") return train(argv[2], argv[3]);
  if (argc == 3 && std::string_view(argv[1]) == "read") return read(argv[2]);
  return std::puts("usage: live_reader train TRAIN.svm NAME | live_reader read NAME"), 2;
}
