// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/search_space.hpp>

#include <charconv>
#include <optional>
#include <utility>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

// Parses texts such as "l2=log:1e-8:1e-2:7".

namespace hogwild {

namespace {

std::vector<std::string> pieces(const std::string& text, char between) {
  std::vector<std::string> all;
  for (std::size_t first = 0; first <= text.size();) {
    const std::size_t end = std::min(text.find(between, first), text.size());
    all.push_back(text.substr(first, end - first));
    first = end + 1;
  }
  return all;
}

template <class T>
std::optional<T> whole_text(const std::string& text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc{} || rest != end) return std::nullopt;
  return number;
}

value_range range_of(const std::string& text, const std::string& values, bool whole) {
  const auto refuse = [&](const std::string& fault) {
    throw config_error(quote(text) + " is no range: " + fault + "; write low:high, log:low:high, or either with the " +
                       "number of points of a grid behind it, or a list with commas");
  };
  value_range range{.whole = whole};
  std::vector<std::string> parts = pieces(values, ':');
  range.log = parts.front() == "log";
  if (range.log || parts.front() == "linear") parts.erase(parts.begin());
  if (parts.size() != 2 && parts.size() != 3) refuse("it has " + std::to_string(parts.size()) + " numbers");
  const auto low = whole_text<double>(parts[0]), high = whole_text<double>(parts[1]);
  if (!low || !high) refuse(quote(low ? parts[1] : parts[0]) + " is no number");
  range.low = *low;
  range.high = *high;
  if (parts.size() == 3) {
    range.points = whole_text<std::size_t>(parts[2]);
    if (!range.points) refuse(quote(parts[2]) + " is no number of points");
  }
  return range;
}

}  // namespace

search_space search_space::parse(std::span<const std::string> texts,
                                 const std::function<bool(std::string_view option)>& whole) {
  std::vector<search_dimension> dimensions;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw config_error(quote(text) + " is no space: write the name of an option, '=', and its values");
    const std::string option = text.substr(0, equals), values = text.substr(equals + 1);
    if (values.empty()) throw config_error("the space of " + quote(option) + " has no values");
    const bool is_list = values.find(',') != std::string::npos || values.find(':') == std::string::npos;
    if (is_list)
      dimensions.push_back({option, pieces(values, ',')});
    else
      dimensions.push_back({option, range_of(text, values, whole && whole(option))});
  }
  return search_space(std::move(dimensions));
}

}  // namespace hogwild
