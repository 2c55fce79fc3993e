// SPDX-License-Identifier: Apache-2.0
#include "run/unchanged_parameters.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/task/vector_passes.hpp>

namespace hogwild {

bool unchanged_parameters::are_so(const epoch_report& measured) {
  if (!before_) return false;
  const bool same = std::isfinite(measured.objective) && (measured.updates == 0 || digest() == *before_);
  before_.reset();
  return same;
}

std::string unchanged_parameters::note(const epoch_report& measured) {
  return "no example has changed a parameter by the end of epoch " + std::to_string(measured.epoch) +
         ", so the model is still the initial one. Check that rows have entries (lines of a text: at least two words "
         "that are kept), that their weights are not 0, and that the step " +
         detail::to_short_text(measured.step) + " is not too small";
}

// A sum of words, each times an odd number of its own, so that the order of the threads does not matter.
std::uint64_t unchanged_parameters::digest() const {
  const std::size_t bytes = task_.facts().parameters * task_.facts().scalar_bytes;
  const std::span<const std::byte> stored = who_.store().state_of_training().first(bytes);
  const std::size_t words = bytes / sizeof(std::uint32_t);
  std::vector<std::uint64_t> parts(words / (std::size_t{1} << 16) + 1);
  for_each_block(words, who_.helpers(), [&](std::size_t first, std::size_t last, std::size_t block) {
    std::uint64_t sum = 0;
    for (std::size_t i = first; i < last; ++i) {
      std::uint32_t word;
      std::memcpy(&word, stored.data() + i * sizeof word, sizeof word);
      sum += word * (2 * (i * 0x9e3779b97f4a7c15u) + 1);
    }
    parts[block] = sum;
  });
  std::uint64_t all = 0;
  for (const std::uint64_t part : parts) all += part;
  return all;
}

}  // namespace hogwild
