// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/cuda/general_work.hpp>
#include <hogwild/detail/data/example.hpp>

namespace hogwild::device {

/// Kernels of a program's model, found by its name. `object` is always the model object, byte by byte.
struct named_kernels {
  std::string_view model{};
  std::size_t bytes = 0;  ///< of the object

  /// For a model without a margin: whether lanes together emit for a row what the model emits by itself; the host form,
  /// like train_margin_rows(); the device form, null if it was not compiled for devices.
  bool (*lanes_agree)(const std::byte* object, const sparse_row<float>& z) = nullptr;
  void (*train)(const general_work& work, const std::byte* object, std::size_t part, std::size_t parts) = nullptr;
  int (*launch)(const general_work& work, const std::byte* object, void* stream) = nullptr;

  /// For a margin model: the device form. All margin models have the same host form.
  int (*launch_margin)(const margin_work& work, const std::byte* object, void* stream) = nullptr;
};

/// Called before anybody trains, by one thread, like constructors of namespace-scope objects. If one name has two
/// entries, the one with a device form remains.
void name_kernels(const named_kernels& kernels);

/// Null if the model, with this size, has no entry.
const named_kernels* find_named_kernels(std::string_view model, std::size_t bytes);

}  // namespace hogwild::device
