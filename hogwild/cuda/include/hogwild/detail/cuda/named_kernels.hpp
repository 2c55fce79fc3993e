// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include <hogwild/detail/cuda/general_work.hpp>
#include <hogwild/detail/model/example.hpp>

namespace hogwild::device {

/// Kernels of a model that the library does not know, by its name. `object` is always the model's own, byte by byte.
struct named_kernels {
  std::string_view model{};
  std::size_t bytes = 0;  ///< of the object

  /// Of a model without a margin: whether lanes together emit for a row what the model emits by itself; the host form,
  /// as train_margin_rows(); the device form, null where it was not compiled for devices.
  bool (*lanes_agree)(const std::byte* object, const sparse_row<float>& z) = nullptr;
  void (*train)(const general_work& work, const std::byte* object, std::size_t part, std::size_t parts) = nullptr;
  int (*launch)(const general_work& work, const std::byte* object, void* stream) = nullptr;

  /// Of a margin model: the device form. Its host form is everybody's.
  int (*launch_margin)(const margin_work& work, const std::byte* object, void* stream) = nullptr;
};

/// Before anybody trains, by one thread, as objects outside of functions are made. Of two for one name those with a
/// device form remain.
void name_kernels(const named_kernels& kernels);

/// Null where nobody has named the model, or one of another size.
const named_kernels* find_named_kernels(std::string_view model, std::size_t bytes);

}  // namespace hogwild::device
