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

/// A run on a thread of its own, so that Python's other threads go on and its signals are handled. Any thread that
/// holds the interpreter may ask for its state while it trains.
class python_run final : public observer {
 public:
  /// Begins at once. `rows` is a python_rows. `initial` is a saved_model or word_vectors to begin with, or None. `told`
  /// is a callback or None; it is called with the figures of each epoch, on the run's thread, and ends the run by
  /// returning something true. `own` is an own_model, whose name `words` then contain as that of the model, or None.
  python_run(nb::object rows, const std::vector<std::string>& words, nb::object initial, nb::object told,
             const std::string& source, nb::object own);
  python_run(const python_run&) = delete;
  python_run& operator=(const python_run&) = delete;
  /// Asks the run to stop, and waits for it.
  ~python_run() override;

  /// Waits until the run has ended, or for this many seconds, and handles signals meanwhile, every 20 ms. If a handler
  /// raises (mostly KeyboardInterrupt), stops the run, and returns the exception once it has ended; otherwise returns
  /// None.
  nb::object wait(std::optional<double> seconds);
  void stop() { stop_.request_stop(); }
  bool running() const;
  std::uint64_t rows_done() const;
  nb::list epochs() const;
  nb::list notes() const;

  // For a run that has ended: these throw what it has thrown.
  std::string summary();                  ///< JSON, as the command prints it
  std::optional<saved_model> saved();     ///< nothing if no row was trained, or the loss is not finite
  std::optional<word_vectors> vectors();  ///< for a text; nothing in the same cases
  /// All that a run on further text needs to continue; nothing in the same cases.
  std::optional<saved_model> saved_words(std::uint64_t min_count);
  bool diverged();
  std::vector<float> parameters();  ///< in the model's layout; empty if no row was trained

  // For Python's garbage collector: a callback, and the exception that it raised, may refer to the run. If nobody else
  // refers to the run, these references are dropped, and the run stopped.
  static int collect(PyObject* self, visitproc visit, void* arg);
  static int let_go(PyObject* self);

 private:
  void run();
  /// Begins the model with word vectors, for words that both have.
  void begin_with(const word_vectors& vectors, const named_model& m, std::span<const std::uint32_t> columns,
                  train_options& options);
  /// Waits without the interpreter; returns whether the run has ended.
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
  const bool tells_;      ///< began with a callback: without one, nothing has to wait for the interpreter
  bool dropped_ = false;  ///< no Python object refers to it any more
  const python_rows& data_;
  const saved_model* begin_with_ = nullptr;
  const word_vectors* vectors_to_begin_with_ = nullptr;
  const own_model* model_ = nullptr;
  cli::train_request request_;
  std::stop_source stop_{};

  mutable std::mutex mutex_{};  ///< of all members below
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
