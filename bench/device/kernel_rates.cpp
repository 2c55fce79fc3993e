// SPDX-License-Identifier: Apache-2.0
#include "kernel_rates.hpp"

#include <algorithm>
#include <chrono>

#include <hogwild/train.hpp>

#include "kernel_family.hpp"

namespace hogwild::bench {

double kernel_rows_per_second(device::runtime& device, const workload& work, std::span<const float> parameters,
                              const label_map& labels, update_kind update, std::uint32_t rows_in_flight, double least) {
  using clock = std::chrono::steady_clock;
  const sparse_view rows = work.view();
  loop_options options{.update = update, .rows_in_flight = rows_in_flight};
  if (std::holds_alternative<matrix_factorization>(work.model)) {
    options.l2 = matrix_factorization::defaults.l2;
    options.form = l2_form::per_occurrence;
  }
  const auto task = std::visit([&](const auto& m) { return make_task(m, rows, labels, options); }, work.model);
  device::device_arrays arrays(device, parameters.size(), 0);
  device.upload(arrays.values[0].data(), parameters.data(), parameters.size_bytes());
  device.zero(arrays.updates.data(), sizeof(std::uint64_t));
  const auto model = device::kernels_of(*task).bring(device, *task, arrays, options);
  model->begin({.step = 1e-4}, 0.0);
  device.wait(device.mark());

  // As many rows as take so long, or all.
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
