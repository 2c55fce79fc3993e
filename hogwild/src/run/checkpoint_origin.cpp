// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/checkpoint_origin.hpp>

#include <span>
#include <string>
#include <utility>

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
  const auto found = first_difference(origin.same, taken_apart(text_in(file, "same")));
  if (!found) return;
  throw config_error(path + " cannot be resumed: " + printable(found->name) + ": " + printable(found->other) +
                     " when it was written, " + printable(found->mine) +
                     " now; resume with the data and the options that wrote it");
}

}  // namespace hogwild::detail
