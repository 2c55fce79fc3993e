// SPDX-License-Identifier: Apache-2.0
#include "compared_words.hpp"

#include <algorithm>
#include <string>

#include <hogwild/detail/platform/number_text.hpp>

namespace hogwild::cli {

const std::vector<option_of_a_rank> options_of_a_rank{
    // Resources and outputs of a rank; the engines compare those that have to be equal.
    {"--workers", false},
    {"--replicas", false},
    {"--device", false},
    {"--device-memory", false},
    {"--team", false},
    {"--pin", false},
    {"--isa", false},
    {"--cache-dir", false},
    {"--no-cache", false},
    {"--memory", false},
    {"--save", false},
    {"--record", false},
    {"--journal", false},
    {"--json", false},
    {"--quiet", false},
    // File names, which may differ between machines.
    {"--test", true},
    {"--validation", true},
    {"--labels", true},
    {"--weights", true},
    {"--offsets", true},
    {"--test-weights", true},
    {"--test-offsets", true},
    {"--validation-weights", true},
    {"--validation-offsets", true},
    {"--init", true},
    {"--checkpoint", true},
    {"--resume", true},
};

std::vector<named_value> compared_words(const command_line& line) {
  std::vector<named_value> all;
  for (const auto& [name, text] : line.given_texts()) {
    const auto own = std::ranges::find(options_of_a_rank, name, &option_of_a_rank::name);
    const auto number = to_number(text);
    if (own == options_of_a_rank.end() || (own->as_given && number))  // a fraction is not a file name
      all.push_back({name, number ? detail::to_text(*number) : text});
    else if (own->as_given)
      all.push_back({name, "given"});
  }
  return all;
}

}  // namespace hogwild::cli
