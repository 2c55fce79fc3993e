// SPDX-License-Identifier: Apache-2.0
#include "general_rows.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>

#include "device_rows.hpp"

namespace hogwild::device {
namespace {

class general_on_device final : public device_model {
 public:
  general_on_device(runtime& device, const training_task& task, const device_arrays& arrays, const loop_options& o,
                    general_forms forms, std::uint64_t block_bytes)
      : task_(task), rows_(device, task.data(), task.labels(), block_bytes), forms_(std::move(forms)) {
    arrays.name_in(work_);
    if (o.optimizer == optimizer_kind::adagrad) work_.sums = arrays.values[1].data();
    if (o.form == l2_form::per_occurrence)
      work_.l2_each = static_cast<float>(o.l2);
    else
      work_.l2_rows = o.l2 * static_cast<double>(task.all_rows());
    work_.update = o.update;
    work_.rows_in_flight = std::max(o.rows_in_flight, 1u);
    name_groups(o);
  }

  void begin(const round_plan& round, double position) override {
    const double rows = std::max(static_cast<double>(task_.data().rows()), 1.0);
    const double step = round.step_at(position / rows);
    for (std::uint32_t k = 0; k < work_.group_count; ++k)
      work_.groups[k].step = static_cast<float>(step * step_factor_[k]);
  }

  std::size_t room_for(std::size_t first, std::size_t count) const override { return rows_.room_for(first, count); }

  kernel_launch train(std::size_t first, std::size_t count) override {
    rows_.name_in(work_, first, count);
    work_.first = first;
    work_.count = count;
    kernel_launch launch{.warps = work_.rows_in_flight,
                         .on_host = [work = work_, run = forms_.on_host](std::size_t part, std::size_t parts) {
                           run(work, part, parts);
                         }};
    if (forms_.on_device)
      launch.on_device = [work = work_, run = forms_.on_device](void* stream) { return run(work, stream); };
    return launch;
  }

  bool measures() const override { return rows_.stay() && forms_.losses_on_host; }

  kernel_launch measure(const rows_to_measure& rows) override {
    const loss_work<general_work> work = work_to_measure(work_, rows_, rows);
    kernel_launch launch{.warps = work.rows_in_flight,
                         .on_host = [work, run = forms_.losses_on_host](std::size_t part, std::size_t parts) {
                           run(work, part, parts);
                         }};
    if (forms_.losses_on_device)
      launch.on_device = [work, run = forms_.losses_on_device](void* stream) { return run(work, stream); };
    return launch;
  }

  std::uint64_t nonzeros(std::size_t first, std::size_t count) const override {
    return task_.data().row_start[first + count] - task_.data().row_start[first];
  }

 private:
  void name_groups(const loop_options& o) {
    const std::vector<parameter_group>& groups = task_.facts().groups;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < groups.size(); ++i)
      if (groups[i].rows * groups[i].width != 0) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return groups[i].offset; });
    for (const std::size_t i : order) {
      const parameter_group& g = groups[i];
      const bool bias = g.name == "bias" && !g.l2;
      step_factor_.push_back(g.step_factor * (bias ? static_cast<double>(bias_step_factor(o)) : 1.0));
      work_.groups[work_.group_count++] = {.begin = g.offset,
                                           .end = g.offset + g.rows * g.width,
                                           .unit = bias ? 1.0f : adagrad_unit(o),
                                           .frozen = o.freezes(i),
                                           .l2 = g.l2 && g.hot_first && o.l2 > 0.0,
                                           .first_column = static_cast<std::uint32_t>(g.first_column),
                                           .width = static_cast<std::uint32_t>(g.width)};
    }
  }

  const training_task& task_;
  device_rows rows_;
  general_forms forms_;
  general_work work_;
  std::vector<double> step_factor_;
};

}  // namespace

void require_sgd_or_adagrad(const loop_options& options) {
  if (options.optimizer != optimizer_kind::sgd && options.optimizer != optimizer_kind::adagrad)
    throw config_error("a device trains by sgd or adagrad: choose one of them, or threads or processes");
}

void require_few_groups(const training_task& task) {
  const auto groups = std::ranges::count_if(task.facts().groups, [](const auto& g) { return g.rows * g.width != 0; });
  if (static_cast<std::size_t>(groups) > most_work_groups)
    throw config_error("a device trains models of up to " + std::to_string(most_work_groups) +
                       " groups of parameters, and " + std::string(task.facts().model) + " has " +
                       std::to_string(groups) + ": use threads or processes");
}

double stable_rows_in_flight(run_planner& run, double fraction) {
  return stable_rows_in_flight(run, fraction, run.curvature());
}

double stable_rows_in_flight(run_planner& run, double fraction, double curvature) {
  double factor = 0.0;
  for (const parameter_group& g : run.task().facts().groups) factor = std::max(factor, g.step_factor);
  const double bound = fraction * 2.0 / std::max(run.step() * factor * curvature, 1e-9);
  return run.loop().optimizer == optimizer_kind::sgd ? bound : 4.0 * bound;
}

std::unique_ptr<device_model> bring_general_rows(runtime& device, const training_task& task,
                                                 const device_arrays& arrays, const loop_options& options,
                                                 general_forms forms, std::uint64_t block_bytes) {
  return std::make_unique<general_on_device>(device, task, arrays, options, std::move(forms), block_bytes);
}

}  // namespace hogwild::device
