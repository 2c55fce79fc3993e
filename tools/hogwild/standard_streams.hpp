// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace hogwild::cli {

/// Call it before anything is opened. Of standard input, output and error, those that are closed become descriptors
/// that can neither be read nor written: a file that is opened later would get such a number, and what is printed would
/// go into that file. A limit on file sizes makes writes fail from now on, also of worker processes, instead of ending
/// the program by a signal.
void secure_standard_streams();

/// Writes the text to standard output, at once; all that a command prints there goes through here. Throws
/// resource_error where it did not take all of it: full disk or device, closed.
void print(std::string_view text);

/// Whether standard output is a terminal, which acts on some characters; elsewhere what is printed is data.
bool prints_to_a_terminal();

/// What a command says on standard error where a signal ends it.
inline constexpr std::string_view ended_at_once = "hogwild: ended at once; nothing is saved\n";

/// What a command prints beside the files that it writes: to standard output, or to standard error where one of the
/// files is standard output. Empty names are no files.
void print_beside(std::initializer_list<std::string> files, std::string_view text);

}  // namespace hogwild::cli
