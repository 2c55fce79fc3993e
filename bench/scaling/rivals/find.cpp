// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <string_view>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/error.hpp>

#include "rivals/rival.hpp"

namespace hogwild::bench {
namespace {

struct known_rival {
  std::string_view name;
  std::vector<rival> (*find)(const rival_context&);
};

constexpr known_rival known[] = {
    {"stick", stick_rivals}, {"hazy", hazy_rivals},       {"liblinear", liblinear_rivals},
    {"vw", vw_rivals},       {"sklearn", sklearn_rivals}, {"text", text_rivals},
};

/// Why no rival can be asked for this model on these rows; empty: they can.
std::string unfit(const rival_context& context) {
  if (context.settled.model != "hinge_svm" && context.settled.model != "logistic") {
    return "rivals are asked for hinge_svm and logistic only";
  }
  try {
    label_map::learn(label_kind::binary, context.data.train().view().label, context.data.name());
  } catch (const input_error&) {
    return "rivals are asked for two labels only";
  }
  return context.data.test() ? "" : "without test rows its quality cannot be told: give --test";
}

}  // namespace

std::string_view name_of(evaluator who) {
  return who == evaluator::ours ? "ours" : "its own";
}

std::string names_of_rivals() {
  std::string names;
  for (const known_rival& r : known) names += (names.empty() ? "" : ", ") + std::string(r.name);
  return names;
}

std::vector<std::string> expand_rivals(const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const known_rival& r : known) found.emplace_back(r.name);
    } else if (std::ranges::any_of(known, [&](const known_rival& r) { return r.name == name; })) {
      found.push_back(name);
    } else {
      throw config_error("--rivals: '" + name + "' is not known; there are all, " + names_of_rivals());
    }
  }
  return found;
}

std::vector<rival> find_rivals(const rival_context& context) {
  std::vector<rival> all;
  const std::string reason = unfit(context);
  for (const known_rival& r : known) {
    if (std::ranges::find(context.options.rivals.names, r.name) == context.options.rivals.names.end()) continue;
    if (!reason.empty()) {
      all.push_back({.name = std::string(r.name), .setting = "any", .skip = reason});
    } else {
      std::ranges::move(r.find(context), std::back_inserter(all));
    }
  }
  return all;
}

}  // namespace hogwild::bench
