// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/cuda/named_kernels.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace hogwild::device {
namespace {

struct named_model {
  std::string name;
  named_kernels kernels;
};

/// Made at the first use: objects of other sources are initialised in no fixed order.
std::vector<named_model>& named_models() {
  static std::vector<named_model> all;
  return all;
}

bool has_device_form(const named_kernels& kernels) {
  return kernels.launch != nullptr || kernels.launch_margin != nullptr;
}

}  // namespace

void name_kernels(const named_kernels& kernels) {
  std::vector<named_model>& all = named_models();
  const auto found = std::ranges::find(all, kernels.model, &named_model::name);
  if (found == all.end())
    all.push_back({std::string(kernels.model), kernels});
  else if (has_device_form(kernels) || !has_device_form(found->kernels))
    found->kernels = kernels;
}

const named_kernels* find_named_kernels(std::string_view model, std::size_t bytes) {
  for (const named_model& known : named_models())
    if (known.name == model && known.kernels.bytes == bytes) return &known.kernels;
  return nullptr;
}

}  // namespace hogwild::device
