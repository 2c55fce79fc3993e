// SPDX-License-Identifier: Apache-2.0
#include <hogwild/notes.hpp>

#include <cstdio>
#include <mutex>
#include <string>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild {

namespace {

// The one place where the library prints: without it, a program that sets no observer would not learn that a run went
// wrong.
void write_to_standard_error(std::string_view sentence) {
  const std::string line = "note: " + printable(sentence) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

struct default_notes {
  std::recursive_mutex guard{};  ///< recursive: a sink may replace itself, and may make a note
  note_sink sink = write_to_standard_error;
};

default_notes& notes() {
  static default_notes& never_destroyed = *new default_notes;  // destructors of a program's objects may make notes
  return never_destroyed;
}

}  // namespace

note_sink set_default_notes(note_sink sink) {
  const std::scoped_lock lock(notes().guard);
  return std::exchange(notes().sink, std::move(sink));
}

void note_by_default(std::string_view sentence) {
  const std::scoped_lock lock(notes().guard);
  const note_sink told = notes().sink;  // a copy: it may replace itself
  if (told) told(sentence);
}

}  // namespace hogwild
