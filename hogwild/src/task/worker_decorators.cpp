// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/worker_decorators.hpp>

#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

namespace hogwild {

namespace {

/// Made by the first registration: variables of other sources may be initialised before this source's.
std::vector<std::pair<std::string_view, worker_decorator>>& known_decorators() {
  static std::vector<std::pair<std::string_view, worker_decorator>> known;
  return known;
}

}  // namespace

worker_decoration::worker_decoration(std::string_view name, worker_decorator decorate) {
  known_decorators().emplace_back(name, decorate);
}

worker_decorator worker_decorator_of(std::string_view name) {
  for (const auto& [known, decorate] : known_decorators())
    if (known == name) return decorate;
  throw segment_error(
      "the workers of this run are those of the engine " + quote(std::string(name)) +
      ", which this program does not have: include the engine's header in the program that workers run");
}

}  // namespace hogwild
