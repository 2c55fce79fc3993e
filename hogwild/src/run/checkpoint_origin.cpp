// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/checkpoint_origin.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild::detail {

namespace {

void put_text(checkpoint& file, std::string name, std::string_view text) {
  file.put_span(std::move(name), std::span(text.data(), text.size()));
}

std::string text_in(const checkpoint& file, std::string_view name) {
  const auto characters = file.get_vector<char>(name);
  return {characters.begin(), characters.end()};
}

/// The value of the entry of this name; nothing if the list has none.
std::optional<std::string> value_in(const std::vector<named_value>& all, const std::string& name) {
  const auto found = std::ranges::find(all, name, &named_value::name);
  return found == all.end() ? std::nullopt : std::optional(found->value);
}

[[noreturn]] void throw_other(const std::string& path, const std::string& name, const std::optional<std::string>& wrote,
                              const std::optional<std::string>& goes_on) {
  const auto told = [](const std::optional<std::string>& value) {
    return !value || value->empty() ? "not given" : printable(*value);
  };
  throw config_error(path + " cannot be resumed: " + printable(name) + ": " + told(wrote) + " when it was written, " +
                     told(goes_on) + " now; resume with the data and the options that wrote it");
}

}  // namespace

void put_origin(checkpoint& file, const checkpoint_origin& origin) {
  put_text(file, "model", origin.model);
  put_text(file, "same", joined(origin.same));
}

void require_origin(const std::string& path, const checkpoint& file, const checkpoint_origin& origin) {
  const std::string model = text_in(file, "model");
  if (model != origin.model)
    throw config_error(path + " is a checkpoint of " + printable(model) + ", not of " + std::string(origin.model) +
                       ": resume with the model that wrote it");
  const std::vector<named_value> wrote = taken_apart(text_in(file, "same"));
  for (const named_value& mine : origin.same) {
    const std::optional<std::string> other = value_in(wrote, mine.name);
    if (mine.value == any_value || other == any_value) continue;
    if (other.value_or("") != mine.value) throw_other(path, mine.name, other, mine.value);
  }
  for (const named_value& other : wrote)
    if (!value_in(origin.same, other.name)) throw_other(path, other.name, other.value, std::nullopt);
}

}  // namespace hogwild::detail
