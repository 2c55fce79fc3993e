// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/checkpoint_origin.hpp>

#include <algorithm>
#include <span>

#include <hogwild/detail/platform/printable.hpp>

namespace hogwild::detail {

namespace {

void put_text(checkpoint& file, std::string name, std::string_view text) {
  file.put_span(std::move(name), std::span(text.data(), text.size()));
}

std::string text_in(const checkpoint& file, std::string_view name) {
  const auto characters = file.get_vector<char>(name);
  return {characters.begin(), characters.end()};
}

/// Each value that is any_value in one list becomes that in the other.
void match_any(std::vector<named_value>& one, std::vector<named_value>& other) {
  for (named_value& value : one) {
    const auto of_other = std::ranges::find(other, value.name, &named_value::name);
    if (of_other == other.end()) continue;
    if (value.value == any_value) of_other->value = any_value;
    if (of_other->value == any_value) value.value = any_value;
  }
}

}  // namespace

void put_origin(checkpoint& file, const checkpoint_origin& origin) {
  put_text(file, "model", origin.model);
  put_text(file, "same", joined(origin.same));
}

void require_origin(const std::string& path, const checkpoint& file, checkpoint_origin origin) {
  const std::string model = text_in(file, "model");
  if (model != origin.model)
    throw config_error(path + " is a checkpoint of " + printable(model) + ", not of " + std::string(origin.model) +
                       ": resume with the model that wrote it");
  auto wrote = taken_apart(text_in(file, "same"));
  match_any(wrote, origin.same);
  if (const auto found = first_difference(origin.same, wrote))
    throw config_error(path + " cannot be resumed: " + found->name + " was " + printable(found->other) +
                       " when it was written, and is " + found->mine +
                       " now; resume with the data and the options that wrote it");
}

}  // namespace hogwild::detail
