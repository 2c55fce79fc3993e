// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <hogwild/detail/run/same_on_ranks.hpp>

#include "command_line.hpp"

namespace hogwild::cli {

/// An option that ranks need not give with the same text.
struct option_of_a_rank {
  std::string_view name;
  bool as_given;  ///< all give it or none does: the name of a file, whose contents are compared; else each as it likes
};

/// All of them; every other option is the same on all ranks.
extern const std::vector<option_of_a_rank> options_of_a_rank;

/// What ranks compare of a command line that was parsed: the options that were given, numbers by their value.
std::vector<named_value> compared_words(const command_line& line);

}  // namespace hogwild::cli
