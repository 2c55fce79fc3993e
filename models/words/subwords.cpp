// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/subwords.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

#include <hogwild/detail/models/model_options.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/tables.hpp>

#include "formats/subwords.hpp"
#include "formats/text_hashes.hpp"

namespace hogwild {
namespace {

/// Calls f(bucket) for each part of a word.
template <class F>
void for_buckets(std::string_view word, const subword_shape& shape, const F& f) {
  std::string marked;
  marked.reserve(word.size() + 2);
  marked.append("<").append(word).append(">");
  detail::for_subwords(marked, shape.least, shape.most,
                       [&](std::string_view part) { f(detail::fasttext_hash(part) % shape.buckets); });
}

}  // namespace

std::string read_subwords(std::string_view text, subword_shape& shape) {
  const char* const end = text.data() + text.size();
  subword_shape read = shape;
  if (text == "none") {
    shape.least = shape.most = 0;
    return {};
  }
  const auto [dash, first] = std::from_chars(text.data(), end, read.least);
  if (first == std::errc{} && dash != end && *dash == '-') {
    const auto [rest, second] = std::from_chars(dash + 1, end, read.most);
    if (second == std::errc{} && rest == end && read.least >= 1 && read.least <= read.most &&
        read.most <= longest_subword) {
      shape = read;
      return {};
    }
  }
  return "it should be MIN-MAX, such as 3-6, with at most " + std::to_string(longest_subword) + ", or none";
}

subword_shape subwords_in(const model_options& options) {
  subword_shape shape;
  if (options.given("subwords")) read_subwords(options.text("subwords", "none"), shape);
  shape.buckets = static_cast<std::uint32_t>(options.count("buckets", shape.buckets));
  return shape;
}

subword_table::subword_table(const vocabulary& words, const subword_shape& shape)
    : shape_(shape), of_bucket_(shape.buckets, none) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    for_buckets(words.word(w), shape, [&](std::uint32_t bucket) {
      std::uint32_t& number = of_bucket_[bucket];
      if (number == none) number = static_cast<std::uint32_t>(count_++);
      number_.push_back(number);
    });
    if (number_.size() > std::numeric_limits<std::uint32_t>::max())
      throw input_error("the words have more than 4294967295 parts: take fewer words by a larger --min-count");
    start_.push_back(static_cast<std::uint32_t>(number_.size()));
  }
}

std::vector<std::uint32_t> subword_table::of(std::string_view word) const {
  std::vector<std::uint32_t> known;
  for_buckets(word, shape_, [&](std::uint32_t bucket) {
    if (of_bucket_[bucket] != none) known.push_back(of_bucket_[bucket]);
  });
  return known;
}

}  // namespace hogwild
