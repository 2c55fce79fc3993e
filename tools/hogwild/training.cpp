// SPDX-License-Identifier: Apache-2.0
#include "training.hpp"

#include <string>
#include <variant>

#include <hogwild/process_engine.hpp>
#include <hogwild/sync_engine.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>
#include <hogwildpp/worker_main.hpp>

namespace hogwild::cli {
namespace {

template <class Engine>
std::unique_ptr<any_engine> as_any(const Engine& engine) {
  return std::make_unique<engine_of<Engine>>(engine);
}

std::unique_ptr<any_engine> make_engine(const train_request& request, launched_ranks* ranks) {
  switch (request.engine) {
    case engine_name::serial:
      return as_any(serial_engine{});
    case engine_name::processes:
      return as_any(process_engine{.workers = request.workers, .pin = request.pin});
    case engine_name::ring:
      return as_any(ring_engine{.workers = request.workers,
                                .replicas = request.replicas,
                                .rule = request.exchange,
                                .transport = request.transport,
                                .team = request.team,
                                .pin = request.pin,
                                .ranks = ranks != nullptr ? &ranks->all() : nullptr,
                                .link = ranks != nullptr ? &ranks->link() : nullptr,
                                .messages = {.values = request.messages, .patience = request.rank_timeout}});
    case engine_name::all_reduce:
    case engine_name::local_sgd:
      return as_any(
          sync_engine{.workers = request.workers,
                      .rule = request.engine == engine_name::all_reduce ? sync_rule::gradients : sync_rule::average,
                      .rows = request.sync_rows,
                      .scale_step = request.scale_step,
                      .pin = request.pin,
                      .transport = request.transport == ring_transport::shared_segment ? sync_transport::shared_segment
                                                                                       : sync_transport::in_process,
                      .patience_seconds = static_cast<double>(request.rank_timeout.count()),
                      .ranks = ranks != nullptr ? &ranks->all() : nullptr});
    case engine_name::threads:
      break;
  }
  return as_any(thread_engine{.workers = request.workers, .team = request.team, .pin = request.pin});
}

}  // namespace

train_result train_with_engine(const named_model& m, const sparse_view& rows, const train_request& request,
                               const train_options& options, launched_ranks* ranks) {
  const auto engine = make_engine(request, ranks);
  const prepared_task task = std::visit(
      [&](const auto& concrete) { return prepare(concrete, rows, options, engine->ranks()); }, m);
  return run_training(task, *engine);
}

std::optional<int> spawned_worker_main(int argc, const char* const* argv) {
  return ring_worker_main<logistic, hinge_svm, least_squares, huber, softmax, matrix_factorization, mlp, convnet,
                          graph_cut, skip_gram, cbow, factorization_machine, ffm>(argc, argv);
}

int join_job(const std::string& segment_name) {
  return work_for_segment({.segment = segment_name}, [](std::string_view name) {
    return on_a_ring(factory_of<logistic, hinge_svm, least_squares, huber, softmax, matrix_factorization, mlp, convnet,
                                graph_cut, skip_gram, cbow, factorization_machine, ffm>(name));
  });
}

}  // namespace hogwild::cli
