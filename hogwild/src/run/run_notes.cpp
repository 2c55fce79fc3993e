// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/run_notes.hpp>

#include <algorithm>

#include <hogwild/notes.hpp>

namespace hogwild {

run_notes::run_notes(const std::vector<observer_handle>& observers)
    : heard_(std::ranges::any_of(observers, &observer_handle::takes_notes)) {}

void run_notes::on_note(std::string_view sentence) {
  {
    const std::scoped_lock lock(guard_);
    told_.emplace_back(sentence);
  }
  if (!heard_) note_by_default(sentence);
}

std::vector<std::string> run_notes::told() const {
  const std::scoped_lock lock(guard_);
  return told_;
}

std::vector<observer_handle> silent_observers() {
  struct silent final : observer {
    void on_note(std::string_view) override {}
  };
  return {observer_handle(silent())};
}

}  // namespace hogwild
