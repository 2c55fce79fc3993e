// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <hogwild/detail/platform/enumeration_text.hpp>
#include <hogwild/saved_model.hpp>

// Reads the parameters of a run in progress from another process: for serving, plots, or watching it train.

namespace hogwild {

/// The state of the run whose parameters are read.
enum class run_state {
  training,
  ended,  ///< the run ended, normally or by an error; its last parameters can still be read
  killed  ///< the run's process died without notice: its parameters can be read, and will not change any more
};

/// The name of the value, as written in C++.
std::string_view to_string(run_state state);

/// The age of the parameters that were read: each value is one that the run's shared array held at some instant between
/// the two counts of rows.
struct live_age {
  std::size_t epoch = 0, round = 0;  ///< of the run when reading began; rounds count over the whole run
  std::uint64_t rows_before = 0;     ///< rows that the run's workers had done when reading began
  std::uint64_t rows_after = 0;      ///< rows that they had done when reading ended
  double seconds = 0.0;              ///< time since reading began
};

/// Parameters of a run by this user on this machine, with process_engine, or with thread_engine and a segment. They are
/// mapped read-only, so no reader can disturb the run, however the reader ends, and the run does not know its readers.
/// Any build with the same segment layout can read. An object is used by one thread.
///
/// Values are read one after the other, with relaxed loads, while the workers change them. No value is torn, but the
/// values are not of one instant: they come from the span of time that age() gives. A replica's gains since its last
/// exchange are missing; under direct sharing only the row in progress is. Linear models that store v, with w = a v,
/// are read in parts of a thousand values, which are multiplied by the a of the rows done so far; a falls by less than
/// 1 % while a part is read. If the run multiplies a into v meanwhile, everything is read again. A worker in the middle
/// of a chunk may use a smaller a: each row of the chunk shrinks it by the factor (1 - step * l2).
class live_parameters {
 public:
  /// Maps a run's segment and reads once. Waits up to a second for a run that is not ready yet. Throws segment_error if
  /// the name is not that of a run, the run belongs to another user, has another layout or does not become ready, or
  /// its engine's workers train replicas that meet only at the ends of rounds.
  static live_parameters attach(const std::string& name);

  live_parameters(live_parameters&&) noexcept;             ///< the other object has no segment then
  live_parameters& operator=(live_parameters&&) noexcept;  ///< likewise
  ~live_parameters();

  /// Reads the parameters as they are now. Returns false if they could not be read within `timeout` because the run was
  /// changing what they mean (multiplying a into v, say); the values read before stay, with their age.
  bool read(std::chrono::nanoseconds timeout = std::chrono::milliseconds(100));

  /// The values read last, in the order of epoch_report::parameters(): w by ascending input numbers of columns.
  std::span<const float> values() const;
  std::span<const std::uint32_t> columns() const;  ///< the input numbers of the columns
  live_age age() const;                            ///< the age of the values read last
  run_state state() const;                         ///< the state now
  const std::string& name() const;                 ///< the segment's name
  const std::string& model_name() const;           ///< the name of the model that is trained

  /// The values read last as a model that can be saved, loaded and used for predictions: the file that the run would
  /// have saved, without the columns' names. Throws config_error for those models of the library whose files hold more
  /// than the segment tells: all except linear ones.
  saved_model model() const;

 private:
  struct state_of_reader;
  explicit live_parameters(std::unique_ptr<state_of_reader> reader);
  std::unique_ptr<state_of_reader> reader_;
};

}  // namespace hogwild
