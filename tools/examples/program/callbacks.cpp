// SPDX-License-Identifier: Apache-2.0
// Follows a run, reads its parameters, and ends it: by an answer, or from another thread.
#include <chrono>
#include <cstdio>
#include <stop_token>
#include <thread>

#include <hogwild/hogwild.hpp>
#include <hogwild/models/logistic.hpp>

int main(int argc, char** argv) {
  if (argc < 2) return std::puts("usage: callbacks TRAIN.svm"), 2;
  const hogwild::sparse_dataset data = hogwild::open_libsvm(argv[1]);

  hogwild::train_options options{.epochs = 1000, .step = {.initial = 0.1}};
  options.observers.push_back([](const hogwild::epoch_report& epoch) {
    const std::vector<float> w = epoch.parameters();  // made on request, by the columns of the file
    std::printf("epoch %zu: loss %.4f, first weight %.3f\n", epoch.epoch, epoch.train_loss, w.front());
    return epoch.epoch == 3 ? hogwild::observer_answer::stop : hogwild::observer_answer::go_on;
  });
  const auto answered = hogwild::train(hogwild::logistic{}, data, hogwild::thread_engine{}, options);
  std::printf("ended after %zu epochs\n", answered.epochs);

  std::stop_source cancel;
  hogwild::train_options endless{.epochs = 1'000'000'000, .step = {.initial = 0.1}};
  endless.stop = cancel.get_token();
  const std::jthread user([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    cancel.request_stop();
  });
  const auto cancelled = hogwild::train(hogwild::logistic{}, data, hogwild::thread_engine{}, endless);
  std::puts(cancelled.status == hogwild::run_status::stopped ? "cancelled, with its parameters so far" : "done");
}
