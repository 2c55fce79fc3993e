// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace hogwild {

/// Stands for the rank's number in a file name that differs between ranks.
inline constexpr std::string_view rank_mark = "%rank";

inline bool names_rank(std::string_view path) {
  return path.find(rank_mark) != std::string_view::npos;
}

inline std::string path_of_rank(std::string path, std::size_t rank) {
  for (std::size_t at; (at = path.find(rank_mark)) != std::string::npos;)
    path.replace(at, rank_mark.size(), std::to_string(rank));
  return path;
}

/// The path to which a rank writes something that all have in common: a file of its own if the path names the rank,
/// else only the first rank writes. Empty: it writes none.
inline std::string written_by_rank(std::string path, std::size_t rank) {
  return rank == 0 || names_rank(path) ? path_of_rank(std::move(path), rank) : std::string();
}

}  // namespace hogwild
