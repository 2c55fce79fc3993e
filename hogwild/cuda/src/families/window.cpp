// SPDX-License-Identifier: Apache-2.0
#include <hogwild/models/skip_gram.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/run/run_planner.hpp>
#include <hogwild/error.hpp>

#include "bringing.hpp"
#include "device_rows.hpp"
#include "general_rows.hpp"
#include "kernel_family.hpp"
#include "kernels/loss_rows.hpp"
#include "kernels/window_rows.hpp"

namespace hogwild::device {
namespace {

skip_gram windows_of(const training_task& task) {
  skip_gram model;
  std::memcpy(&model, task.facts().model_bytes.data(), sizeof model);
  return model;
}

/// A launch's arguments for the model and the length of rows.
window_work shape_of(const training_task& task) {
  const skip_gram model = windows_of(task);
  window_work work;
  work.words = static_cast<std::uint32_t>(model.words);
  work.width = static_cast<std::uint32_t>(model.width());
  work.window = model.window;
  work.negative = model.negative;
  const auto& starts = task.data().row_start;
  for (std::size_t r = 0; r < task.data().rows(); ++r)
    work.longest = std::max(work.longest, static_cast<std::uint32_t>(starts[r + 1] - starts[r]));
  return work;
}

/// No device holds more warps at once.
constexpr double most_warps = 4096.0;

/// How many warps may have memory of their own, at least one: the longer sentences and windows are, the fewer.
double warps_with_room(const window_work& work) {
  constexpr double room = 0x1p30;
  const auto own = static_cast<double>(work.own_floats() * sizeof(float) + work.own_numbers() * sizeof(std::uint32_t));
  return std::clamp(std::floor(room / own), 1.0, most_warps);
}

/// A device's memory besides rows, parameters and state: the words' tables, and the memory of the warps.
std::uint64_t bytes_beside_rows(const training_task& task, const loop_options& options) {
  const window_work work = shape_of(task);
  const std::uint64_t own = work.own_floats() * sizeof(float) + work.own_numbers() * sizeof(std::uint32_t);
  return work.words * (sizeof(float) + sizeof(alias_column)) + std::max(options.rows_in_flight, 1u) * own;
}

class windows_on_device final : public device_model {
 public:
  windows_on_device(runtime& device, const training_task& task, const device_arrays& arrays, const loop_options& o,
                    std::uint64_t block_bytes)
      : task_(task),
        seed_(o.seed),
        sampler_(occurrences(task.data()), windows_of(task).sample),
        rows_(device, task.data(), task.labels(), block_bytes),
        work_(shape_of(task)) {
    work_.rows_in_flight = std::max(o.rows_in_flight, 1u);
    work_.keep = brought(device, sampler_.chances(), keep_);
    work_.drawn = brought(device, sampler_.columns(), drawn_);
    work_.floats = floats_.emplace(device, work_.rows_in_flight * work_.own_floats()).data();
    work_.numbers = numbers_.emplace(device, work_.rows_in_flight * work_.own_numbers()).data();
    arrays.name_in(work_);
    work_.update = o.update;
    device.wait(device.mark());
  }

  void begin(const round_plan& round, double position) override {
    const double rows = std::max(static_cast<double>(task_.data().rows()), 1.0);
    work_.step = static_cast<float>(round.step_at(position / rows));
    work_.seed = seed_ ^ mix_bits(round.pass);
  }

  std::size_t room_for(std::size_t first, std::size_t count) const override { return rows_.room_for(first, count); }

  kernel_launch train(std::size_t first, std::size_t count) override {
    rows_.name_in(work_, first, count);
    work_.first = first;
    work_.count = count;
    kernel_launch launch{.warps = work_.rows_in_flight, .on_host = [work = work_](std::size_t part, std::size_t parts) {
                           train_window_rows(work, part, parts);
                         }};
#if defined(HOGWILD_HAS_CUDA)
    launch.on_device = [work = work_](void* stream) { return launch_window_rows(work, stream); };
#endif
    return launch;
  }

  /// If the words of the rows were not counted, the CPU leaves out and draws words by their counts in the measured
  /// rows.
  bool measures() const override {
    return rows_.stay() && task_.data().degree.size() == task_.data().columns;
  }

