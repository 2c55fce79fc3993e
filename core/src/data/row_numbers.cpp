// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/row_numbers.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "data/row_lines.hpp"
#include "text/input_stream.hpp"

namespace hogwild {
namespace detail {
namespace {

void require_numbers(std::span<const float> numbers, std::size_t rows, std::string_view source,
                     const std::string& what) {
  if (numbers.size() != rows)
    throw input_error(std::string(source) + ": there are " + std::to_string(numbers.size()) + " " + what + "s for " +
                      std::to_string(rows) + " rows; give one a row");
  const auto wrong = std::ranges::find_if(numbers, [](float x) { return !std::isfinite(x); });
  if (wrong != numbers.end())
    throw input_error(std::string(source) + ": the " + what + " of row " + std::to_string(wrong - numbers.begin() + 1) +
                      " is not a finite number");
}

/// Whether a double represents this number exactly.
template <std::integral T>
bool is_exact_double(T number) {
  const auto x = static_cast<double>(number);
  // The largest numbers are rounded to 2^63 or 2^64, which is out of range for T.
  return x < static_cast<double>(std::numeric_limits<T>::max()) && static_cast<T>(x) == number;
}

}  // namespace

void require_sound_weights(std::span<const float> weights, std::size_t rows, std::string_view source) {
  require_numbers(weights, rows, source, "weight");
  const auto negative = std::ranges::find_if(weights, [](float w) { return w < 0.0f; });
  if (negative != weights.end())
    throw input_error(std::string(source) + ": the weight of row " + std::to_string(negative - weights.begin() + 1) +
                      " is " + to_text(*negative) + "; a weight is 0 or more");
}

void require_weights(std::span<const float> weights, std::size_t rows, std::string_view source) {
  require_sound_weights(weights, rows, source);
  if (rows > 0 && std::ranges::all_of(weights, [](float w) { return w == 0.0f; }))
    throw input_error(std::string(source) + ": all weights are 0; a row that shall count has one above 0");
}

void require_offsets(std::span<const float> offsets, std::size_t rows, std::string_view source) {
  require_numbers(offsets, rows, source, "offset");
}

void require_exact_labels(const any_numbers& labels, const std::string& array) {
  labels.visit([&]<class T>(std::span<const T> numbers) {
    if constexpr (std::integral<T> && sizeof(T) == sizeof(std::uint64_t)) {
      for (std::size_t k = 0; k < numbers.size(); ++k)
        if (!is_exact_double(numbers[k]))
          throw input_error(array + "[" + std::to_string(k) + "] is " + std::to_string(numbers[k]) +
                            ", which double precision cannot tell from its neighbours; number the classes anew, below "
                            "2^53, or give numbers that are to be predicted as doubles");
    }
  });
}

void read_row_lines(const std::string& path, std::size_t rows,
                    const std::function<std::string(std::string_view line)>& take) {
  const std::unique_ptr<input_stream> input = open_input(path);
  const std::string shown = printable(input->name());
  std::size_t taken = 0;
  while (const auto block = input->next()) {
    for (std::string_view text = block->text; !text.empty();) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      const std::size_t blanks = std::min(line.find_first_not_of(" \t"), line.size());
      line.remove_prefix(blanks);
      line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
      if (taken == rows)
        throw format_error(shown, taken + 1, 1,
                           "there are more numbers than the " + std::to_string(rows) + " rows of the data");
      const std::string fault =
          line.empty() ? "a number is missing; there is one a line, for each row of the data" : take(line);
      if (!fault.empty()) throw format_error(shown, taken + 1, blanks + 1, fault);
      ++taken;
    }
  }
  if (taken < rows)
    throw input_error(shown + ": there are " + std::to_string(taken) + " numbers for the " + std::to_string(rows) +
                      " rows of the data; give one a line, for each row");
}

}  // namespace detail

std::vector<float> read_row_numbers(const std::string& path, std::size_t rows) {
  std::vector<float> numbers;
  numbers.reserve(rows);
  detail::read_row_lines(path, rows, [&](std::string_view line) -> std::string {
    float x = 0.0f;
    const char* const first = line.data() + (line.starts_with('+') && !line.starts_with("+-") ? 1 : 0);
    const auto [behind, fault] = std::from_chars(first, line.data() + line.size(), x);
    if (fault != std::errc{} || behind != line.data() + line.size() || !std::isfinite(x))
      return quote(line) + " is not a finite number that fits single precision";
    numbers.push_back(x);
    return {};
  });
  return numbers;
}

}  // namespace hogwild
