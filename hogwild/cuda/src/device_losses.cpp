// SPDX-License-Identifier: Apache-2.0
#include "device_losses.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "kernels/loss_rows.hpp"
#include "launch_size.hpp"

namespace hogwild::device {

std::optional<double> mean_loss(runtime& device, device_model& model, std::size_t rows, double scale,
                                const std::stop_token& stop) {
  using clock = std::chrono::steady_clock;
  constexpr std::size_t most_sums = std::size_t{1} << 18;  // of one launch: 2 MiB
  if (!model.measures()) return std::nullopt;
  std::vector<double> here(std::min<std::size_t>(loss_sums_of(rows), most_sums));
  std::optional<buffer<double>> there;  // declared after `here`: while it lives the device may write there
  try {
    there.emplace(device, here.size());
  } catch (const no_room&) {
    return std::nullopt;
  }
  launch_size size(here.size() * rows_of_a_sum);
  double total = 0.0;
  for (std::size_t done = 0; done < rows;) {
    if (stop.stop_requested()) return std::numeric_limits<double>::quiet_NaN();
    const std::size_t sums = std::min<std::size_t>(loss_sums_of(size.rows()), here.size());
    const std::size_t count = std::min<std::size_t>(sums * rows_of_a_sum, rows - done);
    const auto found = std::span(here).first(loss_sums_of(count));
    const clock::time_point began = clock::now();
    device.run(model.measure({.first = done, .count = count, .scale = scale, .sums = there->data()}));
    device.download(found.data(), there->data(), found.size_bytes());
    device.wait(device.mark());
    size.took(count, clock::now() - began);
    for (const double sum : found) total += sum;
    done += count;
  }
  return total / static_cast<double>(rows);
}

}  // namespace hogwild::device
