// SPDX-License-Identifier: Apache-2.0
#include "member_names.hpp"

#include <algorithm>

#include <hogwild/formats/ratings.hpp>

namespace hogwild::cli {

member_names::member_names(const saved_model& saved, bool users) : named_(!saved.names.empty()) {
  for (std::size_t k = 0; k < saved.columns.size(); ++k) {
    if (is_user_column(saved.columns[k]) != users) continue;
    ids_.push_back(rating_id(saved.columns[k]));
    names_.push_back(named_ ? saved.names[k] : std::to_string(ids_.back()));
  }
  by_name_.reserve(ids_.size());
  for (std::size_t k = 0; k < ids_.size(); ++k) by_name_.try_emplace(names_[k], ids_[k]);
}

std::optional<std::uint32_t> member_names::find(const std::string& name) const {
  const auto found = by_name_.find(name);
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

const std::string& member_names::of(std::uint32_t id) const {
  return names_[static_cast<std::size_t>(std::ranges::lower_bound(ids_, id) - ids_.begin())];
}

nlohmann::ordered_json member_names::json_of(std::uint32_t id) const {
  if (named_) return of(id);
  return id;
}

}  // namespace hogwild::cli
