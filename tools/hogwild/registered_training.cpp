// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/command/registered_training.hpp>

#include <deque>
#include <utility>

#include <hogwild/registry.hpp>

namespace hogwild::cli {
namespace {

std::deque<registered_training>& all_trainings() {
  static std::deque<registered_training> all;
  return all;
}

}  // namespace

void register_training(registered_training training) {
  register_descriptor(*training.descriptor);
  all_trainings().push_back(std::move(training));
}

const registered_training* find_training(std::string_view model) {
  for (const registered_training& each : all_trainings())
    if (each.descriptor->name() == model) return &each;
  return nullptr;
}

}  // namespace hogwild::cli
