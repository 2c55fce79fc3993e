// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <hogwild/detail/cuda/general_body.hpp>
#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/cuda/named_kernels.hpp>
#include <hogwild/detail/cuda/rows_kernel.hpp>
#include <hogwild/detail/cuda/tried_lanes.hpp>
#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// Makes a model of a program known to devices, so that cuda_engine trains it:
///
///   static const hogwild::device_kernels<my_model> my_kernels;
///
/// Declare it once a program, outside of functions and not in a static library, from which the linker takes only what
/// is called. In a .cu file it provides kernels for CUDA devices; in a .cpp file only for the emulated device, which
/// trains margin models without it. The kernels are found by the model's name (model_name), in worker processes, too.
template <device_model M>
struct device_kernels {
  static_assert(sizeof(M) <= 2048, "a kernel gets its model as an argument: hold no arrays in it");

  device_kernels() { device::name_kernels(forms()); }

 private:
  static M model_of(const std::byte* object) {
    std::array<std::byte, sizeof(M)> bytes;
    std::memcpy(bytes.data(), object, sizeof(M));
    return std::bit_cast<M>(bytes);
  }

  static device::named_kernels forms() {
    device::named_kernels forms{.model = model_name<M>(), .bytes = sizeof(M)};
    if constexpr (margin_model<M>) {
#if defined(__CUDACC__) || defined(HOGWILD_SIMT)
      forms.launch_margin = [](const device::margin_work& work, const std::byte* object, void* stream) {
        const M model = model_of(object);
        int error = 0;
        device::with_margin_kind(work, [&](auto kind) {
          error = device::launch_rows<device::margin_part<decltype(kind)>>(work, model, stream);
        });
        return error;
      };
#endif
    } else {
      forms.lanes_agree = [](const std::byte* object, const sparse_row<float>& z) {
        // Numbers near a kink of the loss may fall on either side of it, but hardly twice.
        const M model = model_of(object);
        return device::lanes_agree(model, z, 1) || device::lanes_agree(model, z, 2);
      };
      forms.train = [](const device::general_work& work, const std::byte* object, std::size_t part, std::size_t parts) {
        const M model = model_of(object);
        device::train_on_host(work, [&](const device::general_work& rows, std::uint64_t& changed) {
          device::with_margin_kind(rows, [&](auto kind) {
            changed = device::general_part<decltype(kind)>::train(device::host_warp{}, rows, model, part, parts);
          });
        });
      };
#if defined(__CUDACC__) || defined(HOGWILD_SIMT)
      forms.launch = [](const device::general_work& work, const std::byte* object, void* stream) {
        const M model = model_of(object);
        int error = 0;
        device::with_margin_kind(work, [&](auto kind) {
          error = device::launch_rows<device::general_part<decltype(kind)>>(work, model, stream);
        });
        return error;
      };
#endif
    }
    return forms;
  }
};

}  // namespace hogwild
