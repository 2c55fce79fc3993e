// SPDX-License-Identifier: Apache-2.0
#include "word_reports.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/words/similarities.hpp>
#include <hogwild/detail/words/subword_vectors.hpp>
#include <hogwild/error.hpp>

#include "standard_streams.hpp"
#include "summary.hpp"

namespace hogwild::cli {
namespace {

double fraction(const analogy_count& c) {
  return c.answerable == 0 ? 0.0 : static_cast<double>(c.right) / static_cast<double>(c.answerable);
}

const std::string& name_in(const analogy_count& c) {
  return c.section;
}
const std::string& name_in(const similarity_result& r) {
  return r.set;
}

std::string text_of(const analogy_count& c) {
  return formatted("%.4f  %zu of %zu; %zu asked", fraction(c), c.right, c.answerable, c.asked);
}
std::string text_of(const similarity_result& r) {
  return (r.spearman ? formatted("%7.4f", *r.spearman) : "      -") +
         formatted("  %zu found, %zu missed", r.found, r.missed);
}

nlohmann::ordered_json json_of(const analogy_count& c) {
  return {{"accuracy", fraction(c)}, {"right", c.right}, {"answerable", c.answerable}, {"asked", c.asked}};
}
nlohmann::ordered_json json_of(const similarity_result& r) {
  nlohmann::ordered_json one = {{"spearman", nullptr}, {"found", r.found}, {"missed", r.missed}};
  if (r.spearman) one["spearman"] = *r.spearman;
  return one;
}

/// A line for each part and one for all, or one JSON object with an array `parts`, whose members are named by `part`.
template <class Part>
std::string report_of(const std::vector<Part>& all_parts, const Part& all, const char* part, const char* parts,
                      bool json) {
  if (json) {
    nlohmann::ordered_json report = json_of(all);
    report[parts] = nlohmann::ordered_json::array();
    for (const Part& p : all_parts) {
      nlohmann::ordered_json one = {{part, name_in(p)}};
      one.update(json_of(p));
      report[parts].push_back(one);
    }
    return json_text(report) + "\n";
  }
  std::size_t width = name_in(all).size();
  for (const Part& p : all_parts) width = std::max(width, printable(name_in(p)).size());
  std::string text;
  const auto add = [&](const Part& p) {
    std::string name = printable(name_in(p));
    name.resize(std::max(name.size(), width), ' ');
    text += name + "  " + text_of(p) + "\n";
  };
  std::ranges::for_each(all_parts, add);
  add(all);
  return text;
}

std::string similarities_report(const std::string& vectors, const similarity_pairs& pairs, const std::string& source,
                                bool json) {
  const std::vector<similarity_result> found = measure_similarities(load_words(vectors, say), pairs);
  // The scales of sets differ, so that their pairs cannot be put into one order.
  similarity_result all{.set = "mean"};
  double sum = 0.0;
  std::size_t measured = 0;
  for (const similarity_result& r : found) {
    all.found += r.found, all.missed += r.missed;
    if (r.spearman) sum += *r.spearman, ++measured;
  }
  if (all.found == 0)
    throw input_error(source + ": none of the " + std::to_string(all.missed) + " pairs has both its words in " +
                      vectors);
  if (measured > 0) all.spearman = sum / static_cast<double>(measured);
  return report_of(found, all, "set", "sets", json);
}

}  // namespace

std::string analogies_report(const std::string& vectors, const analogy_questions& questions, const std::string& source,
                             bool json) {
  const std::vector<analogy_count> counts = answer_analogies(load_words(vectors, say).vectors, questions);
  analogy_count all{.section = "all"};
  for (const analogy_count& c : counts) all.right += c.right, all.answerable += c.answerable, all.asked += c.asked;
  if (all.answerable == 0)
    throw input_error(source + ": none of the " + std::to_string(all.asked) + " questions has all its words in " +
                      vectors);
  return report_of(counts, all, "section", "sections", json);
}

std::string words_report(const std::string& vectors, const std::string& questions, bool json) {
  const word_questions asked = load_word_questions(questions);
  if (const auto* const analogies = std::get_if<analogy_questions>(&asked))
    return analogies_report(vectors, *analogies, questions, json);
  return similarities_report(vectors, std::get<similarity_pairs>(asked), questions, json);
}

}  // namespace hogwild::cli
