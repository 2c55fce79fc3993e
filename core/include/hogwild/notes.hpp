// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace hogwild {

/// Receives notes: sentences without a newline, in which control characters of foreign text are escaped. It is called
/// by one thread at a time. An exception that it throws leaves the function that made the note.
using note_sink = std::function<void(std::string_view)>;

/// Sets the sink for notes that no other function receives: those of a run whose observers do not override
/// observer::on_note(), and of data opened without `note`. At first it writes "note: ..." and a newline to standard
/// error; an empty sink drops notes. Returns the previous sink. Any thread may call it at any time.
note_sink set_default_notes(note_sink sink);

/// Passes a sentence to the sink of set_default_notes(). Any thread may call it at any time.
void note_by_default(std::string_view sentence);

}  // namespace hogwild
