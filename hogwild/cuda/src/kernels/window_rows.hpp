// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <hogwild/detail/cuda/margin_rows.hpp>
#include <hogwild/detail/platform/device_code.hpp>
#include <hogwild/detail/words/word_sampler.hpp>

namespace hogwild::device {

/// Sentences of words, and how the model skip_gram is trained on them: the arguments of one kernel launch. A row is a
/// sentence; a column is a word, which may be repeated. Of margin_work it uses the entries of rows, `first`, `count`,
/// `weights`, `step` and the members after `l2_rows`; updates are lossy or exact.
struct window_work : margin_work {
  std::uint64_t seed = 0;                  ///< row r has the random numbers counter_random(seed, r)
  const float* keep = nullptr;             ///< for each word (word_sampler)
  const alias_column* drawn = nullptr;     ///< as many columns as words
  std::uint32_t words = 0, width = 0;      ///< a word has `width` floats as an input, and `width` as an output
  std::uint32_t window = 1, negative = 1;  ///< as in window_model
  std::uint32_t longest = 0;               ///< words of the longest row

  float* floats = nullptr;           ///< the warps' own memory: own_floats() for each,
  std::uint32_t* numbers = nullptr;  ///< and own_numbers()

  /// Inputs of the words in reach and their gradients, the window's outputs, and a slope for each pair of an input and
  /// an output.
  HOGWILD_DEVICE_CODE std::size_t own_floats() const {
    const std::size_t reach = std::size_t{2} * window, outputs = std::size_t{1} + negative;
    return (2 * (reach + 1) + outputs) * width + reach * outputs;
  }
  /// The words of a row that were kept, their number, and the outputs' words.
  HOGWILD_DEVICE_CODE std::size_t own_numbers() const { return std::size_t{longest} + 2 + negative; }
};

/// The host form and the device form, like train_margin_rows() and launch_margin_rows(); here `part` is below
/// `rows_in_flight`.
void train_window_rows(const window_work& work, std::size_t part, std::size_t parts);
int launch_window_rows(const window_work& work, void* stream);

}  // namespace hogwild::device
