// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/virtual_replica.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <utility>

#include <hogwild/detail/kernels/half_kernels.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/worker/row_state.hpp>

namespace hogwild {

template <parameter T>
virtual_replica<T>::virtual_replica(const param_store& store, std::size_t slot, std::vector<parameter_group> groups,
                                    std::size_t first_singleton, stored_halves halves)
    : private_arrays<T>(nullptr),
      store_(store),
      me_(&store.slots()[slot]),
      state_groups_(groups_of_array(store.shape(), 1, groups)),
      groups_(std::move(groups)),
      first_singleton_(first_singleton),
      halves_(halves) {
  for (const parameter_group& g : groups_) {
    widest_ = std::max(widest_, g.width);
  }
  for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) values_.push_back(store.replica<T>(0, k));
}

template <parameter T>
void virtual_replica<T>::begin_chunk(column_range singletons) {
  singletons_ = singletons;
  for (std::size_t k = 0; k < values_.size(); ++k) {
    for_singleton_parameters(singletons_, first_singleton_, groups(k), shared(k).size(),
                             [&](std::size_t first, std::size_t n) { copy(shared(k), values_[k], first, n); });
  }
}

template <parameter T>
void virtual_replica<T>::end_chunk() const {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    for_singleton_parameters(singletons_, first_singleton_, groups(k), shared(k).size(),
                             [&](std::size_t first, std::size_t n) { copy(values_[k], shared(k), first, n); });
  }
}

template <parameter T>
void virtual_replica<T>::become(std::size_t v, std::size_t turn) {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    values_[k] = store_.replica<T>(v, k);
    for (const parameter_group& g : groups(k)) {
      const std::size_t n = merged_rows(g, {turn == 0 ? 0 : turn - 1, 0, turn == 0}) * g.width;
      begin(v, k, g.offset, n);
    }
  }
}

template <parameter T>
std::size_t virtual_replica<T>::worth_slices(const merge_plan& turn) const {
  constexpr std::size_t smallest = 2048;
  std::size_t elements = 0;
  for (const parameter_group& g : groups_) elements += merged_rows(g, turn) * g.width;
  return std::clamp<std::size_t>(values_.size() * elements / smallest, 1, turn_board::most_items);
}

template <parameter T>
void virtual_replica<T>::merge(const merge_plan& turn, const merge_slice& slice) const {
  for (std::size_t k = 0; k < values_.size(); ++k) {
    for (const parameter_group& g : groups(k)) {
      const std::size_t n = merged_rows(g, turn) * g.width;
      const auto cut = [&](std::size_t i) { return i == slice.count ? n : n * i / slice.count / block * block; };
      const std::size_t begin = cut(slice.number);
      in_blocks(*me_, g.offset + begin, cut(slice.number + 1) - begin, [&](std::size_t first, std::size_t size) {
        for (std::size_t j = 0; j < size; j += block) merge_block(turn, k, first + j, std::min(block, size - j));
      });
    }
  }
}

template <parameter T>
void virtual_replica<T>::copy(std::span<const T> from, std::span<T> to, std::size_t offset, std::size_t n) const {
  in_blocks(*me_, offset, n,
            [&](std::size_t first, std::size_t size) { std::copy_n(from.data() + first, size, to.data() + first); });
}

template <parameter T>
void virtual_replica<T>::begin(std::size_t v, std::size_t k, std::size_t offset, std::size_t n) const {
  const std::span<T> from = shared(k), to = store_.replica<T>(v, k);
  if (k > 0 || halves_.count == 0) return copy(from, to, offset, n);
  in_blocks(*me_, offset, n, [&](std::size_t first, std::size_t size) {
    if constexpr (std::same_as<T, float>)
      if (halves_.has(first))
        return half_kernels_of(halves_.isa).round(&from[first], size, &halves_in(to, first, 1)[0]);
    std::copy_n(from.data() + first, size, to.data() + halves_.place(first));
  });
}

template <parameter T>
void virtual_replica<T>::gains(std::size_t v, std::size_t k, std::size_t first, std::span<const T> before,
                               T* gain) const {
  const std::span<T> own = store_.replica<T>(v, k);
  if constexpr (std::same_as<T, float>) {
    if (k == 0 && halves_.has(first)) {
      const half_kernels& kernels = half_kernels_of(halves_.isa);
      std::array<half, block> began;
      kernels.round(before.data(), before.size(), began.data());
      return kernels.gains(&halves_in(own, first, 1)[0], began.data(), before.size(), gain);
    }
  }
  const T* const now = own.data() + (k == 0 ? halves_.place(first) : first);
  for (std::size_t i = 0; i < before.size(); ++i) gain[i] = now[i] - before[i];
}

template <parameter T>
std::size_t virtual_replica<T>::merged_rows(const parameter_group& g, const merge_plan& turn) const {
  if (!g.hot_first) return g.rows;
  if (turn.last) return std::min(g.rows, first_singleton_);
  return std::min({g.rows, first_singleton_, ruler_prefix(turn.turn + 1, widest_)});
}

template <parameter T>
void virtual_replica<T>::merge_block(const merge_plan& turn, std::size_t k, std::size_t first, std::size_t n) const {
  T* const base = shared(k).data() + first;
  std::array<T, block> gain, old, own;
  std::copy_n(base, n, old.data());
  for (std::size_t v = 0; v < turn.virtual_workers; ++v) {
    gains(v, k, first, std::span(old).first(n), v == 0 ? gain.data() : own.data());
    for (std::size_t i = 0; v > 0 && i < n; ++i) gain[i] += own[i];
  }
  const T gain_weight = gain_weight_of(k);
  for (std::size_t i = 0; i < n; ++i) old[i] += gain_weight * gain[i];
  std::copy_n(old.data(), n, base);
}

template class virtual_replica<float>;
template class virtual_replica<double>;

}  // namespace hogwild
