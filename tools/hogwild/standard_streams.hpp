// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace hogwild::cli {

/// Call it before anything is opened. Closed standard streams (input, output, error) become descriptors that can
/// neither be read nor written: otherwise a file that is opened later would get such a number, and printed text would
/// go into that file. From now on a limit on file sizes makes writes fail, also in worker processes, instead of ending
/// the program by a signal.
void secure_standard_streams();

/// Writes the text to standard output, at once; all output of a command goes through here. Throws resource_error if not
/// everything was written: full disk or device, closed.
void print(std::string_view text);

/// Whether standard output is a terminal, which interprets some characters; elsewhere output is data.
bool prints_to_a_terminal();

/// The message on standard error when a signal ends a command.
inline constexpr std::string_view ended_at_once = "hogwild: ended at once; nothing is saved\n";

/// Prints a command's text output beside the files that it writes: to standard output, or to standard error if one of
/// the files is standard output. Empty names are no files.
void print_beside(std::initializer_list<std::string> files, std::string_view text);

/// Text by a format of printf, 255 bytes at most.
std::string formatted(const char* format, ...) __attribute__((format(printf, 1, 2)));

/// JSON on one line. Names of files, users and items may hold any bytes: invalid UTF-8 becomes U+FFFD.
std::string json_text(const nlohmann::ordered_json& all);

}  // namespace hogwild::cli
