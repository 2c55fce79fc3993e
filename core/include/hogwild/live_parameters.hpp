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

// The parameters of a run that trains, read from another process: for serving, plots, or a look at how it goes.

namespace hogwild {

/// Where a run stands whose parameters are read.
enum class run_state {
  training,
  ended,  ///< it came to its end, in order or by an error; its last parameters can still be read
  killed  ///< its process died without a word: what was there may be read, and nothing will come
};

std::string_view to_string(run_state state);

/// How old parameters are that were read: each value is one that the run's shared array held at some instant between
/// the two counts of rows.
struct live_age {
  std::size_t epoch = 0, round = 0;  ///< the run's, when reading began; rounds count over the whole run
  std::uint64_t rows_before = 0;     ///< that the run's workers had done when reading began
  std::uint64_t rows_after = 0;      ///< and when it ended
  double seconds = 0.0;              ///< since reading began
};

/// Parameters of a run on this machine and of this user: of process_engine, or of thread_engine with a segment. They
/// are mapped read-only, so that no reader, however it ends, disturbs the run, and the run does not know its readers.
/// Any build with the same layout of segments can read. Used by one thread.
///
/// Values are read one after the other while others change them, with relaxed loads: none is torn, they are not of one
/// instant, but of the span that the age tells. What a replica has gained since its last exchange is not among them;
/// under direct sharing all but the row in hand is. Of linear models whose weights are w = a v, a thousand values at a
/// time go with the a of the rows that were done, which fell by less than 1 % while they were read; where the run
/// multiplied a into v meanwhile, all are read again. Chunks that workers have in hand may be as far apart from it as
/// their rows shrink a: by the factor (1 - step * l2) a row.
class live_parameters {
 public:
  /// Maps a run's segment and reads once. Waits up to a second for a run that is not ready yet. Throws segment_error
  /// for a name that leads to no run, to one of another user or layout, not ready, or of an engine whose workers train
  /// replicas that meet at the ends of rounds.
  static live_parameters attach(const std::string& name);

  live_parameters(live_parameters&&) noexcept;             ///< leaves the other one without a segment
  live_parameters& operator=(live_parameters&&) noexcept;  ///< likewise
  ~live_parameters();

  /// Reads the parameters as they are now. False where they could not be read, because the run was in the middle of
  /// changing what they mean, for longer than `timeout`: then those that were read before stay, with their age.
  bool read(std::chrono::nanoseconds timeout = std::chrono::milliseconds(100));

  /// What was read last, as epoch_report::parameters() has it: w by ascending input numbers of columns.
  std::span<const float> values() const;
  std::span<const std::uint32_t> columns() const;  ///< those numbers
  live_age age() const;                            ///< of what was read last
  run_state state() const;                         ///< now
  const std::string& name() const;                 ///< of the segment
  const std::string& model_name() const;           ///< of the model that is trained

  /// What was read last as a model that can be saved, loaded and predict: the file that a run would have saved, without
  /// columns' names. Throws config_error for models of the library whose files hold more than the segment tells: all
  /// but linear ones.
  saved_model model() const;

 private:
  struct state_of_reader;
  explicit live_parameters(std::unique_ptr<state_of_reader> reader);
  std::unique_ptr<state_of_reader> reader_;
};

}  // namespace hogwild
