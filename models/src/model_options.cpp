// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/model_options.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>

namespace hogwild {
namespace {

template <class T>
std::optional<T> whole_text_as(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace

model_option number_option(std::string name, double otherwise, std::string help) {
  return {std::move(name), "X", detail::to_short_text(otherwise), std::move(help),
          [](const std::string& text) -> std::string {
            const auto number = whole_text_as<double>(text);
            return number && std::isfinite(*number) ? "" : quote(text) + " is not a number";
          }};
}

model_option count_option(std::string name, std::size_t otherwise, std::string help) {
  return {std::move(name), "N", std::to_string(otherwise), std::move(help), [](const std::string& text) -> std::string {
            return whole_text_as<std::size_t>(text) ? "" : quote(text) + " is not a whole number from 0 on";
          }};
}

model_option word_option(std::string name, std::vector<std::string> words, std::string help) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : "|") + word;
  const std::string first = words.front();
  return {std::move(name), list, first, std::move(help),
          [words = std::move(words), list](const std::string& text) -> std::string {
            return std::ranges::find(words, text) != words.end() ? "" : quote(text) + " is none of " + list;
          }};
}

model_option flag_option(std::string name, std::string help) {
  return {std::move(name), "", "", std::move(help), [](const std::string& text) -> std::string {
            return text == "true" || text == "false" ? "" : quote(text) + " is neither true nor false";
          }};
}

double model_options::number(std::string_view name, double otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : whole_text_as<double>(found->second).value_or(otherwise);
}

std::size_t model_options::count(std::string_view name, std::size_t otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : whole_text_as<std::size_t>(found->second).value_or(otherwise);
}

std::string model_options::text(std::string_view name, std::string_view otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? std::string(otherwise) : found->second;
}

bool model_options::flag(std::string_view name, bool otherwise) const {
  const auto found = given_.find(name);
  return found == given_.end() ? otherwise : found->second == "true";
}

std::vector<std::size_t> counts_in(std::string_view text) {
  std::vector<std::size_t> counts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const auto count = whole_text_as<std::size_t>(text.substr(at, end - at));
    if (!count || *count == 0) return {};
    counts.push_back(*count);
    at = end + 1;
  }
  return counts;
}

}  // namespace hogwild
