// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include <hogwild/detail/run/engine_run.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/result.hpp>

namespace hogwild {

/// Detects whether training has changed any parameter: a run that learns nothing ends like any other, and should report
/// it. Looks at gates, while nobody trains; both arguments outlive it.
class unchanged_parameters {
 public:
  unchanged_parameters(const training_task& work, engine_run& who) : task_(work), who_(who) {}

  /// Remembers the initial parameters.
  void begin() { before_ = digest(); }
  bool asked() const { return before_.has_value(); }
  /// Called after the first measured epochs: whether no example has changed any parameter. False in every later call.
  bool are_so(const epoch_report& measured);
  /// The note for the user.
  static std::string note(const epoch_report& measured);

 private:
  /// Equal for equal parameters, and almost certainly different for others.
  std::uint64_t digest() const;

  const training_task& task_;
  engine_run& who_;
  std::optional<std::uint64_t> before_{};  ///< until they are compared
};

}  // namespace hogwild
