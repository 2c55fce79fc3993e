// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <hogwild/error.hpp>

#include "device_rows.hpp"
#include "kernel_family.hpp"

namespace hogwild::device {

std::uint64_t kernel_family::bytes(const training_task& task, const loop_options&) const {
  return device_rows::bytes(task.data());
}

stream_needs kernel_family::needs_of_stream(const training_task& task, const loop_options&) const {
  return device_rows::needs_of_stream(task.data());
}

const kernel_family& kernels_of(const training_task& task) {
  for (const kernel_family* const family : {&margin_kernels(), &softmax_kernels(), &fm_kernels(), &rating_kernels(),
                                            &window_kernels(), &named_kernel_family()})
    if (family->trains(task)) return *family;
  throw config_error(
      "a device trains margin models, softmax, factorization_machine, matrix_factorization, skip_gram, and models "
      "named to it (hogwild::device_kernels), and " +
      std::string(task.facts().model) + " is none of them: use threads or processes");
}

std::size_t halves_of(const training_task& task, const loop_options& options) {
  return options.storage == storage_kind::half ? kernels_of(task).halves(task) : 0;
}

}  // namespace hogwild::device
