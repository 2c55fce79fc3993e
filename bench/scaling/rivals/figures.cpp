// SPDX-License-Identifier: Apache-2.0
#include "rivals/figures.hpp"

#include <charconv>
#include <cmath>
#include <sstream>

#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

/// The first number in a text, perhaps after spaces.
std::optional<double> number_in(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string::npos) return std::nullopt;
  double x = 0;
  const auto fault = std::from_chars(text.data() + first, text.data() + text.size(), x).ec;
  return fault == std::errc{} && std::isfinite(x) ? std::optional(x) : std::nullopt;
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, '|');) cells.push_back(cell);
  return cells;
}

}  // namespace

stick_figures read_stick(const std::string& output, const std::string& name) {
  // | name | median (best) ms | cpu | rate | speed-up | objectives of epochs 1, 2, 5 | of the last | ... | accuracy |
  // ...
  constexpr std::size_t times = 2, last_objective = 9, accuracy = 11;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("| " + name + " |")) continue;
    const auto cells = cells_of(line);
    if (cells.size() <= accuracy) break;
    const std::size_t bracket = cells[times].find('(');
    const auto median = number_in(cells[times]), objective = number_in(cells[last_objective]);
    const auto best = bracket == std::string::npos ? std::nullopt : number_in(cells[times].substr(bracket + 1));
    const auto fraction = number_in(cells[accuracy]);
    if (median && best && objective && fraction) return {*median * 1e-3, *best * 1e-3, *objective, *fraction};
  }
  throw input_error("its table has no line with figures for '" + name + "'");
}

hazy_figures read_hazy(const std::string& output) {
  hazy_figures figures;
  std::istringstream in(output);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("epoch:")) continue;
    std::istringstream words(line);
    for (std::string key, value; words >> key >> value;) {
      const auto x = number_in(value);
      if (!x) continue;
      if (key == "epoch_time:") figures.epoch_seconds.push_back(*x);
      if (key == "obj:") figures.objective_sum = *x;
      if (key == "test_acc:") figures.test_accuracy = *x;
    }
  }
  if (figures.epoch_seconds.empty()) throw input_error("it tells of no epoch");
  return figures;
}

std::string written(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

}  // namespace hogwild::bench
