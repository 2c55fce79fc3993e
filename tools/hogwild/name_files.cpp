// SPDX-License-Identifier: Apache-2.0
#include "name_files.hpp"

#include <fstream>
#include <iostream>
#include <istream>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "data_files.hpp"

namespace hogwild::cli {

std::vector<std::uint32_t> read_names(const std::string& path, std::string_view kind, const std::string& source,
                                      const name_finder& find, bool quiet) {
  const std::string shown = path == "-" ? "standard input" : path;
  std::ifstream file;
  if (path != "-") {
    require_regular_file(path);
    file.open(path);
  }
  std::istream& lines = path == "-" ? std::cin : file;
  std::vector<std::uint32_t> numbers;
  std::size_t unknown = 0;
  std::string first, line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (number == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == line.npos) continue;
    const std::string name = line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
    if (const auto found = find(name))
      numbers.push_back(*found);
    else if (unknown++ == 0)
      first = quote(name) + " on line " + std::to_string(number);
  }
  if (lines.bad() || (path != "-" && !file.is_open())) throw input_error(shown + ": cannot be read to its end");
  const std::string a_kind = (kind.starts_with('i') ? "an " : "a ") + std::string(kind);
  if (numbers.empty())
    throw input_error(shown + ": " +
                      (unknown == 0 ? "there is no name in it; give " + a_kind + " a line"
                                    : "none of its names is " + a_kind + " of " + source + ": the first is " + first));
  if (unknown > 0 && !quiet)
    say(shown + ": " + std::to_string(unknown) + " names of " + std::to_string(unknown + numbers.size()) +
        " are not in " + source + ", and are left out: the first is " + first);
  return numbers;
}

}  // namespace hogwild::cli
