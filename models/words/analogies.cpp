// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/analogies.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include <hogwild/detail/kernels/window_kernels.hpp>
#include <hogwild/error.hpp>

#include "platform/tbb_arena.hpp"
#include "text/input_stream.hpp"
#include "words/word_lookup.hpp"
#include "words/word_table.hpp"

namespace hogwild {
namespace {

struct question {
  std::array<std::uint32_t, 4> words;
  std::size_t section;
};

/// Vectors of length 1, padded to whole cache lines.
class unit_vectors {
 public:
  explicit unit_vectors(const word_vectors& from)
      : width((from.dimension + window_lanes - 1) / window_lanes * window_lanes),
        count(from.words.size()),
        rows_(count * width) {
    for (std::size_t w = 0; w < count; ++w) {
      double square = 0.0;
      for (const float x : from.row(w)) square += static_cast<double>(x) * static_cast<double>(x);
      const double scale = square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
      std::ranges::transform(from.row(w), &rows_[w * width],
                             [&](float x) { return static_cast<float>(static_cast<double>(x) * scale); });
    }
  }
  const float* row(std::size_t w) const { return &rows_[w * width]; }

  const std::size_t width, count;

 private:
  std::vector<float> rows_;
};

/// Answers a few questions at once, whose targets stay in the nearest cache during a pass over all words.
class asked_together {
 public:
  asked_together(const unit_vectors& vectors, const window_kernels& kernels, const question* first, std::size_t count)
      : vectors_(vectors), kernels_(kernels), questions_(first), count_(count), targets_(count * vectors.width) {
    for (std::size_t q = 0; q < count; ++q) {
      const auto& [a, b, c, d] = first[q].words;
      float* const target = &targets_[q * vectors.width];
      for (std::size_t k = 0; k < vectors.width; ++k)
        target[k] = vectors.row(b)[k] - vectors.row(a)[k] + vectors.row(c)[k];
      rows_.push_back(target);
    }
  }

  void answer(std::uint32_t* best) const {
    constexpr std::size_t words_at_once = 48;
    std::vector<float> scores(count_ * words_at_once), highest(count_, -1e30f);
    for (std::size_t first = 0; first < vectors_.count; first += words_at_once) {
      const std::size_t n = std::min(words_at_once, vectors_.count - first);
      kernels_.scores(rows_.data(), count_, vectors_.row(first), n, vectors_.width, scores.data());
      for (std::size_t q = 0; q < count_; ++q) {
        for (std::size_t w = 0; w < n; ++w) {
          const float score = scores[q * n + w];
          if (score <= highest[q] || is_asked(q, static_cast<std::uint32_t>(first + w))) continue;
          highest[q] = score;
          best[q] = static_cast<std::uint32_t>(first + w);
        }
      }
    }
  }

 private:
  bool is_asked(std::size_t q, std::uint32_t word) const {
    const auto& words = questions_[q].words;
    return word == words[0] || word == words[1] || word == words[2];
  }

  const unit_vectors& vectors_;
  const window_kernels& kernels_;
  const question* questions_;
  std::size_t count_;
  std::vector<float> targets_;
  std::vector<const float*> rows_;
};

void answer_all(const unit_vectors& vectors, const window_kernels& kernels, const std::vector<question>& questions,
                std::vector<std::uint32_t>& best) {
  constexpr std::size_t at_once = 48;
  tbb::parallel_for(std::size_t{0}, (questions.size() + at_once - 1) / at_once, [&](std::size_t block) {
    const std::size_t first = block * at_once, n = std::min(at_once, questions.size() - first);
    asked_together(vectors, kernels, &questions[first], n).answer(&best[first]);
  });
}

}  // namespace

analogy_questions load_analogies(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  return parse_analogies(detail::read_unpacked(path, detail::text_look(name)), name);
}

analogy_questions parse_analogies(std::string_view text, const std::string& name) {
  analogy_questions all;
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t begin = 0, line = 1; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view row = text.substr(begin, end - begin);
    begin = end + 1;
    std::vector<std::string> words;
    for (std::size_t at = row.find_first_not_of(blanks); at < row.size();) {
      const std::size_t stop = std::min(row.find_first_of(blanks, at), row.size());
      words.emplace_back(row.substr(at, stop - at));
      at = row.find_first_not_of(blanks, stop);
    }
    if (words.empty()) continue;
    if (words.front().front() == ':') {
      std::string section = words.front().substr(1);
      for (std::size_t k = 1; k < words.size(); ++k) section += (section.empty() ? "" : " ") + words[k];
      all.sections.push_back(std::move(section));
      continue;
    }
    if (words.size() != 4)
      throw format_error(name, line, 1,
                         "a question has four words, and \": NAME\" begins a section, but here are " +
                             std::to_string(words.size()) + " words");
    if (all.sections.empty()) all.sections.emplace_back("questions");
    all.questions.push_back({{words[0], words[1], words[2], words[3]}, all.sections.size() - 1});
  }
  if (all.questions.empty()) throw input_error(name + ": there is no question in it");
  return all;
}

std::vector<analogy_count> answer_analogies(const word_vectors& vectors, const analogy_questions& questions,
                                            std::optional<std::size_t> threads, isa set) {
  const detail::word_lookup words(vectors.words);
  std::vector<analogy_count> counts;
  for (const std::string& section : questions.sections) counts.push_back({.section = section});
  std::vector<question> asked;
  for (const analogy& a : questions.questions) {
    ++counts[a.section].asked;
    question q{.words = {}, .section = a.section};
    std::size_t known = 0;
    for (; known < 4; ++known) {
      const auto found = words.find(a.words[known]);
      if (!found) break;
      q.words[known] = *found;
    }
    if (known < 4) continue;
    ++counts[a.section].answerable;
    asked.push_back(q);
  }
  const unit_vectors units(vectors);
  const window_kernels& kernels = window_kernels_of(choose_isa(set));
  std::vector<std::uint32_t> best(asked.size(), detail::word_table::none);
  detail::with_tbb_threads(threads, [&] { answer_all(units, kernels, asked, best); });
  for (std::size_t q = 0; q < asked.size(); ++q) counts[asked[q].section].right += best[q] == asked[q].words[3] ? 1 : 0;
  return counts;
}

}  // namespace hogwild
