// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/models/plain_descriptor.hpp>

#include <charconv>
#include <string>

namespace hogwild::detail {
namespace {

/// The shortest decimal that is the same in single precision, if the member is a float: 0.1, not its 24 bits.
double shortest(double x) {
  const auto single = static_cast<float>(x);
  if (static_cast<double>(single) != x) return x;
  char digits[32];
  const char* const end = std::to_chars(digits, digits + sizeof digits, single).ptr;
  std::from_chars(digits, end, x);
  return x;
}

}  // namespace

std::vector<model_option> options_of(std::span<const model_number> numbers, const void* usual) {
  std::vector<model_option> options;
  for (const model_number& number : numbers) {
    if (!number.is_option()) continue;
    std::string name(number.option_name()), help(number.help);
    const double otherwise = number.get(usual);
    if (number.is_flag)
      options.push_back(flag_option(std::move(name), std::move(help)));
    else if (number.is_count)
      options.push_back(count_option(std::move(name), static_cast<std::size_t>(otherwise), std::move(help)));
    else
      options.push_back(number_option(std::move(name), shortest(otherwise), std::move(help)));
  }
  return options;
}

void take_options(std::span<const model_number> numbers, const model_options& options, std::string_view name,
                  void* model) {
  for (const model_number& number : numbers) {
    if (!number.is_option() || !options.given(number.option_name())) continue;
    const double asked = number.is_flag ? (options.flag(number.option_name(), false) ? 1.0 : 0.0)
                                        : options.number(number.option_name(), 0.0);
    if (!number.take(model, asked))
      throw config_error("the " + std::string(number.name) + " of " + std::string(name) + " must be " +
                         (number.must_be.empty() ? "a number that its type holds" : std::string(number.must_be)));
  }
}

}  // namespace hogwild::detail
