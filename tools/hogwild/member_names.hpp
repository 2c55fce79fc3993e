// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hogwild/saved_model.hpp>

namespace hogwild::cli {

/// What the users, or the items, of a model are called: by the names that it keeps, or else by their numbers.
class member_names {
 public:
  member_names(const saved_model& saved, bool users);
  member_names(const member_names&) = delete;
  member_names& operator=(const member_names&) = delete;
  member_names(member_names&&) = default;
  member_names& operator=(member_names&&) = default;

  /// The number of the one with this name; nothing if the model has none.
  std::optional<std::uint32_t> find(const std::string& name) const;
  /// The name of one that the model has.
  const std::string& of(std::uint32_t id) const;
  /// Its name, or its number as a number.
  nlohmann::ordered_json json_of(std::uint32_t id) const;

 private:
  bool named_;
  std::vector<std::uint32_t> ids_{};  ///< ascending
  std::vector<std::string> names_{};  ///< of each
  std::unordered_map<std::string_view, std::uint32_t> by_name_{};
};

}  // namespace hogwild::cli
