// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/labels.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <unordered_map>
#include <utility>

#include <hogwild/detail/data/label_spelling.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {
namespace {

constexpr std::size_t most_classes = 1'048'576;
/// If more distinct labels are not whole numbers, they are measurements, not classes.
constexpr std::size_t most_broken = 65'536;

using counted = std::pair<double, std::size_t>;

/// Values and the number of occurrences of each, ascending. Stops at the first value too many: then `complete` is
/// false.
struct tally {
  std::vector<counted> values;
  bool complete = true;
};

void refuse_rounded(const label_column& labels, const std::string& source) {
  if (labels.rounded().empty()) return;
  throw input_error(source + ": the label " + quote(labels.rounded()) +
                    " is a class, and double precision cannot tell it from its neighbours: number the classes anew");
}

void refuse_not_a_number(double label, std::size_t row, const std::string& source) {
  if (!std::isfinite(label)) {
    throw input_error(source + ": the label of row " + std::to_string(row + 1) + " is " + label_text(label) +
                      ", but a label must be a finite number");
  }
}

/// Counts codes by the table, which may contain both -0 and 0.
tally count_codes(const label_column& labels) {
  std::array<std::size_t, 256> counts{};
  for (const std::uint8_t code : labels.codes()) ++counts[code];
  tally found;
  for (std::size_t code = 0; code < labels.table().size(); ++code) {
    const double value = labels.table()[code] + 0.0;
    if (counts[code] == 0) continue;
    if (!found.values.empty() && found.values.back().first == value)
      found.values.back().second += counts[code];
    else
      found.values.emplace_back(value, counts[code]);
  }
  return found;
}

/// Counts labels in lists, of which there may be any number.
tally count_lists(const label_column& labels) {
  std::vector<std::size_t> counts(labels.table().size());
  for (std::size_t row = 0; row < labels.size(); ++row)
    for (const std::uint32_t code : labels.list(row)) ++counts[code];
  tally found;
  for (std::size_t code = 0; code < counts.size(); ++code)
    if (counts[code] > 0) found.values.emplace_back(labels.table()[code], counts[code]);
  if (found.values.size() > most_classes) found.complete = false;
  return found;
}

tally count_values(const label_column& labels, const std::string& source) {
  if (labels.lists()) return count_lists(labels);
  if (labels.coded() && std::ranges::all_of(labels.table(), [](double x) { return std::isfinite(x); }))
    return count_codes(labels);
  std::unordered_map<double, std::size_t> counts;
  std::size_t broken = 0;
  tally found;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    refuse_not_a_number(labels[row], row, source);
    const std::size_t before = counts.size();
    ++counts[labels[row] + 0.0];  // -0 and 0 are one label; adding 0 makes it print as 0
    broken += counts.size() > before && labels[row] != std::floor(labels[row]);
    if (counts.size() > most_classes || broken > most_broken) {
      found.complete = false;
      break;
    }
  }
  found.values.assign(counts.begin(), counts.end());
  std::sort(found.values.begin(), found.values.end());
  return found;
}

std::string describe(const tally& found, const label_column& labels) {
  constexpr std::size_t shown = 8;
  if (!found.complete) return "more than " + std::to_string(found.values.size() - 1) + " different values";
  std::string text = std::to_string(found.values.size()) + (found.values.size() == 1 ? " value: " : " values: ");
  for (std::size_t k = 0; k < std::min(shown, found.values.size()); ++k) {
    const auto& [value, count] = found.values[k];
    text +=
        (k == 0 ? "" : ", ") + labels.name_of(value) + " (" + std::to_string(count) + (count == 1 ? " row)" : " rows)");
  }
  if (found.values.size() > shown) text += ", ...";
  return text;
}

}  // namespace

std::string label_column::name_of(double label) const {
  const bool is_word = label >= 0 && label < static_cast<double>(words_.size()) && std::trunc(label) == label;
  return is_word ? quote(words_[static_cast<std::size_t>(label)]) : label_text(label);
}

label_lists::label_lists(std::span<const std::uint32_t> first, std::span<const double> labels)
    : start(first.begin(), first.end()), table(labels.begin(), labels.end()) {
  for (double& label : table) label += 0.0;  // -0 and 0 are one label
  std::ranges::sort(table);
  table.erase(std::unique(table.begin(), table.end()), table.end());
  code.reserve(labels.size());
  for (const double label : labels)
    code.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(table, label) - table.begin()));
  code.push_back(0);  // follows the last list, so that an empty last list has a readable place
  for (std::size_t r = 0; r + 1 < start.size(); ++r) std::sort(code.begin() + start[r], code.begin() + start[r + 1]);
}

