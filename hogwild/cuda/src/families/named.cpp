// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/cuda/engine.hpp>
#include <hogwild/detail/cuda/named_kernels.hpp>
#include <hogwild/detail/loop/step.hpp>
#include <hogwild/detail/task/tried_access.hpp>
#include <hogwild/error.hpp>

#include "general_rows.hpp"
#include "kernel_family.hpp"

namespace hogwild::device {
namespace {

struct named_model {
  std::string name;
  named_kernels kernels;
};

/// Made at the first use: objects of other sources are initialised in no fixed order.
std::vector<named_model>& named_models() {
  static std::vector<named_model> all;
  return all;
}

bool has_device_form(const named_kernels& kernels) {
  return kernels.launch != nullptr || kernels.launch_margin != nullptr;
}

}  // namespace

void name_kernels(const named_kernels& kernels) {
  std::vector<named_model>& all = named_models();
  const auto found = std::ranges::find(all, kernels.model, &named_model::name);
  if (found == all.end())
    all.push_back({std::string(kernels.model), kernels});
  else if (has_device_form(kernels) || !has_device_form(found->kernels))
    found->kernels = kernels;
}

const named_kernels* find_named_kernels(std::string_view model, std::size_t bytes) {
  for (const named_model& known : named_models())
    if (known.name == model && known.kernels.bytes == bytes) return &known.kernels;
  return nullptr;
}

namespace {

const named_kernels* named_model_of(const training_task& task) {
  const named_kernels* const kernels = find_named_kernels(task.facts().model, task.facts().model_bytes.size());
  return kernels != nullptr && kernels->train != nullptr ? kernels : nullptr;
}

class named_family final : public kernel_family {
 public:
  bool trains(const training_task& task) const override {
    return task.margin() == nullptr && named_model_of(task) != nullptr;
  }

  void require_options(const loop_options& options) const override { require_sgd_or_adagrad(options); }

  void require_model(const training_task& task, int device) const override {
    const named_kernels& kernels = *named_model_of(task);
    const std::string model(task.facts().model);
    require_few_groups(task);
    if (device != emulated_device && kernels.launch == nullptr)
      throw config_error(
          "the kernels of " + model +
          " are named in a source that nvcc has not compiled: name them in a .cu file (hogwild::device_kernels), or "
          "take --device emulated");
    row_cursor cursor(task.data());
    for (const std::size_t r : rows_to_try(task.data())) {
      task.data().ensure(r, r + 1);
      if (kernels.lanes_agree(task.facts().model_bytes.data(), labelled_row(cursor, r, task.labels()))) continue;
      throw config_error("the lanes of a device do not train row " + std::to_string(r) + " as " + model +
                         " does by itself: a loop over a row gives each lane entries of its own, so add up by "
                         "hogwild::dot or hogwild::sum, outside of such loops, and leave none early");
    }
  }

  /// Its score and loss are unknown: half of the limit for margin models.
  double rows_in_flight(run_planner& run) const override { return stable_rows_in_flight(run, 0.5); }

  std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                      const loop_options& options, std::uint64_t block_bytes) const override {
    const named_kernels kernels = *named_model_of(task);
    general_forms forms;
    const std::vector<std::byte>& object = task.facts().model_bytes;
    forms.on_host = [train = kernels.train, object](const general_work& work, std::size_t part, std::size_t parts) {
      train(work, object.data(), part, parts);
    };
    if (kernels.launch != nullptr)
      forms.on_device = [launch = kernels.launch, object](const general_work& work, void* stream) {
        return launch(work, object.data(), stream);
      };
    return bring_general_rows(device, task, arrays, options, std::move(forms), block_bytes);
  }
};

}  // namespace

const kernel_family& named_kernel_family() {
  static constexpr named_family family{};
  return family;
}

}  // namespace hogwild::device
