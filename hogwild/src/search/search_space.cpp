// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/search_space.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>
#include <utility>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

constexpr std::size_t most_points = 10'000, most_grid_points = 1'000'000;
/// Up to this, a double represents all whole numbers.
constexpr double most_whole = 0x1p53;

[[noreturn]] void refuse_dimension(const std::string& option, const std::string& fault) {
  throw config_error("the space of " + quote(option) + " " + fault);
}

/// The value as it is written, clamped to the range: six digits may lie beyond its end.
std::string value_text(const value_range& r, double x) {
  if (r.whole) return detail::to_text(static_cast<std::uint64_t>(std::clamp(std::round(x), r.low, r.high)));
  const std::string text = detail::to_short_text(x);
  double read = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), read);
  return read >= r.low && read <= r.high ? text : detail::to_text(std::clamp(x, r.low, r.high));
}

/// The value at a fraction in [0, 1] of the range. When whole numbers are drawn, both ends get half a unit more, so
/// that the end values come up as often as others.
double value_at(const value_range& r, double fraction, double margin = 0.0) {
  const double low = r.low - margin, high = r.high + margin;
  if (!r.log) return low + fraction * (high - low);
  return std::exp(std::log(low) + fraction * (std::log(high) - std::log(low)));
}

std::vector<std::string> points_of(const value_range& r) {
  std::vector<std::string> all;
  for (std::size_t k = 0; k < *r.points; ++k)
    all.push_back(value_text(r, value_at(r, static_cast<double>(k) / static_cast<double>(*r.points - 1))));
  return all;
}

bool has_twice(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return std::ranges::adjacent_find(texts) != texts.end();
}

void check_range(const std::string& option, const value_range& r) {
  if (!std::isfinite(r.low) || !std::isfinite(r.high)) refuse_dimension(option, "has an end that is no finite number");
  if (r.low == r.high)
    refuse_dimension(option, "has one value, " + detail::to_text(r.low) + ": give it with its own option instead");
  if (r.low > r.high)
    refuse_dimension(option, "is upside down: " + detail::to_text(r.low) + " is above " + detail::to_text(r.high));
  if (r.log && r.low <= 0.0)
    refuse_dimension(
        option, "begins at " + detail::to_text(r.low) + ", which has no logarithm: begin above 0, or leave out 'log:'");
  if (r.whole) {
    for (const double end : {r.low, r.high}) {
      if (end < 0.0 || end > most_whole || end != std::floor(end))
        refuse_dimension(option, "is of whole numbers from 0 on, and " + detail::to_text(end) + " is none");
    }
  }
  if (!r.points) return;
  if (*r.points < 2 || *r.points > most_points)
    refuse_dimension(
        option, "has " + std::to_string(*r.points) + " points; a range has from 2 to " + std::to_string(most_points));
  if (has_twice(points_of(r)))
    refuse_dimension(option, "has too few numbers for " + std::to_string(*r.points) + " points: take fewer points");
}

void check_list(const std::string& option, const std::vector<std::string>& values) {
  if (values.empty()) refuse_dimension(option, "has no values");
  if (std::ranges::any_of(values, &std::string::empty)) refuse_dimension(option, "has a value without a text");
  if (has_twice(values)) refuse_dimension(option, "has a value twice");
}

}  // namespace

search_space::search_space(std::vector<search_dimension> dimensions) : dimensions_(std::move(dimensions)) {
  if (dimensions_.empty()) throw config_error("the search has no space: name an option and its values");
  std::set<std::string> options;
  for (const search_dimension& d : dimensions_) {
    const auto of_a_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; };
    if (d.option.empty() || d.option.front() == '-' || !std::ranges::all_of(d.option, of_a_name))
      throw config_error(quote(d.option) + " is not the name of an option, such as l2 or step");
    if (!options.insert(d.option).second) refuse_dimension(d.option, "is given twice");
    if (const auto* const range = std::get_if<value_range>(&d.values))
      check_range(d.option, *range);
    else
      check_list(d.option, std::get<std::vector<std::string>>(d.values));
  }
}

bool search_space::has(std::string_view option) const {
  return std::ranges::find(dimensions_, option, &search_dimension::option) != dimensions_.end();
}

std::size_t search_space::grid_points() const {
  std::size_t product = 1;
  for (const search_dimension& d : dimensions_) {
    std::size_t points = 0;
    if (const auto* const range = std::get_if<value_range>(&d.values)) {
      if (!range->points) {
        const std::string written = texts()[static_cast<std::size_t>(&d - dimensions_.data())];
        refuse_dimension(d.option, "is a range, and a grid takes a number of points of it: append the number, as in '" +
                                       written + ":5'");
      }
      points = *range->points;
    } else {
      points = std::get<std::vector<std::string>>(d.values).size();
    }
    if (points > most_grid_points / product)
      throw config_error("the grid has more than " + std::to_string(most_grid_points) +
                         " points: take fewer values, or draw from the space");
    product *= points;
  }
  return product;
}

configuration search_space::grid_point(std::size_t number) const {
  configuration point(dimensions_.size());
  for (std::size_t d = dimensions_.size(); d-- > 0;) {
    const search_dimension& of = dimensions_[d];
    const auto* const range = std::get_if<value_range>(&of.values);
    const std::vector<std::string> values =
        range != nullptr ? points_of(*range) : std::get<std::vector<std::string>>(of.values);
    point[d] = {of.option, values[number % values.size()]};
    number /= values.size();
  }
  return point;
}

configuration search_space::drawn_point(std::uint64_t seed, std::uint64_t number) const {
  configuration point;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const search_dimension& of = dimensions_[d];
    const counter_random random(seed, 0x73656172'00000000u + d);
    if (const auto* const range = std::get_if<value_range>(&of.values)) {
      const double margin = range->whole ? 0.5 : 0.0;
      point.push_back({of.option, value_text(*range, value_at(*range, random.uniform(number), margin))});
    } else {
      const auto& values = std::get<std::vector<std::string>>(of.values);
      point.push_back({of.option, values[random.below(number, values.size())]});
    }
  }
  return point;
}

std::vector<std::string> search_space::texts() const {
  std::vector<std::string> all;
  for (const search_dimension& d : dimensions_) {
    std::string text = d.option + "=";
    if (const auto* const range = std::get_if<value_range>(&d.values)) {
      text += (range->log ? "log:" : "") + detail::to_text(range->low) + ":" + detail::to_text(range->high);
      if (range->points) text += ":" + std::to_string(*range->points);
    } else {
      const auto& values = std::get<std::vector<std::string>>(d.values);
      for (std::size_t k = 0; k < values.size(); ++k) text += (k == 0 ? "" : ",") + values[k];
    }
    all.push_back(std::move(text));
  }
  return all;
}

std::string to_text(const configuration& options) {
  std::string text;
  for (const given_option& o : options) text += (text.empty() ? "--" : " --") + o.name + "=" + o.text;
  return text;
}

}  // namespace hogwild
