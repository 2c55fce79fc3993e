// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/stream/stream_state.hpp>

#include <algorithm>
#include <cstring>

#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/worker/row_state.hpp>

namespace hogwild {

namespace {

template <class F>
void with_scalar_of(const param_store& store, const F& f) {
  if (store.shape().scalar_bytes == sizeof(float))
    f.template operator()<float>();
  else
    f.template operator()<double>();
}

/// Calls copy(from, to, elements) for the part of each group that both have.
template <class F>
void for_groups(const std::vector<parameter_group>& from, const std::vector<parameter_group>& to, const F& copy) {
  for (std::size_t g = 0; g < std::min(from.size(), to.size()); ++g)
    copy(from[g].offset, to[g].offset, std::min(from[g].rows * from[g].width, to[g].rows * to[g].width));
}

}  // namespace

stream_arrays copy_arrays(const param_store& store, std::size_t columns, const std::vector<parameter_group>& groups) {
  stream_arrays copy{.columns = columns, .scalar_bytes = store.shape().scalar_bytes};
  with_scalar_of(store, [&]<class T>() {
    const auto add = [&](std::span<const T> array) {
      const auto bytes = std::as_bytes(array);
      copy.arrays.emplace_back(bytes.begin(), bytes.end());
    };
    add(store.parameters<T>());
    for (std::size_t k = 0; k < store.shape().state_arrays; ++k) add(long_state<T>(store, k, groups));
  });
  return copy;
}

void put_arrays(const stream_arrays& from, const std::vector<parameter_group>& old_groups, const param_store& to,
                const std::vector<parameter_group>& new_groups) {
  with_scalar_of(to, [&]<class T>() {
    const auto put = [&](const std::vector<std::byte>& source, std::span<T> array) {
      for_groups(old_groups, new_groups, [&](std::size_t first, std::size_t begin, std::size_t n) {
        std::memcpy(array.data() + begin, source.data() + first * sizeof(T), n * sizeof(T));
      });
    };
    put(from.arrays.front(), to.parameters<T>());
    for (std::size_t k = 0; k < to.shape().state_arrays; ++k) {
      std::vector<T> values = long_state<T>(to, k, new_groups);
      put(from.arrays[k + 1], values);
      set_state<T>(to, k, new_groups, values);
    }
  });
}

std::vector<float> floats_of(const stream_arrays& arrays) {
  const auto as_floats = [&]<class T>() {
    const std::vector<std::byte>& bytes = arrays.arrays.front();
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    std::vector<float> all(values.size());
    std::ranges::transform(values, all.begin(), [](T v) { return static_cast<float>(v); });
    return all;
  };
  return arrays.scalar_bytes == sizeof(float) ? as_floats.template operator()<float>()
                                              : as_floats.template operator()<double>();
}

void regroup(std::span<const float> from, const std::vector<parameter_group>& old_groups, std::span<float> to,
             const std::vector<parameter_group>& new_groups) {
  for_groups(old_groups, new_groups, [&](std::size_t first, std::size_t begin, std::size_t n) {
    std::ranges::copy(from.subspan(first, n), to.subspan(begin, n).begin());
  });
}

std::vector<float> regrouped(std::span<const float> from, const std::vector<parameter_group>& old_groups,
                             const std::vector<parameter_group>& new_groups) {
  std::size_t size = 0;
  for (const parameter_group& g : new_groups) size = std::max(size, g.offset + g.rows * g.width);
  std::vector<float> to(size);
  regroup(from, old_groups, to, new_groups);
  return to;
}

}  // namespace hogwild
