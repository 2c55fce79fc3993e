// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include <hogwild/detail/platform/failure.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

/// The last checkpoint that a run has written or resumed from: it remains after a device failure.
class last_checkpoint {
 public:
  void is(const std::string& path, std::size_t epoch) {
    sentence_ = "; the run's last checkpoint is " + detail::quoted_path(path) + ", of epoch " + std::to_string(epoch) +
                ": resume from it";
  }

  /// Calls f(); if a device fails in it, the exception names the checkpoint, if there is one.
  template <class F>
  void named_by(const F& f, bool on_device) const {
    try {
      f();
    } catch (const error& failed) {
      const bool by_device =
          on_device && (failed.code() == exit_code::resources || failed.code() == exit_code::internal);
      if (!by_device || sentence_.empty()) throw;
      throw_failure({.code = failed.code(), .text = failed.what() + sentence_});
    }
  }

 private:
  std::string sentence_{};
};

}  // namespace hogwild
