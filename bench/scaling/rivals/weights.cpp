// SPDX-License-Identifier: Apache-2.0
#include "rivals/weights.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include <hogwild/error.hpp>

namespace hogwild::bench {
namespace {

constexpr std::size_t most_columns = std::size_t{1} << 31;

[[noreturn]] void refuse(const std::string& line) {
  throw input_error("its weights cannot be read: '" + line.substr(0, 60) + "'");
}

double number(const char*& at, const char* end, const std::string& line) {
  double x = 0;
  const auto [next, fault] = std::from_chars(at, end, x);
  if (fault != std::errc{} || !std::isfinite(x)) refuse(line);
  at = next;
  return x;
}

void put(std::vector<double>& weights, std::size_t column, double weight) {
  if (column >= weights.size()) weights.resize(column + 1, 0.0);
  weights[column] = weight;
}

/// "column SEPARATOR weight ...": what follows the weight is not looked at. False where the line does not begin so.
bool read_pair(const std::string& line, char separator, std::vector<double>& weights) {
  const char *at = line.data(), *const end = at + line.size();
  std::size_t column = 0;
  const auto [next, fault] = std::from_chars(at, end, column);
  if (fault != std::errc{} || next == end || *next != separator) return false;
  if (column >= most_columns) refuse(line);
  at = next + 1;
  put(weights, column, number(at, end, line));
  return true;
}

}  // namespace

std::vector<double> read_liblinear(std::istream& in) {
  std::vector<double> weights{0.0};
  double sign = 0.0;
  std::size_t features = 0;
  std::string line;
  while (std::getline(in, line) && line != "w") {
    std::istringstream words(line);
    std::string key;
    double first = 0, second = 0;
    words >> key >> first;
    if (key == "nr_class" && first != 2) refuse(line);
    if (key == "bias" && first > 0) refuse(line);
    if (key == "nr_feature") features = static_cast<std::size_t>(first);
    if (key == "label" && words >> second) sign = first > second ? 1.0 : -1.0;
  }
  if (line != "w" || sign == 0.0) throw input_error("its weights cannot be read: no labels, or no line 'w'");
  while (std::getline(in, line)) {
    const char* at = line.data();
    weights.push_back(sign * number(at, line.data() + line.size(), line));
  }
  if (weights.size() != features + 1) {
    throw input_error("its weights cannot be read: " + std::to_string(weights.size() - 1) + " of " +
                      std::to_string(features) + " are there");
  }
  return weights;
}

std::vector<double> read_vw(std::istream& in) {
  std::vector<double> weights;
  std::string line;
  while (std::getline(in, line) && line != ":0" && line != ":1") {
  }
  if (!in) throw input_error("its weights cannot be read: the line ':0' is missing");
  // Between that line and the weights --save_resume has others, which do not begin with a number and a colon.
  while (std::getline(in, line)) read_pair(line, ':', weights);
  return weights;
}

std::vector<double> read_pairs(std::istream& in) {
  std::vector<double> weights;
  std::string line;
  while (std::getline(in, line)) {
    if (!read_pair(line, ' ', weights)) refuse(line);
  }
  return weights;
}

std::vector<double> read_weights(const std::filesystem::path& file, std::vector<double> (*read)(std::istream&)) {
  std::ifstream in(file);
  if (!in) throw input_error("it left no weights");
  return read(in);
}

}  // namespace hogwild::bench
