// SPDX-License-Identifier: Apache-2.0
#include "telemetry_cost.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <variant>

#include <hogwild/detail/run/rounds.hpp>
#include <hogwild/train.hpp>

#include "any_model.hpp"
#include "leave_when_asked.hpp"
#include "statistics.hpp"

namespace hogwild::bench {
namespace {

/// A run that is driven epoch by epoch, so that several can take turns.
class stepwise_run {
 public:
  stepwise_run(const training_task& work, std::size_t workers)
      : plan_(work.plan()),
        engine_run_(start(thread_engine{.workers = workers}, work, plan_, {})),
        rounds_(work, plan_, *engine_run_) {
    work.initialise(engine_run_->store());
    engine_run_->get_ready();
  }
  double seconds_of(std::size_t epoch, double step) {
    const auto begin = std::chrono::steady_clock::now();
    rounds_.train_epoch(epoch, step);
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }

 private:
  loop_plan plan_;
  std::unique_ptr<engine_run> engine_run_;
  round_driver rounds_;
};

template <model M>
std::unique_ptr<training_task> task_with(const M& m, const sparse_view& rows, train_options options, bool telemetry) {
  options.telemetry = telemetry;
  const prepared_data ready(rows, options, traits_of(m));
  return make_task(m, rows, ready.labels(), ready.loop());
}

}  // namespace

telemetry_cost measure_telemetry(const model_settings& settled, const bench_options& options, const workload& data,
                                 std::size_t workers) {
  telemetry_cost cost{.model = settled.model, .workers = workers};
  const sparse_view rows = data.train().view();
  train_options o = common_options(options, data);
  o.l2 = settled.l2;
  const step_schedule schedule{schedule_kind::geometric, settled.step, settled.decay};
  const auto task_of = [&](bool telemetry) {
    return std::visit([&](const auto& m) { return task_with(m, rows, o, telemetry); }, any_model(settled.model, rows));
  };
  const auto with = task_of(true), without = task_of(false);
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    stepwise_run a(*with, workers), b(*without, workers), c(*without, workers);
    const std::array runs{&a, &b, &c};
    for (std::size_t epoch = 1; epoch <= options.epochs; ++epoch) {
      leave_when_asked(options.stop);
      std::array<double, 3> seconds{};
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t turn = (i + epoch + repeat) % 3;
        seconds[turn] = runs[turn]->seconds_of(epoch, schedule.at(epoch));
      }
      if (epoch == 1) continue;
      cost.with.push_back(seconds[0]);
      cost.without.push_back(seconds[1]);
      cost.again.push_back(seconds[2]);
    }
  }
  std::vector<double> ratio, noise;
  for (std::size_t i = 0; i < cost.with.size(); ++i) {
    ratio.push_back(cost.with[i] / cost.without[i]);
    noise.push_back(cost.again[i] / cost.without[i]);
  }
  cost.median_ratio = median(ratio);
  cost.noise_ratio = median(noise);
  return cost;
}

}  // namespace hogwild::bench
