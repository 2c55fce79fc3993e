// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/detail/platform/isa.hpp>
#include <hogwild/word_vectors.hpp>

namespace hogwild {

/// "a is to b as c is to d", of words.
struct analogy {
  std::array<std::string, 4> words;
  std::size_t section = 0;
};

/// Questions in the sections that their file has.
struct analogy_questions {
  std::vector<std::string> sections;
  std::vector<analogy> questions;
};

/// Reads lines of four words, under lines ": NAME" that begin a section; plain or compressed. Throws format_error for
/// any other line, input_error where the file cannot be read or has no question.
analogy_questions load_analogies(const std::string& path);
/// The same of plain bytes; `name` is for messages.
analogy_questions parse_analogies(std::string_view text, const std::string& name);

/// How many questions of a section have all their words in the vocabulary, and how many of those are answered right.
struct analogy_count {
  std::string section;
  std::size_t right = 0, answerable = 0, asked = 0;
};

/// Answers each question by the word, other than a, b and c, whose vector has the largest cosine with b - a + c, where
/// all vectors are scaled to length 1 first (3CosAdd); every word of `vectors` is a candidate. Words of questions are
/// looked up as they stand, else in small letters (A to Z alone). One count a section, in their order.
/// `threads` not given: as many as this process may use. Throws config_error for an instruction set that this machine
/// has not.
std::vector<analogy_count> answer_analogies(const word_vectors& vectors, const analogy_questions& questions,
                                            std::optional<std::size_t> threads = {}, isa set = isa::automatic);

}  // namespace hogwild
