// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include <hogwild/detail/run/same_on_ranks.hpp>

#include "command_line.hpp"

namespace hogwild::cli {

/// An option whose text may differ between ranks.
struct option_of_a_rank {
  std::string_view name;
  bool as_given;  ///< all ranks give it or none: the name of a file, whose contents are compared; else each as it likes
};

/// All of them; every other option is the same on all ranks.
extern const std::vector<option_of_a_rank> options_of_a_rank;

/// The part of a parsed command line that ranks compare: the options that were given, numbers by their value.
std::vector<named_value> compared_words(const command_line& line);

}  // namespace hogwild::cli
