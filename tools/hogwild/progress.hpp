// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include <hogwild/observer.hpp>

namespace hogwild::cli {

/// Shows a run's progress on stderr: a line that is redrawn on a terminal, elsewhere one line an epoch.
class progress final : public observer {
 public:
  explicit progress(bool terminal) : terminal_(terminal) {}

  void on_start(const run_start& start) override;
  observer_answer on_epoch(const epoch_report& epoch) override;
  void on_note(std::string_view sentence) override;
  void on_finish(const train_result&) override { stop_drawing(); }
  void on_failure() override { stop_drawing(); }

 private:
  using clock = std::chrono::steady_clock;

  void draw_until(const std::stop_token& end);
  void draw();
  void clear();
  void stop_drawing();

  const bool terminal_;
  std::mutex mutex_;  ///< guards everything below and the terminal's line
  std::condition_variable_any ended_;
  run_start start_{};
  epoch_report last_{};
  clock::time_point began_{};
  std::uint64_t rows_before_ = 0;  ///< by the run that this one continues
  std::jthread display_;
};

}  // namespace hogwild::cli
