// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hogwild::bench {

/// A data set with the options under which it is measured, so that every figure of it was made with the same ones.
struct known_set {
  std::string_view name;
  std::string_view train, test;  ///< file names in the data folder, perhaps with .xz; empty: generated
  std::string_view model;
  double step = 0.0, decay = 0.0;
  std::optional<double> l2{};  ///< nothing: 1/n
  std::size_t epochs = 0;
  std::size_t exchange_rows = 512;  ///< rows between two exchanges, for the measuring stick
};

std::span<const known_set> known_sets();

/// Throws config_error with the names that there are.
const known_set& find_set(const std::string& name);

/// The file as it stands in the folder, plain or with .xz. Throws input_error where there is neither.
std::filesystem::path file_of_set(const std::filesystem::path& folder, std::string_view name);

}  // namespace hogwild::bench