label_map::label_map(label_kind kind, std::vector<double> values) : kind_(kind), values_(std::move(values)) {
  const bool right_count = kind == label_kind::real     ? values_.empty()
                           : kind == label_kind::binary ? values_.size() == 2
                                                        : values_.size() >= 2 && values_.size() <= most_classes;
  if (!right_count) {
    throw input_error("a label map " +
                      std::string(kind == label_kind::real     ? "of numbers lists no values"
                                  : kind == label_kind::binary ? "of two classes lists two values"
                                                               : "lists 2 to 1,048,576 classes") +
                      ", but this one has " + std::to_string(values_.size()));
  }
  for (const double value : values_) {
    if (!std::isfinite(value)) throw input_error("a label map holds a label that is not a finite number");
  }
  if (std::adjacent_find(values_.begin(), values_.end(), std::greater_equal<>()) != values_.end()) {
    throw input_error("the labels of a label map are not in ascending order");
  }
}

label_map label_map::learn(label_kind kind, const label_column& labels, const std::string& source) {
  if (labels.empty()) throw input_error(source + ": there are no rows to learn labels from");
  if (kind != label_kind::classes) refuse_lists(labels, source);
  if (kind == label_kind::real) {
    for (std::size_t row = 0; row < labels.size(); ++row) refuse_not_a_number(labels[row], row, source);
    return {};
  }
  refuse_rounded(labels, source);
  const tally found = count_values(labels, source);
  if (kind == label_kind::binary && found.values.size() != 2) {
    throw input_error(source + ": this model needs labels of exactly two values, but there are " +
                      describe(found, labels) +
                      ". For several classes use softmax, for numbers a regression model such as least_squares");
  }
  if (labels.lists() && !found.complete) {
    throw input_error(source + ": the lists of its rows have " + std::to_string(found.values.size()) +
                      " different labels, but a model takes at most 1,048,576 classes: leave out the rarest labels, or "
                      "train several models, each on a part of the labels");
  }
  if (kind == label_kind::classes && (found.values.size() < 2 || !found.complete)) {
    throw input_error(source + ": this model needs labels of 2 to 1,048,576 values, but there are " +
                      describe(found, labels) +
                      (found.complete ? ". There is nothing to tell apart"
                                      : ". For numbers use a regression model such as least_squares"));
  }
  std::vector<double> values;
  values.reserve(found.values.size());
  for (const auto& [value, count] : found.values) values.push_back(value);
  return {kind, std::move(values)};
}

std::span<const std::uint32_t> label_map::encode_list(const label_column& labels, std::size_t r,
                                                      std::vector<std::uint32_t>& room) const {
  room.clear();
  room.reserve(1);  // an empty list needs an address, to differ from no list
  for (const std::uint32_t code : labels.list(r)) room.push_back(number_of(labels.table()[code]));
  return room;
}

void label_map::refuse_lists(const label_column& labels, const std::string& source) {
  if (!labels.lists()) return;
  throw input_error(source +
                    ": its rows have lists of labels, and this model takes one label a row; softmax, text_classifier "
                    "and mlp take lists");
}

double label_map::decode(double predicted) const {
  if (kind_ == label_kind::real) return predicted;
  if (kind_ == label_kind::binary) return predicted > 0 ? values_[1] : values_[0];
  if (!(predicted >= 0 && predicted < static_cast<double>(values_.size()))) {
    throw config_error("class " + label_text(predicted) + " does not exist: the model has " +
                       std::to_string(values_.size()) + " classes, counted from 0");
  }
  return values_[static_cast<std::size_t>(predicted)];
}

void label_map::require_known(const label_column& labels, const std::string& source, std::span<const std::uint32_t> ids,
                              bool declared) const {
  const auto knows = [this](double label) { return std::binary_search(values_.begin(), values_.end(), label); };
  const auto refuse = [&](double label, std::size_t row) {
    std::string known;
    for (std::size_t k = 0; k < std::min<std::size_t>(8, values_.size()); ++k) {
      known += (k == 0 ? "" : ", ") + labels.name_of(values_[k]);
    }
    // Rows of a file that was read to train on lie in another order.
    const std::string which =
        declared && ids.empty() ? "a row" : "row " + std::to_string((ids.empty() ? row : ids[row]) + 1);
    throw input_error(source + ": " + which + " has the label " + labels.name_of(label) + ", which " +
                      (declared ? "is none of the labels to train: " : "the training data never had; it had ") + known +
                      (values_.size() > 8 ? ", ..." : ""));
  };
  if (kind_ != label_kind::real) refuse_rounded(labels, source);
  if (kind_ != label_kind::classes) refuse_lists(labels, source);
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels.lists()) {
      for (const std::uint32_t code : labels.list(row))
        if (!knows(labels.table()[code])) refuse(labels.table()[code], row);
      continue;
    }
    refuse_not_a_number(labels[row], row, source);
    if (kind_ != label_kind::real && !knows(labels[row])) refuse(labels[row], row);
  }
}

std::uint32_t label_map::number_of(double label) const {
  return static_cast<std::uint32_t>(std::lower_bound(values_.begin(), values_.end(), label) - values_.begin());
}

}  // namespace hogwild
