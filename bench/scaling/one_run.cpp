// SPDX-License-Identifier: Apache-2.0
#include "one_run.hpp"

#include <cmath>
#include <variant>

#include <hogwild/detail/run/stop_rules.hpp>
#include <hogwild/engines.hpp>
#include <hogwild/observer.hpp>
#include <hogwild/registry.hpp>
#include <hogwild/train.hpp>
#include <hogwildpp/ring_engine.hpp>

#include "any_model.hpp"
#include "leave_when_asked.hpp"

namespace hogwild::bench {
namespace {

class epoch_clock final : public observer {
 public:
  epoch_clock(run_outcome& outcome, const std::optional<target_option>& target) : outcome_(outcome), target_(target) {}

  void on_epoch(const epoch_report& e) override {
    outcome_.epoch_seconds.push_back(e.train_seconds - before_);
    before_ = e.train_seconds;
    if (target_ && !outcome_.seconds_to_target && stop_rules::reached(*target_, e)) {
      outcome_.seconds_to_target = e.train_seconds;
    }
  }

 private:
  run_outcome& outcome_;
  const std::optional<target_option>& target_;
  double before_ = 0.0;
};

template <model M>
train_result train_with(const M& m, const point& what, const sparse_view& rows, const train_options& options) {
  switch (what.engine) {
    case engine_kind::threads:
      return train(m, rows, thread_engine{.workers = what.workers}, options);
    case engine_kind::processes:
      return train(m, rows, process_engine{.workers = what.workers}, options);
    case engine_kind::ring:
      return train(m, rows, ring_engine{.workers = what.workers, .replicas = what.workers, .rule = what.exchange},
                   options);
    case engine_kind::serial:
      break;
  }
  return train(m, rows, serial_engine{}, options);
}

}  // namespace

train_options common_options(const bench_options& options, const workload& data) {
  train_options o;
  o.epochs = options.epochs;
  o.step.initial = options.step;
  o.step.decay = options.decay;
  o.l2 = options.l2;
  o.isa = options.isa;
  if (options.virtual_workers > 0) o.virtual_workers = options.virtual_workers;
  o.seed = options.seed;
  o.stop = options.stop;
  o.test = data.test();
  o.data_name = data.name();
  return o;
}

run_outcome run_once(const point& what, const sparse_view& rows, const train_options& options,
                     const std::optional<target_option>& target, observer* watch) {
  run_outcome outcome;
  epoch_clock clock(outcome, target);
  train_options o = options;
  o.update = what.update;
  o.sharing = what.sharing;
  o.reproducible = what.reproducible;
  if (what.engine == engine_kind::ring && what.exchange != ring_rule::deltas) {
    // Replicas that keep their mean gain only are given as many epochs as it takes, under the same schedule of steps.
    o.epochs *= what.workers;
    if (o.step.decay) o.step.decay = std::pow(*o.step.decay, 1.0 / static_cast<double>(what.workers));
  }
  o.observers.push_back(&clock);
  if (watch != nullptr) o.observers.push_back(watch);
  outcome.result = std::visit([&](const auto& m) { return train_with(m, what, rows, o); }, any_model(what.model, rows));
  if (outcome.result.status == run_status::stopped) leave_when_asked(options.stop);
  return outcome;
}

}  // namespace hogwild::bench
