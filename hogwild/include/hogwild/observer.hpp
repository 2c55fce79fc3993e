// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

#include <hogwild/result.hpp>

namespace hogwild {

/// What an observer may know before the first epoch.
struct run_start {
  std::string_view model, engine;
  std::size_t workers = 0, epochs = 0;
  std::size_t rows = 0, parameters = 0;
  std::uint64_t nonzeros = 0;
  double step = 0.0, decay = 1.0, l2 = 0.0, search_seconds = 0.0;
  /// Rows finished so far in the whole run; may be called from any thread until on_finish or on_failure.
  std::function<std::uint64_t()> rows_done;
};

/// Is told how a run goes; the library itself prints nothing. All calls come from the thread that called train(), while
/// no worker trains.
class observer {
 public:
  virtual ~observer() = default;
  virtual void on_start(const run_start&) {}
  /// After each epoch that counts: `epoch` runs from 1 to train_result::epochs, of a run that is resumed from where it
  /// goes on. Of a cut, after those that are measured (train_options::measure_every). Not after one that was broken off
  /// because the run was asked to stop, nor after one that is trained again.
  virtual void on_epoch(const epoch_report&) {}
  virtual void on_note(std::string_view) {}  ///< a sentence worth telling: a worker was replaced, a
                                             ///< checkpoint refused, fewer workers train than were asked for
  virtual void on_finish(const train_result&) {}
  virtual void on_failure() {}  ///< in place of on_finish: the run ends with an exception, which follows
};

}  // namespace hogwild
