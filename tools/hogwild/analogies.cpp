// SPDX-License-Identifier: Apache-2.0
#include "analogies.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/words/analogies.hpp>
#include <hogwild/error.hpp>

#include "json_text.hpp"

namespace hogwild::cli {
namespace {

double fraction(const analogy_count& c) {
  return c.answerable == 0 ? 0.0 : static_cast<double>(c.right) / static_cast<double>(c.answerable);
}

std::string line_of(const analogy_count& c, int width) {
  char text[160];
  std::snprintf(text, sizeof text, "  %.4f  %zu of %zu; %zu asked\n", fraction(c), c.right, c.answerable, c.asked);
  std::string name = printable(c.section);
  name.resize(std::max(name.size(), static_cast<std::size_t>(width)), ' ');
  return name + text;
}

nlohmann::ordered_json json_of(const analogy_count& c) {
  return {{"accuracy", fraction(c)}, {"right", c.right}, {"answerable", c.answerable}, {"asked", c.asked}};
}

}  // namespace

std::string analogies_report(const std::string& vectors, const std::string& questions, isa set, bool json) {
  const analogy_questions asked = load_analogies(questions);
  const std::vector<analogy_count> counts = answer_analogies(load_word_vectors(vectors), asked, {}, set);
  analogy_count all{.section = "all"};
  std::size_t width = all.section.size();
  for (const analogy_count& c : counts) {
    all.right += c.right, all.answerable += c.answerable, all.asked += c.asked;
    width = std::max(width, printable(c.section).size());
  }
  if (all.answerable == 0)
    throw input_error(questions + ": of none of the " + std::to_string(all.asked) + " questions all words are in " +
                      vectors);
  if (json) {
    nlohmann::ordered_json sections = nlohmann::ordered_json::array();
    for (const analogy_count& c : counts) {
      nlohmann::ordered_json one = {{"section", c.section}};
      one.update(json_of(c));
      sections.push_back(one);
    }
    nlohmann::ordered_json report = json_of(all);
    report["sections"] = sections;
    return json_text(report) + "\n";
  }
  std::string text;
  for (const analogy_count& c : counts) text += line_of(c, static_cast<int>(width));
  return text + line_of(all, static_cast<int>(width));
}

}  // namespace hogwild::cli
