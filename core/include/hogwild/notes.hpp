// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

namespace hogwild {

/// Takes notes: sentences without a newline, in which control characters of foreign text are escaped. Called by one
/// thread at a time. What it throws leaves the function that told the note.
using note_sink = std::function<void(std::string_view)>;

/// Where notes go that nobody else takes: of a run whose observers do not override observer::on_note(), of data opened
/// without `note`. At first a sink that writes "note: ..." and a newline to standard error; an empty one drops them.
/// Returns the sink of before. Any thread may call it at any time.
note_sink set_default_notes(note_sink sink);

/// Tells the sink of set_default_notes() a sentence. Any thread may call it at any time.
void note_by_default(std::string_view sentence);

}  // namespace hogwild
