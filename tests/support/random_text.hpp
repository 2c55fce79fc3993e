// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include <hogwild/formats/corpus.hpp>

namespace hogwild::test {

/// Sentences of 0 to 39 words, from a vocabulary of `different` words. Words with small numbers occur more often.
inline corpus random_sentences(std::mt19937_64& random, std::size_t sentences, std::size_t different) {
  std::string text;
  for (std::size_t line = 0; line < sentences; ++line) {
    for (std::uint64_t k = random() % 40; k > 0; --k)
      text += "w" + std::to_string(random() % (1 + random() % different)) + " ";
    text += "\n";
  }
  return read_corpus(text, "text", {.min_count = 1, .threads = 1});
}

}  // namespace hogwild::test
