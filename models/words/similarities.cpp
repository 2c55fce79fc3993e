// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/similarities.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <system_error>
#include <unordered_map>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "text/input_stream.hpp"
#include "words/word_lookup.hpp"

namespace hogwild {
namespace {

/// Calls take(line, its number) for each line that says something, until that returns false.
template <class Take>
void for_pair_lines(std::string_view text, const Take& take) {
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") == line.npos || line.front() == '#') continue;
    if (!take(line, number)) return;
  }
}

/// The fields between tabs, or between blanks if there is no tab.
std::vector<std::string_view> fields_of_pair(std::string_view line) {
  const bool tabs = line.find('\t') != line.npos;
  std::vector<std::string_view> fields;
  for (std::size_t at = 0; at <= line.size();) {
    const std::size_t stop = std::min(line.find(tabs ? '\t' : ' ', at), line.size());
    if (tabs || stop > at) fields.push_back(line.substr(at, stop - at));
    at = stop + 1;
  }
  return fields;
}

std::optional<double> score_in(std::string_view digits) {
  double score = 0.0;
  const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), score);
  if (problem != std::errc{} || stop != digits.data() + digits.size() || !std::isfinite(score)) return std::nullopt;
  return score;
}

/// Four words between blanks are an analogy, even if the last one is a number.
bool is_pair(std::string_view line, const std::vector<std::string_view>& fields) {
  return (fields.size() == 3 || (fields.size() == 4 && line.find('\t') != line.npos)) && score_in(fields.back());
}

/// Whether the first line that says something has a pair.
bool begins_with_pair(std::string_view text) {
  bool found = false;
  for_pair_lines(text, [&](std::string_view line, std::size_t) {
    found = line.front() != ':' && is_pair(line, fields_of_pair(line));
    return false;
  });
  return found;
}

/// The place of each number among all in ascending order, from 1 on; equal ones have the mean of theirs.
std::vector<double> mean_places(std::span<const double> of) {
  std::vector<std::size_t> order(of.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return of[k]; });
  std::vector<double> place(of.size());
  for (std::size_t first = 0, last; first < order.size(); first = last) {
    for (last = first + 1; last < order.size() && of[order[last]] == of[order[first]];) ++last;
    for (std::size_t k = first; k < last; ++k) place[order[k]] = 0.5 * static_cast<double>(first + 1 + last);
  }
  return place;
}

double cosine(std::span<const float> a, std::span<const float> b) {
  const auto product = [](std::span<const float> x, std::span<const float> y) {
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0, std::plus<>{},
                              [](float p, float q) { return static_cast<double>(p) * static_cast<double>(q); });
  };
  const double lengths = std::sqrt(product(a, a) * product(b, b));
  return lengths > 0.0 ? product(a, b) / lengths : 0.0;
}

}  // namespace

similarity_pairs parse_similarities(std::string_view text, const std::string& name) {
  similarity_pairs all;
  std::unordered_map<std::string_view, std::size_t> sets;
  for_pair_lines(text, [&](std::string_view line, std::size_t number) {
    const std::vector<std::string_view> fields = fields_of_pair(line);
    const auto fail = [&](const std::string& why, std::string_view field) {
      throw format_error(name, number, static_cast<std::size_t>(field.data() - line.data()) + 1, why);
    };
    if (fields.size() != 3 && (fields.size() != 4 || line.find('\t') == line.npos))
      fail(
          "a pair is a word, a word and a score, with the name of a set before them or without, between tabs; here "
          "are " +
              std::to_string(fields.size()) + " fields",
          line);
    const auto score = score_in(fields.back());
    if (!score) fail("a score is a finite number, but this is " + quote(fields.back()), fields.back());
    const std::size_t first = fields.size() - 3;
    for (std::size_t k = first; k < first + 2; ++k)
      if (fields[k].empty()) fail("a word should stand here", fields[k]);
    const auto [set, is_new] = sets.emplace(first == 1 ? fields.front() : "pairs", all.sets.size());
    if (is_new) all.sets.emplace_back(set->first);
    all.pairs.push_back({{std::string(fields[first]), std::string(fields[first + 1])}, *score, set->second});
    return true;
  });
  if (all.pairs.empty()) throw input_error(name + ": there is no pair of words in it");
  return all;
}

word_questions load_word_questions(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  const std::string text = detail::read_unpacked(path, detail::text_look(name));
  if (begins_with_pair(text)) return parse_similarities(text, name);
  return parse_analogies(text, name);
}

std::vector<similarity_result> measure_similarities(const known_words& words, const similarity_pairs& asked) {
  const detail::word_lookup places(words.vectors.words);
  const auto vector_of = [&](const std::string& word) -> std::optional<std::vector<float>> {
    const auto place = places.find(word);
    if (!place) return words.unseen(word);
    const std::span<const float> row = words.vectors.row(*place);
    return std::vector<float>(row.begin(), row.end());
  };
  std::vector<similarity_result> results;
  for (const std::string& set : asked.sets) results.push_back({.set = set});
  std::vector<std::vector<double>> said(results.size()), computed(results.size());
  for (const word_pair& pair : asked.pairs) {
    const auto first = vector_of(pair.words[0]), second = vector_of(pair.words[1]);
    const bool found = first && second;
    ++(found ? results[pair.set].found : results[pair.set].missed);
    if (!found) continue;
    said[pair.set].push_back(pair.score);
    computed[pair.set].push_back(cosine(*first, *second));
  }
  for (std::size_t set = 0; set < results.size(); ++set) results[set].spearman = spearman(said[set], computed[set]);
  return results;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
  const std::vector<double> first = mean_places(a), second = mean_places(b);
  const double mean = 0.5 * static_cast<double>(a.size() + 1);
  double product = 0.0, square_a = 0.0, square_b = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double x = first[k] - mean, y = second[k] - mean;
    product += x * y, square_a += x * x, square_b += y * y;
  }
  if (square_a == 0.0 || square_b == 0.0) return std::nullopt;
  return product / std::sqrt(square_a * square_b);
}

}  // namespace hogwild
