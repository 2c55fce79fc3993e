// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <hogwild/detail/cuda/general_work.hpp>
#include <hogwild/detail/cuda/margin_rows.hpp>

#include "factor_rows.hpp"
#include "fm_rows.hpp"
#include "softmax_rows.hpp"
#include "window_rows.hpp"

namespace hogwild::device {

/// One warp adds up the losses of this many rows, in a fixed order: a sum has the same bits for any number of warps.
inline constexpr std::uint64_t rows_of_a_sum = 32;

constexpr std::uint64_t loss_sums_of(std::uint64_t rows) {
  return (rows + rows_of_a_sum - 1) / rows_of_a_sum;
}

/// Rows to be measured, the arguments of one launch. Of the training arguments `Work` it uses the rows, the parameters
/// and all that a margin, its loss or a score needs. Nobody writes the parameters meanwhile. Warp k computes the sums
/// k, k + rows_in_flight, ... Sentences use the work's seed and the warps' own memory, as in training.
template <class Work>
struct loss_work : Work {
  double* loss_sums = nullptr;  ///< loss_sums_of(count), that of rows [first, first + rows_of_a_sum) first
};

/// The host form, on the calling thread: the sums part, part + parts, ... of each model's losses. Threads may run
/// several parts at the same time.
void add_margin_losses(const loss_work<margin_work>& work, const margin_loss& loss, std::size_t part,
                       std::size_t parts);
void add_softmax_losses(const loss_work<general_work>& work, const softmax_shape& model, std::size_t part,
                        std::size_t parts);
void add_fm_losses(const loss_work<general_work>& work, const fm_shape& model, std::size_t part, std::size_t parts);
void add_factor_losses(const loss_work<factor_work>& work, std::size_t part, std::size_t parts);
void add_window_losses(const loss_work<window_work>& work, std::size_t part, std::size_t parts);

/// The device form, in builds with CUDA: queues the work on `stream`, a cudaStream_t. Returns CUDA's error code for the
/// launch, 0 for none. Throws std::invalid_argument for no rows in flight, for a margin model that is not the project's
/// or has another size, and for too many classes or factors.
int launch_margin_losses(const loss_work<margin_work>& work, std::string_view model, std::span<const std::byte> object,
                         void* stream);
int launch_softmax_losses(const loss_work<general_work>& work, const softmax_shape& model, void* stream);
int launch_fm_losses(const loss_work<general_work>& work, const fm_shape& model, void* stream);
int launch_factor_losses(const loss_work<factor_work>& work, void* stream);
int launch_window_losses(const loss_work<window_work>& work, void* stream);

}  // namespace hogwild::device
