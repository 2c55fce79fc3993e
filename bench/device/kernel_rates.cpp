// SPDX-License-Identifier: Apache-2.0
#include "kernel_rates.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

#include <hogwild/train.hpp>

#include "kernel_family.hpp"

namespace hogwild::bench {

double kernel_rows_per_second(device::runtime& device, const workload& work, std::span<const float> parameters,
                              const label_map& labels, const training_way& way, std::uint32_t rows_in_flight,
                              double least) {
  using clock = std::chrono::steady_clock;
  const sparse_view rows = work.view();
  loop_options options{.update = way.update, .rows_in_flight = rows_in_flight, .storage = way.storage};
  if (std::holds_alternative<matrix_factorization>(work.model)) {
    options.l2 = matrix_factorization::defaults.l2;
    options.form = l2_form::per_occurrence;
  }
  if (std::holds_alternative<factorization_machine>(work.model))
    options.optimizer = factorization_machine::defaults.optimizer;
  const std::vector<float> ones(parameters.size(), 1.0f);  // adagrad's sums of squares
  const auto task = std::visit([&](const auto& m) { return make_task(m, rows, labels, options); }, work.model);
  const bool sums = options.optimizer == optimizer_kind::adagrad;
  device::device_arrays arrays(device, parameters.size(), sums ? 1 : 0, device::halves_of(*task, options));
  if (sums) device.upload(arrays.values[1].data(), ones.data(), parameters.size_bytes());
  device.upload(arrays.values[0].data(), parameters.data(), parameters.size_bytes());
  if (arrays.halves) arrays.halves->begin(0, parameters.size());
  device.zero(arrays.updates.data(), sizeof(std::uint64_t));
  const auto model = device::kernels_of(*task).bring(device, *task, arrays, options);
  model->begin({.step = 1e-4}, 0.0);
  device.wait(device.mark());

  // As many rows as take `least` seconds, or all.
  std::size_t count = std::min<std::size_t>(rows.rows(), std::size_t{16} * rows_in_flight);
  for (;;) {
    const auto begin = clock::now();
    device.run(model->train(0, count));
    device.wait(device.mark());
    if (count == rows.rows() || std::chrono::duration<double>(clock::now() - begin).count() >= least) break;
    count = std::min(rows.rows(), 2 * count);
  }
  return static_cast<double>(count) / seconds_of(device, model->train(0, count), least);
}

}  // namespace hogwild::bench
