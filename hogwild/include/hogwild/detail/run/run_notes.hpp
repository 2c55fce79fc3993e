// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/observer.hpp>

namespace hogwild {

/// Keeps the notes of a run for its result, and passes them to the default sink if no observer of the run takes them.
class run_notes final : public observer {
 public:
  /// `others`: the run's observers that hear of a note before it, in the same thread.
  explicit run_notes(std::size_t others);

  void on_note(std::string_view sentence) override;
  /// All notes so far, in order. Any thread may ask.
  std::vector<std::string> told() const;

 private:
  const std::size_t others_;
  mutable std::mutex guard_;
  std::vector<std::string> told_;
};

/// The observers of a run that is part of another run, which alone reports progress.
std::vector<observer_handle> silent_observers();

}  // namespace hogwild
