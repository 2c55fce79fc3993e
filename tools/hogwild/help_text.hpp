// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hogwild::cli {

/// An option or an argument in the help.
struct help_entry {
  std::string name;  ///< with all of its names: "--bias, --no-bias"
  /// The placeholder for its value. If it is many words with '|' between them, they follow the sentence.
  std::string placeholder;
  std::string otherwise;  ///< the default; empty: not shown
  std::string help;       ///< what it does
};

/// Entries under one heading.
struct help_group {
  std::string heading;
  std::vector<help_entry> entries;
};

/// What --help prints.
struct help_page {
  std::string purpose, usage;
  std::vector<help_group> groups;
  std::string more;     ///< where to find the rest; may be empty
  std::string example;  ///< lines of commands; may be empty
};

/// The page as text, with aligned columns. No line is longer than 100 characters, except in the example.
std::string text_of(const help_page& page);

}  // namespace hogwild::cli
