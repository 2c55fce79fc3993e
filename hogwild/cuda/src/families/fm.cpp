// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/factorization_machine.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>

#include "general_rows.hpp"
#include "kernel_family.hpp"
#include "kernels/fm_rows.hpp"

namespace hogwild::device {
namespace {

factorization_machine fm_of(const training_task& task) {
  factorization_machine model;
  std::memcpy(&model, task.facts().model_bytes.data(), sizeof model);
  return model;
}

class fm_family final : public kernel_family {
 public:
  bool trains(const training_task& task) const override {
    return task.facts().model == factorization_machine::name &&
           task.facts().model_bytes.size() == sizeof(factorization_machine);
  }

  void require_options(const loop_options& options) const override { require_sgd_or_adagrad(options); }

  void require_model(const training_task& task, int) const override {
    if (const factorization_machine model = fm_of(task); model.width() > most_fm_width)
      throw config_error("a device trains factorization_machine of up to " + std::to_string(most_fm_width) +
                         " factors, and there are " + std::to_string(model.factors) + ": use threads or processes");
  }

  /// Its bias is a column of ones, which adds at most 1 to the curvature. Pairs curve the loss as well, the more the
  /// larger factors have become: by simulation on a9a, kddcup99 and imdb a quarter of the bound ends with the same loss
  /// as one by one, and half of it with up to 3 % more.
  double rows_in_flight(run_planner& run) const override {
    return stable_rows_in_flight(run, 0.25, run.curvature() + 1.0);
  }

  std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                      const loop_options& options, std::uint64_t block_bytes) const override {
    const factorization_machine whole = fm_of(task);
    const fm_shape model{.features = whole.features,
                         .width = static_cast<std::uint32_t>(whole.width()),
                         .labels = whole.labels,
                         .mean = whole.mean,
                         .scale = whole.scale};
    general_forms forms{.on_host = [model](const general_work& work, std::size_t part, std::size_t parts) {
      train_fm_rows(work, model, part, parts);
    }};
    forms.losses_on_host = [model](const loss_work<general_work>& work, std::size_t part, std::size_t parts) {
      add_fm_losses(work, model, part, parts);
    };
#if defined(HOGWILD_HAS_CUDA)
    forms.on_device = [model](const general_work& work, void* stream) { return launch_fm_rows(work, model, stream); };
    forms.losses_on_device = [model](const loss_work<general_work>& work, void* stream) {
      return launch_fm_losses(work, model, stream);
    };
#endif
    return bring_general_rows(device, task, arrays, options, std::move(forms), block_bytes);
  }
};

}  // namespace

const kernel_family& fm_kernels() {
  static constexpr fm_family family{};
  return family;
}

}  // namespace hogwild::device
