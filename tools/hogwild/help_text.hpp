// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hogwild::cli {

/// An option or an argument, as --help tells of it.
struct help_entry {
  std::string name;  ///< with all of its names: "--bias, --no-bias"
  /// What stands for its value. Words with '|' between them are told behind the sentence where they are many.
  std::string placeholder;
  std::string otherwise;  ///< what holds where it is not given; empty: nothing is said
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
  std::string more;     ///< where the rest is told; may be empty
  std::string example;  ///< lines of commands; may be empty
};

/// The page as text: columns are aligned, and no line is longer than 100 characters, but of an example.
std::string text_of(const help_page& page);

}  // namespace hogwild::cli
