// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <hogwild/observer.hpp>

namespace hogwild::test {

/// Keeps the reports of a run.
struct heard_run : observer {
  std::vector<epoch_report> epochs{};
  std::vector<std::string> notes{};

  observer_answer on_epoch(const epoch_report& e) override {
    epochs.push_back(e);
    return observer_answer::go_on;
  }
  void on_note(std::string_view sentence) override { notes.emplace_back(sentence); }

  /// A number of each epoch, for example &epoch_report::step.
  template <class Number>
  std::vector<Number> each(Number epoch_report::*of) const {
    std::vector<Number> numbers;
    for (const epoch_report& e : epochs) numbers.push_back(e.*of);
    return numbers;
  }
};

}  // namespace hogwild::test
