// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <hogwild/models.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/result.hpp>
#include <hogwild/saved_model.hpp>
#include <hogwild/word_vectors.hpp>

#include <train_request.hpp>

#include "own_model.hpp"
#include "rows.hpp"

namespace hogwild::python {

/// A run on a thread of its own, so that Python's other threads go on and its signals are heard. What it tells may be
/// asked for while it trains, by any thread that has the interpreter.
class python_run final : public observer {
 public:
  /// Begins at once. `rows` is a python_rows, `initial` a saved_model to begin with or None, `told` is called after
  /// each epoch with what is known of it, on the run's thread, and ends the run by returning something true, or None.
  /// `own` is an own_model, whose name `words` then have as that of the model, or None.
  python_run(nb::object rows, const std::vector<std::string>& words, nb::object initial, nb::object told,
             const std::string& source, nb::object own);
  python_run(const python_run&) = delete;
  python_run& operator=(const python_run&) = delete;
  /// Asks the run to stop, and waits for it.
  ~python_run() override;

  /// Waits until the run has ended, or for so many seconds, and hears signals meanwhile, every 20 ms. What a handler
  /// raises, KeyboardInterrupt mostly, stops the run and is returned once it has; else returns None.
  nb::object wait(std::optional<double> seconds);
  void stop() { stop_.request_stop(); }
  bool running() const;
  std::uint64_t rows_done() const;
  nb::list epochs() const;
  nb::list notes() const;

  // Of a run that has ended: throw what it has thrown.
  std::string summary();                  ///< JSON, as the command prints it
  std::optional<saved_model> saved();     ///< nothing where no row was trained, or the loss is not finite
  std::optional<word_vectors> vectors();  ///< of a text, likewise
  /// All that a run on further text begins with, likewise.
  std::optional<saved_model> saved_words(std::uint64_t min_count);
  bool diverged();
  std::vector<float> parameters();  ///< as the model lays them out; none where no row was trained

  // For Python's collector: a callback, and what it has raised, may refer to the run. What leads to a run that nobody
  // else has is let go of, and the run stopped.
  static int collect(PyObject* self, visitproc visit, void* arg);
  static int let_go(PyObject* self);

 private:
  void run();
  /// Waits without the interpreter; whether it has ended.
  bool ended_by(std::chrono::steady_clock::time_point until);
  void require_end();

  void on_start(const run_start& start) override;
  observer_answer on_epoch(const epoch_report& report) override;
  void on_note(std::string_view note) override;
  void on_finish(const train_result&) override { forget_rows_done(); }
  void on_failure() override { forget_rows_done(); }
  void forget_rows_done();

  nb::object rows_, initial_, told_, own_;
  nb::object raised_{};   ///< by the callback
  const bool tells_;      ///< began with a callback: others need not wait for the interpreter
  bool dropped_ = false;  ///< no object of Python's has it any more
  const python_rows& data_;
  const saved_model* begin_with_ = nullptr;
  const own_model* model_ = nullptr;
  cli::train_request request_;
  std::stop_source stop_{};

  mutable std::mutex mutex_{};  ///< of all below
  std::condition_variable changed_{};
  bool ended_ = false;
  std::exception_ptr fault_{};
  std::vector<epoch_report> epochs_{};
  std::vector<std::string> notes_{};
  std::function<std::uint64_t()> done_{};
  std::uint64_t rows_done_ = 0;
  train_result result_{};
  std::optional<saved_model> saved_{};
  std::optional<word_vectors> vectors_{};
  std::optional<named_model> of_words_{};

  std::thread thread_{};
};

}  // namespace hogwild::python
