// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/run_notes.hpp>

#include <utility>

#include <hogwild/notes.hpp>

namespace hogwild {

namespace {
/// Observers that have left the note that this thread tells of at present.
thread_local std::size_t left = 0;
}  // namespace

void detail::leave_note() {
  ++left;
}

run_notes::run_notes(std::size_t others) : others_(others) {
  left = 0;  // an observer of an earlier run may have thrown
}

void run_notes::on_note(std::string_view sentence) {
  {
    const std::scoped_lock lock(guard_);
    told_.emplace_back(sentence);
  }
  if (std::exchange(left, 0) >= others_) note_by_default(sentence);
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
