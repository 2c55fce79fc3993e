// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <variant>

#include <hogwild/train.hpp>

namespace hogwild::cli {
namespace {

using named_engine = std::variant<serial_engine, thread_engine>;

named_engine engine_of(const train_request& request) {
  if (request.engine == engine_name::serial) return serial_engine{};
  return thread_engine{.workers = request.workers, .team = request.team, .pin = request.pin};
}

}  // namespace

train_result run_training_with_engine(const named_model& m, const sparse_dataset& data, const train_request& request,
                                      const train_options& options) {
  return std::visit([&](const auto& concrete, const auto& engine) { return train(concrete, data, engine, options); }, m,
                    engine_of(request));
}

}  // namespace hogwild::cli
