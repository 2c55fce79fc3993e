// SPDX-License-Identifier: Apache-2.0
// Any bytes are either word vectors, which then survive both formats, or refused with input_error; the same for
// questions of analogies
// and pairs of similarities.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include <hogwild/detail/words/similarities.hpp>
#include <hogwild/error.hpp>
#include <hogwild/word_vectors.hpp>

namespace {

using namespace hogwild;

bool same(const word_vectors& a, const word_vectors& b) {
  return a == b && std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

/// Whether the bytes of the first vector might be decimals: then the binary format reads as text.
bool looks_like_text(const word_vectors& v) {
  const auto* const bytes = reinterpret_cast<const char*>(v.values.data());
  constexpr std::string_view of_decimals = "0123456789+-.eEinfatyINFATY \t\r\n";
  return std::all_of(bytes, bytes + v.dimension * sizeof(float),
                     [&](char c) { return of_decimals.find(c) != of_decimals.npos; });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const word_vectors v = parse_word_vectors(bytes, "fuzz");
    if (!same(parse_word_vectors(word_vector_bytes(v, vector_format::text), "again"), v)) std::abort();
    if (!looks_like_text(v) && !same(parse_word_vectors(word_vector_bytes(v, vector_format::binary), "again"), v))
      std::abort();
    analogy_questions q{.sections = {"all"}, .questions = {}};
    for (std::size_t w = 0; w + 4 <= v.words.size() && w < 64; ++w)
      q.questions.push_back({{v.words[w], v.words[w + 1], v.words[w + 2], v.words[w + 3]}, 0});
    if (answer_analogies(v, q, 1)[0].answerable != q.questions.size()) std::abort();
  } catch (const input_error&) {
  }
  try {
    for (const analogy& a : parse_analogies(bytes, "fuzz").questions)
      for (const auto& word : a.words)
        if (word.empty()) std::abort();
  } catch (const input_error&) {
  }
  try {
    const similarity_pairs asked = parse_similarities(bytes, "fuzz");
    for (const word_pair& pair : asked.pairs)
      if (pair.words[0].empty() || pair.words[1].empty() || pair.set >= asked.sets.size()) std::abort();
  } catch (const input_error&) {
  }
  return 0;
}
