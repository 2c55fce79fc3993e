// SPDX-License-Identifier: Apache-2.0
#include <hogwild/measures.hpp>

#include <algorithm>

namespace hogwild {
namespace {

constexpr std::string_view of_test = "test_", test_loss = "test_loss";

template <class Keeps>
std::string names(const Keeps& keeps) {
  std::string all = "train_loss, objective, test_loss";
  for (const measure& m : measures)
    if (keeps(m)) all.append(", ").append(of_test).append(m.name);
  return all;
}

}  // namespace

std::optional<target_figure> target_figure::named(std::string_view name) {
  target_figure found;
  if (name == "train_loss") return found.of_epoch_ = &epoch_report::train_loss, found;
  if (name == "objective") return found.of_epoch_ = &epoch_report::objective, found;
  if (!name.starts_with(of_test)) return std::nullopt;
  found.of_test_ = true;
  if (name == test_loss) return found;
  const auto* const m = std::ranges::find(measures, name.substr(of_test.size()), &measure::name);
  if (m == measures.end()) return std::nullopt;
  found.measure_ = m;
  return found;
}

std::string target_figure::all_names() {
  return names([](const measure&) { return true; });
}

std::string target_figure::names_for(row_kind kind) {
  return names([&](const measure& m) { return m.suits(kind); });
}

bool target_figure::reached(const epoch_report& epoch, double bound) const {
  if (!of_test_) return epoch.*of_epoch_ <= bound;
  if (!epoch.test) return false;
  if (measure_ == nullptr) return epoch.test->loss <= bound;
  const std::optional<double>& value = *epoch.test.*measure_->value;
  return value && measure_->reaches(*value, bound);
}

std::string_view to_string(row_kind kind) {
  switch (kind) {
    case row_kind::two_classes:
      return "rows of two classes";
    case row_kind::classes:
      return "rows of several classes";
    case row_kind::lists:
      return "rows with lists of labels";
    case row_kind::graph:
      return "graphs";
    case row_kind::numbers:
      break;
  }
  return "rows of numbers";
}

}  // namespace hogwild
