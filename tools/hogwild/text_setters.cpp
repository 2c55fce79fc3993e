// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/measures.hpp>

#include "text_values.hpp"
#include "train_request.hpp"
#include "train_words.hpp"

namespace hogwild::cli {
namespace {

std::string set_l2(train_request& r, const std::string& text) {
  r.options.l2 = to_number(text);
  r.options.l2_by_folds.reset();
  if (text == "auto") r.options.l2_by_folds.emplace();
  if (text != "auto" && r.options.l2.value_or(-1.0) < 0.0)
    return quote(text) + " is neither 'auto' nor a number of at least 0";
  return {};
}

/// The end of a message about a label that is no number.
const char* const words_have_numbers =
    " (labels that are words have the numbers 0, 1, ... in the order of their bytes)";

std::string set_class_weights(train_request& r, const std::string& text) {
  class_weights& weights = r.options.weights;
  weights = {.balanced = text == "balanced"};
  if (weights.balanced) return {};
  std::vector<std::string> pairs;
  const std::string fault = quote(text) + " is neither 'balanced' nor LABEL=WEIGHT,..." + words_have_numbers;
  if (!add_names(text, pairs).empty()) return fault;
  for (const std::string_view pair : pairs) {
    const std::size_t equals = std::min(pair.find('='), pair.size());
    const auto label = to_number(pair.substr(0, equals)),
               weight = to_number(pair.substr(std::min(equals + 1, pair.size())));
    if (!label || !weight) return fault;
    weights.of_labels.emplace_back(*label, *weight);
  }
  return {};
}

std::string set_label_values(train_request& r, const std::string& text) {
  r.options.labels.clear();
  r.declared = {};
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t comma = std::min(text.find(',', first), text.size());
    const std::string_view word = std::string_view(text).substr(first, comma - first);
    const auto label = to_number(word.substr(word.starts_with('+') && !word.starts_with("+-") ? 1 : 0));
    if (!label) return quote(text) + " is no list of numbers with commas between them" + words_have_numbers;
    r.options.labels.push_back(*label);
    if (std::isfinite(*label)) r.declared.add(*label, word);
    first = comma + 1;
  }
  return {};
}

std::string set_target(train_request& r, const std::string& text) {
  const std::size_t equals = text.find('=');
  const auto value = equals == std::string::npos ? std::nullopt : to_number(std::string_view(text).substr(equals + 1));
  const std::string what = text.substr(0, std::min(equals, text.size()));
  if (!value || !target_figure::named(what))
    return quote(text) + " is not METRIC=VALUE with a metric out of " + target_figure::all_names();
  r.options.target = target_option{what, *value};
  return {};
}

/// A text that is a number is a fraction of the training rows, last:N so many pairs of each user, another one the name
/// of a file.
std::string set_rows(const std::string& text, std::string& file, double& fraction, std::size_t& last) {
  constexpr std::string_view by_time = "last:";
  file.clear(), fraction = 0.0, last = 0;
  if (text.starts_with(by_time)) {
    last = to_count(std::string_view(text).substr(by_time.size())).value_or(0);
    return last > 0 ? "" : quote(text) + " is not last:N, the last N pairs of each user, from 1 on";
  }
  const auto number = to_number(text);
  if (number && (*number <= 0.0 || *number >= 1.0)) return "a fraction lies between 0 and 1";
  fraction = number.value_or(0.0);
  file = number ? "" : text;
  return number ? "" : fault_of_name(text);
}
std::string set_test(train_request& r, const std::string& text) {
  return set_rows(text, r.test, r.test_fraction, r.test_last);
}
std::string set_validation(train_request& r, const std::string& text) {
  return set_rows(text, r.validation_file, r.options.validation_fraction, r.validation_last);
}

/// `text` is a number of epochs, or of seconds, minutes, hours or days. Returns an error message, or an empty text.
std::string set_checkpoint_every(train_request& r, const std::string& text) {
  train_options& o = r.options;
  constexpr std::array units{std::pair('s', 1.0), std::pair('m', 60.0), std::pair('h', 3600.0),
                             std::pair('d', 86400.0)};
  const auto* const unit = std::ranges::find(units, text.empty() ? ' ' : text.back(), &std::pair<char, double>::first);
  const bool is_time = unit != units.end();
  const auto number = to_number(std::string_view(text).substr(0, text.size() - (is_time ? 1 : 0)));
  const bool is_whole = number && *number == std::floor(*number) && *number < 1e15;
  if (!number || !(*number > 0.0) || !std::isfinite(*number) || (!is_time && !is_whole))
    return quote(text) + " is neither a number of epochs, from 1 on, nor a time such as 90s, 10m, 2h or 1d";
  o.checkpoint_every = is_time ? 1 : static_cast<std::size_t>(*number);
  o.checkpoint_seconds.reset();
  if (is_time) o.checkpoint_seconds = *number * unit->second;
  return {};
}

std::string set_transport(train_request& r, const std::string& text) {
  r.mpi = text == "mpi";
  r.transport = text == "shared_segment" ? transport_kind::shared_segment : transport_kind::in_process;
  if (r.mpi || text == "in_process" || text == "shared_segment") return {};
  return quote(text) + " is none of in_process|shared_segment|mpi";
}

std::string set_devices(train_request& r, const std::string& text) {
  const auto unknown = [](const std::string& name) {
    return quote(name) + " is neither a device's number nor 'emulated'";
  };
  std::vector<std::string> names;
  if (!add_names(text, names).empty()) return unknown(text);
  r.devices.clear();
  for (const std::string& name : names) {
    const auto number = to_number(name);
    const bool usable = number && *number >= 0 && *number < 1024 && *number == std::floor(*number);
    if (name != "emulated" && !usable) return unknown(name);
    r.devices.push_back(usable ? static_cast<int>(*number) : emulated_device);
  }
  return {};
}

std::string set_collective(train_request& r, const std::string& text) {
  r.nccl = text == "nccl";
  return r.nccl || text == "auto" ? "" : quote(text) + " is neither 'auto' nor 'nccl'";
}

std::string set_rank_timeout(train_request& r, const std::string& text) {
  const auto seconds = to_number(text);
  const detail::number_range& range = facts_of("--rank-timeout").range;
  if (!seconds || !range.has(*seconds)) return quote(text) + " is no " + range.text(false);
  r.rank_timeout = std::chrono::seconds(static_cast<std::int64_t>(*seconds));
  return {};
}

constexpr auto setters = std::to_array<std::pair<std::string_view, text_setter>>({
    {"--l2", set_l2},
    {"--class-weights", set_class_weights},
    {"--label-values", set_label_values},
    {"--target", set_target},
    {"--test", set_test},
    {"--validation", set_validation},
    {"--checkpoint-every", set_checkpoint_every},
    {"--device", set_devices},
    {"--transport", set_transport},
    {"--collective", set_collective},
    {"--rank-timeout", set_rank_timeout},
});

}  // namespace

text_setter setter_for(std::string_view word) {
  const auto* const found = std::ranges::find(setters, word, &std::pair<std::string_view, text_setter>::first);
  return found == setters.end() ? nullptr : found->second;
}

}  // namespace hogwild::cli