  kernel_launch measure(const rows_to_measure& rows) override {
    loss_work<window_work> work = work_to_measure(work_, rows_, rows);
    work.seed = 0;  // as in general_task: numbers that depend on the row alone
    work.rows_in_flight = std::min(work.rows_in_flight, work_.rows_in_flight);  // others have no memory of their own
    kernel_launch launch{.warps = work.rows_in_flight, .on_host = [work](std::size_t part, std::size_t parts) {
                           add_window_losses(work, part, parts);
                         }};
#if defined(HOGWILD_HAS_CUDA)
    launch.on_device = [work](void* stream) { return launch_window_losses(work, stream); };
#endif
    return launch;
  }

  std::uint64_t nonzeros(std::size_t first, std::size_t count) const override {
    return task_.data().row_start[first + count] - task_.data().row_start[first];
  }

 private:
  const training_task& task_;
  std::uint64_t seed_;
  word_sampler sampler_;
  device_rows rows_;
  window_work work_;
  std::optional<buffer<float>> keep_, floats_;
  std::optional<buffer<alias_column>> drawn_;
  std::optional<buffer<std::uint32_t>> numbers_;
};

class window_family final : public kernel_family {
 public:
  bool trains(const training_task& task) const override {
    return task.facts().model == skip_gram::name && task.facts().model_bytes.size() == sizeof(skip_gram);
  }

  void require_model(const training_task& task, int) const override {
    if (windows_of(task).hierarchical)
      throw config_error(
          "a device trains skip_gram with words drawn for contrast, not hierarchically: leave that out, or use threads "
          "or processes");
    if (windows_of(task).parts > 0)
      throw config_error(
          "a device trains skip_gram with vectors of words, without those of their parts: leave out --subwords, or use "
          "threads or processes");
  }

  void require_options(const loop_options& options) const override {
    if (options.optimizer != optimizer_kind::sgd)
      throw config_error("a device trains skip_gram by sgd: choose that, or threads or processes");
    if (options.l2 != 0.0 || options.frozen_groups != 0 || options.batch > 1)
      throw config_error(
          "a device trains skip_gram sentence by sentence, without l2 and with nothing frozen: leave these options "
          "out, or use threads or processes");
  }

  /// By simulation on a million words of encyclopedia articles: if 25 windows at once score the most popular word, at a
  /// step of 0.025, the loss ends 0.4 % above that of one sentence after the other; with twice as many 1 % above, and
  /// with eight times 9 %. The larger the step, the fewer windows may be in flight.
  double rows_in_flight(run_planner& run) const override {
    const skip_gram model = windows_of(run.task());
    const std::vector<std::uint32_t> counts = occurrences(run.task().data());
    const word_sampler sampler(counts, model.sample);
    double kept = 0.0, drawn = 0.0, most_kept = 0.0, most_drawn = 0.0;
    for (std::size_t word = 0; word < counts.size(); ++word) {
      const double own = counts[word] * static_cast<double>(sampler.keep(word));
      const double other = std::pow(static_cast<double>(counts[word]), 0.75);
      kept += own;
      drawn += other;
      most_kept = std::max(most_kept, own);
      most_drawn = std::max(most_drawn, other);
    }
    const double scored = most_kept / std::max(kept, 1.0) + model.negative * most_drawn / std::max(drawn, 1.0);
    const double suits = std::clamp(0.5 / std::max(run.step() * scored, 1e-9), 1.0, most_warps);
    const window_work work = shape_of(run.task());
    const double room = warps_with_room(work);
    if (room < std::floor(suits))
      run.note("a device has room for " + std::to_string(static_cast<std::uint64_t>(room)) +
               " sentences at once, of up to " + std::to_string(work.longest) + " words and with windows of " +
               std::to_string(work.window) + ", where " + std::to_string(static_cast<std::uint64_t>(suits)) +
               " would suit the step: take shorter sentences or smaller windows");
    return std::min(suits, room);
  }

  std::uint64_t bytes(const training_task& task, const loop_options& options) const override {
    return device_rows::bytes(task.data()) + bytes_beside_rows(task, options);
  }

  stream_needs needs_of_stream(const training_task& task, const loop_options& options) const override {
    stream_needs needs = device_rows::needs_of_stream(task.data());
    needs.stays += bytes_beside_rows(task, options);
    return needs;
  }

  std::unique_ptr<device_model> bring(runtime& device, const training_task& task, const device_arrays& arrays,
                                      const loop_options& options, std::uint64_t block_bytes) const override {
    return std::make_unique<windows_on_device>(device, task, arrays, options, block_bytes);
  }
};

}  // namespace

const kernel_family& window_kernels() {
  static constexpr window_family family{};
  return family;
}

}  // namespace hogwild::device
