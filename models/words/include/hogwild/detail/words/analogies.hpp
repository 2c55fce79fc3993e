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

/// "a is to b as c is to d", with words.
struct analogy {
  std::array<std::string, 4> words;
  std::size_t section = 0;
};

/// Questions in the sections of their file.
struct analogy_questions {
  std::vector<std::string> sections;
  std::vector<analogy> questions;
};

/// Reads lines of four words, under lines ": NAME" that begin a section; plain or compressed. Throws format_error for
/// any other line, input_error if the file cannot be read or has no question.
analogy_questions load_analogies(const std::string& path);
/// The same for plain bytes; `name` is used in messages.
analogy_questions parse_analogies(std::string_view text, const std::string& name);

/// How many questions of a section have all their words in the vocabulary, and how many of those are answered
/// correctly.
struct analogy_count {
  std::string section;
  std::size_t right = 0, answerable = 0, asked = 0;
};

/// Answers each question by the word, other than a, b and c, whose vector has the largest cosine with b - a + c, where
/// all vectors are first scaled to length 1 (3CosAdd); every word of `vectors` is a candidate. Words of questions are
/// looked up as they are, else in lower case (A to Z only). Returns one count for each section, in their order.
/// `threads` not given: as many as this process may use. Throws config_error for an instruction set that this machine
/// does not have.
std::vector<analogy_count> answer_analogies(const word_vectors& vectors, const analogy_questions& questions,
                                            std::optional<std::size_t> threads = {}, isa set = isa::automatic);

}  // namespace hogwild
