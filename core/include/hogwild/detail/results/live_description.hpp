// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Describes the parameters in a run's segment to readers that have neither its model nor its data.
struct live_description {
  struct group {
    std::string name;
    std::size_t offset = 0, rows = 0, width = 1, first_column = 0;
    bool by_columns = true;
  };

  std::string model{};
  bool whole = false;  ///< a saved model consists of groups and numbers only
  std::vector<std::pair<std::string, double>> numbers{};
  label_map labels{};
  std::vector<group> groups{};
  std::vector<std::uint32_t> original{};  ///< the input number of each column, by position

  static std::vector<group> groups_from(std::span<const parameter_group> groups);
  std::vector<parameter_group> parameter_groups() const;  ///< the groups refer to the names

  std::vector<std::byte> encode() const;
  /// Throws input_error for bytes that encode() did not make; `name` stands for them in messages.
  static live_description decode(std::span<const std::byte> bytes, const std::string& name);
};

}  // namespace hogwild
