// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include <hogwild/detail/platform/device_code.hpp>
#include <hogwild/models/epsilon_insensitive.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/models/huber.hpp>
#include <hogwild/models/least_squares.hpp>
#include <hogwild/models/logistic.hpp>
#include <hogwild/models/modified_huber.hpp>
#include <hogwild/models/poisson.hpp>
#include <hogwild/models/quantile.hpp>
#include <hogwild/models/squared_epsilon_insensitive.hpp>
#include <hogwild/models/squared_hinge.hpp>

namespace hogwild::device {

/// Any of several margin models, by value: kernels are compiled once for all of them. The kind of the model is checked
/// once a row and is the same in all lanes.
template <class... Models>
class one_of_models {
  static_assert((std::is_trivially_copyable_v<Models> && ...), "a kernel gets its model's bytes");

 public:
  /// The model called `name` with these bytes; nothing if no model has this name and size.
  static std::optional<one_of_models> find(std::string_view name, std::span<const std::byte> object) {
    constexpr std::array names{Models::name...};
    constexpr std::array sizes{sizeof(Models)...};
    const auto found = std::ranges::find(names, name);
    const auto which = static_cast<std::size_t>(found - names.begin());
    if (found == names.end() || object.size() != sizes[which]) return std::nullopt;
    one_of_models model;
    model.which_ = static_cast<std::uint32_t>(which);
    std::ranges::copy(object, model.object_);
    return model;
  }

  HOGWILD_DEVICE_CODE double loss(float margin, float label) const {
    double found = 0.0;
    std::uint32_t k = 0;
    (void)((k++ == which_ && (found = as<Models>().loss(margin, label), true)) || ...);
    return found;
  }
  HOGWILD_DEVICE_CODE float derivative(float margin, float label) const {
    float slope = 0.0f;
    std::uint32_t k = 0;
    (void)((k++ == which_ && (slope = as<Models>().derivative(margin, label), true)) || ...);
    return slope;
  }

 private:
  template <class M>
  HOGWILD_DEVICE_CODE M as() const {
    M model;
    std::memcpy(&model, object_, sizeof model);
    return model;
  }

  std::uint32_t which_ = 0;
  alignas(Models...) std::byte object_[std::max({sizeof(Models)...})]{};
};

/// The project's margin models.
using known_margin_model = one_of_models<logistic, hinge_svm, squared_hinge, modified_huber, least_squares, huber,
                                         poisson, quantile, epsilon_insensitive, squared_epsilon_insensitive>;

}  // namespace hogwild::device
