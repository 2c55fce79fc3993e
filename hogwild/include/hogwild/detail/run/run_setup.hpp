// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// The data from which a worker process makes the same task as its supervisor; copied through the segment's setup
/// bytes.
struct run_setup {
  loop_options options{};
  std::uint64_t first_row = 0, rows = 0;  ///< the part of the dataset that is trained on
  std::uint32_t pin = 0;                  ///< whether workers bind themselves to a CPU
  label_kind labels = label_kind::real;
  std::uint32_t workers = 0;       ///< slots of spawned workers; later ones are spare
  std::uint32_t lanes = 0;         ///< models that are trained side by side (lane_table); 0: a single model
  std::uint64_t place = 0;         ///< where the supervisor's rows begin in their dataset, which may be another one
  std::string decorator{};         ///< the task's decorator (worker_decorators.hpp); empty: none
  std::string data_path;           ///< for sparse_dataset::map
  std::vector<std::int32_t> cpus;  ///< that spawned workers may use
  std::vector<double> label_values;
  std::vector<std::uint32_t>
      degree;                    ///< rows of the part that contain each column; empty: the dataset's own counts hold
  std::vector<std::byte> model;  ///< the model object
  /// For each row of the part; empty if rows have none. After decode() they point into the bytes that it was given.
  std::span<const float> weight{}, offset{};
  std::span<const std::uint32_t> id{};

  std::vector<std::byte> encode() const;
  /// Throws segment_error if the bytes are not from encode(), or a program with other options made them.
  static run_setup decode(std::span<const std::byte> bytes);
};

}  // namespace hogwild
