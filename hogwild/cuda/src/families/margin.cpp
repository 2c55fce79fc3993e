// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/cuda/named_kernels.hpp>
#include <hogwild/detail/loop/bias_step.hpp>
#include <hogwild/detail/loop/margin_loss.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include "device_rows.hpp"
#include "general_rows.hpp"
#include "kernel_family.hpp"
#include "kernels/loss_rows.hpp"
#include "kernels/margin_models.hpp"

namespace hogwild::device {
namespace {

#if defined(HOGWILD_HAS_CUDA)
/// The device form of a program's model; null for the project's models, and if the program has provided none.
auto own_launch_of(const task_facts& facts) {
  const named_kernels* const kernels = known_margin_model::find(facts.model, facts.model_bytes)
                                           ? nullptr
                                           : find_named_kernels(facts.model, facts.model_bytes.size());
  return kernels == nullptr ? nullptr : kernels->launch_margin;
}
#endif

class margin_on_device final : public device_model {
 public:
  margin_on_device(runtime& device, const training_task& task, const device_arrays& arrays, const loop_options& o,
                   std::uint64_t block_bytes)
      : device_(device), task_(task), rows_(device, task.data(), task.labels(), block_bytes) {
    arrays.name_in(work_);
    if (o.optimizer == optimizer_kind::adagrad) {
      work_.sums = arrays.values[1].data();
      work_.l2_rows = o.l2 * static_cast<double>(task.all_rows());
    }
    work_.bias = o.bias != 0;
    work_.bias_rate = bias_step_factor(o);
    work_.unit = adagrad_unit(o);
    work_.update = o.update;
    work_.rows_in_flight = std::max(o.rows_in_flight, 1u);
  }

  void begin(const round_plan& round, double position) override {
    work_.step = static_cast<float>(round.step);
    work_.shrink = round.l2.between_rows();
    work_.scale = round.l2.at(position);
  }

  std::size_t room_for(std::size_t first, std::size_t count) const override { return rows_.room_for(first, count); }

  kernel_launch train(std::size_t first, std::size_t count) override {
    rows_.name_in(work_, first, count);
    work_.first = first;
    work_.count = count;
    kernel_launch launch{.warps = work_.rows_in_flight,
                         .on_host = [work = work_, loss = *task_.margin()](std::size_t part, std::size_t parts) {
                           train_margin_rows(work, loss, part, parts);
                         }};
#if defined(HOGWILD_HAS_CUDA)
    launch.on_device = [work = work_, &facts = task_.facts(), own = own_launch_of(task_.facts())](void* stream) {
      return own != nullptr ? own(work, facts.model_bytes.data(), stream)
                            : launch_margin_rows(work, facts.model, facts.model_bytes, stream);
    };
#endif
    work_.scale *= std::pow(work_.shrink, static_cast<double>(count));
    return launch;
  }

  bool measures() const override {
    return rows_.stay() &&
           (device_.facts().emulated || known_margin_model::find(task_.facts().model, task_.facts().model_bytes));
  }

  kernel_launch measure(const rows_to_measure& rows) override {
    loss_work<margin_work> work = work_to_measure(work_, rows_, rows);
    work.scale = rows.scale;
    kernel_launch launch{.warps = work.rows_in_flight,
                         .on_host = [work, loss = *task_.margin()](std::size_t part, std::size_t parts) {
                           add_margin_losses(work, loss, part, parts);
                         }};
#if defined(HOGWILD_HAS_CUDA)
    launch.on_device = [work, &facts = task_.facts()](void* stream) {
      return launch_margin_losses(work, facts.model, facts.model_bytes, stream);
    };
#endif
    return launch;
  }

  std::uint64_t nonzeros(std::size_t first, std::size_t count) const override {
    return task_.data().row_start[first + count] - task_.data().row_start[first];
  }

 private:
  runtime& device_;
  const training_task& task_;
  device_rows rows_;
  margin_work work_;
};

class margin_family final : public kernel_family {
 public:
  bool trains(const training_task& task) const override { return task.margin() != nullptr; }

  void require_options(const loop_options& options) const override { require_sgd_or_adagrad(options); }

#if defined(HOGWILD_HAS_CUDA)
  void require_model(const training_task& task, int device) const override {
    const task_facts& facts = task.facts();
    if (device == emulated_device || known_margin_model::find(facts.model, facts.model_bytes) ||
        own_launch_of(facts) != nullptr)
      return;
    throw config_error(
        std::string(facts.model) +
        " has no kernels for a device: name it in a .cu file, `static const hogwild::device_kernels<...> "
        "kernels;` (<hogwild/cuda/device_kernels.hpp>), or take --device emulated");
  }
#endif

  double rows_in_flight(run_planner& run) const override {
    return stable_rows_in_flight(run, 1.0);
  }

  std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                      const loop_options& options, std::uint64_t block_bytes) const override {
    return std::make_unique<margin_on_device>(device, task, arrays, options, block_bytes);
  }
};

}  // namespace

const kernel_family& margin_kernels() {
  static constexpr margin_family family{};
  return family;
}

}  // namespace hogwild::device
