// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/softmax.hpp>

#include <cstring>
#include <string>
#include <utility>

#include <hogwild/error.hpp>

#include "general_rows.hpp"
#include "kernel_family.hpp"
#include "kernels/softmax_rows.hpp"

namespace hogwild::device {
namespace {

softmax softmax_of(const training_task& task) {
  softmax model;
  std::memcpy(&model, task.facts().model_bytes.data(), sizeof model);
  return model;
}

class softmax_family final : public kernel_family {
 public:
  bool trains(const training_task& task) const override {
    return task.facts().model == softmax::name && task.facts().model_bytes.size() == sizeof(softmax);
  }

  void require_options(const loop_options& options) const override { require_sgd_or_adagrad(options); }

  void require_model(const training_task& task, int) const override {
    if (softmax_of(task).one_vs_rest)
      throw config_error("a device does not train softmax with one_vs_rest: use threads or processes");
    if (task.data().label.lists())
      throw config_error("a device trains rows of one label, and these have lists: use threads or processes");
    if (const std::size_t classes = softmax_of(task).classes; classes > most_softmax_classes)
      throw config_error("a device trains softmax of up to " + std::to_string(most_softmax_classes) +
                         " classes, and there are " + std::to_string(classes) + ": use threads or processes");
  }

  /// The second derivative of its loss with respect to scores is at most 1/2, below the 1 that the curvature assumes.
  double rows_in_flight(run_planner& run) const override { return stable_rows_in_flight(run, 1.0); }

  std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                      const loop_options& options, std::uint64_t block_bytes) const override {
    const softmax whole = softmax_of(task);
    const softmax_shape model{
        .features = whole.features, .classes = static_cast<std::uint32_t>(whole.classes), .bias = whole.bias};
    general_forms forms{.on_host = [model](const general_work& work, std::size_t part, std::size_t parts) {
      train_softmax_rows(work, model, part, parts);
    }};
    forms.losses_on_host = [model](const loss_work<general_work>& work, std::size_t part, std::size_t parts) {
      add_softmax_losses(work, model, part, parts);
    };
#if defined(HOGWILD_HAS_CUDA)
    forms.on_device = [model](const general_work& work, void* stream) {
      return launch_softmax_rows(work, model, stream);
    };
    forms.losses_on_device = [model](const loss_work<general_work>& work, void* stream) {
      return launch_softmax_losses(work, model, stream);
    };
#endif
    return bring_general_rows(device, task, arrays, options, std::move(forms), block_bytes);
  }
};

}  // namespace

const kernel_family& softmax_kernels() {
  static constexpr softmax_family family{};
  return family;
}

}  // namespace hogwild::device
