// SPDX-License-Identifier: Apache-2.0
#include "compared_words.hpp"

#include <string>

#include <hogwild/detail/platform/number_text.hpp>

#include "train_words.hpp"

namespace hogwild::cli {

std::vector<named_value> compared_words(const command_line& line) {
  using detail::between_ranks;
  std::vector<named_value> all;
  for (const auto& [name, text] : line.given_texts()) {
    const between_ranks ranks = facts_of(name).ranks;
    const auto number = to_number(text);
    if (ranks == between_ranks::same || (ranks == between_ranks::as_given && number))  // a fraction is not a file name
      all.push_back({name, number ? detail::to_text(*number) : text});
    else if (ranks == between_ranks::as_given)
      all.push_back({name, "given"});
  }
  return all;
}

}  // namespace hogwild::cli
