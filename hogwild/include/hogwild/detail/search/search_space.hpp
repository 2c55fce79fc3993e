// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hogwild {

/// An option of a run with its value, as on a command line: --NAME=TEXT.
struct given_option {
  std::string name;  ///< without dashes: "l2"
  std::string text;
  bool operator==(const given_option&) const = default;
};

/// One point of a search space: a value for each of its options, in the order of the space.
using configuration = std::vector<given_option>;

/// Numbers from `low` to `high`, both included.
struct value_range {
  double low = 0.0, high = 0.0;         ///< finite, low < high
  bool log = false;                     ///< evenly by their logarithms; low > 0
  bool whole = false;                   ///< whole numbers only; low and high are whole
  std::optional<std::size_t> points{};  ///< 2 to 10,000: how many a grid takes
};

/// An option and its possible values: a range, or a list of words or numbers.
struct search_dimension {
  std::string option;
  std::variant<value_range, std::vector<std::string>> values{};
};

/// The options and values that a search chooses from. A value type; any thread may read it.
class search_space {
 public:
  /// Throws config_error if the space is empty, names an option twice, or has an invalid range or list.
  explicit search_space(std::vector<search_dimension> dimensions);

  /// Parses texts, one for each option:
  ///
  ///     step=0.1:2               numbers from 0.1 to 2
  ///     l2=log:1e-8:1e-2         evenly by their logarithms
  ///     l2=log:1e-8:1e-2:7       the same, of which a grid takes 7
  ///     step=0.1,0.5,1           these
  ///     model=logistic,hinge_svm
  ///
  /// `whole` says which options have whole numbers as values. Throws config_error.
  static search_space parse(std::span<const std::string> texts,
                            const std::function<bool(std::string_view option)>& whole = {});

  std::span<const search_dimension> dimensions() const { return dimensions_; }
  bool has(std::string_view option) const;

  /// The number of points of its grid: the product over the options. Throws config_error if a range has no number of
  /// points, or there are more than a million.
  std::size_t grid_points() const;
  /// Point `number` of the grid, below grid_points(); the last option changes fastest.
  configuration grid_point(std::size_t number) const;
  /// Draws a point: each option independently, evenly over its range or its list. A function of seed and number alone.
  /// Numbers have six significant digits.
  configuration drawn_point(std::uint64_t seed, std::uint64_t number) const;

  /// One text for each option, as parse() reads it.
  std::vector<std::string> texts() const;

 private:
  std::vector<search_dimension> dimensions_;
};

/// "--l2=1e-05 --step=0.5": as a command line takes them, flags too.
std::string to_text(const configuration& options);

}  // namespace hogwild
