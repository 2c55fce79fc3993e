// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/sharing/replica.hpp>

#include <concepts>
#include <utility>

#include <hogwild/detail/memory/private_memory.hpp>
#include <hogwild/detail/sharing/exchange_hook.hpp>
#include <hogwild/detail/sharing/ruler.hpp>
#include <hogwild/detail/sharing/singleton_parameters.hpp>
#include <hogwild/detail/worker/row_state.hpp>

namespace hogwild {
namespace {

/// Neighbouring slots lie far apart: 0, 4, 2, 6, 1, 5, 3, 7.
constexpr std::size_t place_of(std::size_t slot) {
  return (slot & 1) * 4 + (slot >> 1 & 1) * 2 + (slot >> 2 & 1);
}

}  // namespace

template <parameter T>
replica<T>::replica(const param_store& store, std::size_t slot, worker_memory& memory,
                    std::vector<parameter_group> groups, std::size_t head, std::size_t first_singleton,
                    update_kind update, exchange_hook* hook, stored_halves halves)
    : replica(store.slots()[slot], slot, arrays_in(store, memory, head, halves),
              groups_of_array(store.shape(), 1, groups), groups, first_singleton, update, hook) {
  for (const array& a : arrays_) values_.push_back(a.work);
}

template <parameter T>
replica<T>::replica(worker_slot& me, std::size_t slot, std::vector<array> beyond_the_host,
                    std::vector<parameter_group> groups, update_kind update, exchange_hook* hook)
    : replica(me, slot, std::move(beyond_the_host), groups, groups, no_singletons, update, hook) {}

template <parameter T>
replica<T>::replica(worker_slot& me, std::size_t slot, std::vector<array> arrays,
                    std::vector<parameter_group> state_groups, std::vector<parameter_group> groups,
                    std::size_t first_singleton, update_kind update, exchange_hook* hook)
    : private_arrays<T>(&me),
      me_(me),
      place_(place_of(slot)),
      state_groups_(std::move(state_groups)),
      groups_(std::move(groups)),
      arrays_(std::move(arrays)),
      update_(update),
      hook_(hook),
      first_singleton_(first_singleton) {
  const std::size_t held = arrays_[0].held();
  for (const parameter_group& g : groups_) {
    widest_ = std::max(widest_, g.width);
    if (!g.hot_first || g.offset >= held) continue;
    columns_ = std::max(columns_, std::min({g.rows, first_singleton_, (held - g.offset + g.width - 1) / g.width}));
  }
}

template <parameter T>
std::vector<typename replica<T>::array> replica<T>::arrays_in(const param_store& store, worker_memory& memory,
                                                              std::size_t head, stored_halves halves) {
  constexpr std::size_t line = 128 / sizeof(T);
  std::vector<array> arrays;
  std::size_t all = 0;
  for (std::size_t k = 0; k <= store.shape().state_arrays; ++k) {
    array a{k == 0 ? store.parameters<T>() : store.state<T>(k - 1), {}, {}, k == 0 ? halves : stored_halves{}};
    const std::size_t floats = a.halves.floats(std::min(head, a.shared.size()));
    for (std::span<T>* const own : {&a.work, &a.base}) {
      *own = {static_cast<T*>(nullptr), floats};
      all += (floats + line - 1) / line * line;
    }
    arrays.push_back(a);
  }
  T* next = memory.array<T>(0, 1, all).data();
  for (array& a : arrays) {
    for (std::span<T>* const own : {&a.work, &a.base}) {
      *own = {next, own->size()};
      next += (own->size() + line - 1) / line * line;
    }
  }
  return arrays;
}

template <parameter T>
void replica<T>::begin_round(const round_plan& round) {
  for (std::size_t k = 0; k < arrays_.size(); ++k)
    for (const parameter_group& g : groups(k)) fetch(arrays_[k], part_of(arrays_[k], g, first_singleton_));
  period_ = round.exchange_rows;
  gain_weight_ = static_cast<T>(round.gain_weight);
  state_gain_weight_ = static_cast<T>(round.state_gain_weight);
  rows_ = period_ * place_ / places;  // workers that start together would exchange together
  turn_ = 0;
  me_.unsent.set(0);
}

template <parameter T>
void replica<T>::fetch(const array& of, parameter_run run) {
  in_blocks(me_, run.first, run.count, [&of](std::size_t first, std::size_t size) {
    if constexpr (std::same_as<T, float>) {
      if (of.halves.has(first))
        return half_exchange(of.halves.isa)
            .fetch(of.shared.subspan(first, size), halves_in(of.work, first, size), halves_in(of.base, first, size));
    }
    const std::size_t place = of.halves.place(first);
    param_view<T>(of.shared).fetch(first, of.work.subspan(place, size), of.base.subspan(place, size));
  });
}

template <parameter T>
void replica<T>::begin_chunk(column_range singletons) {
  singletons_ = singletons;
  for_singleton_values(
      [](const param_view<T>& shared, std::size_t first, std::span<T> work) { shared.load_block(first, work); });
}
template <parameter T>
void replica<T>::end_chunk() const {
  for_singleton_values(
      [](const param_view<T>& shared, std::size_t first, std::span<T> work) { shared.store_block(first, work); });
}

template <parameter T>
std::vector<parameter_run> replica<T>::due() const {
  const std::size_t columns = std::min(ruler_prefix(turn_ + 1, widest_), first_singleton_);
  std::vector<parameter_run> parts;
  for (const parameter_group& g : groups_) parts.push_back(part_of(arrays_[0], g, columns));
  return parts;
}

template <parameter T>
void replica<T>::exchange_now(race_probe& probe) {
  if (hook_ != nullptr && !hook_->may_exchange()) {
    rows_ = period_ - std::max<std::size_t>(period_ / exchange_hook::polls_per_period, 1);
    return;
  }
  rows_ = 0;
  ++turn_;
  if (probe.due_at_exchange()) probe.file_exchange([this](auto&& sample) { this->sample_conflicts(sample); });
  const std::size_t met = send(ruler_prefix(turn_, widest_), false);
  if (hook_ != nullptr) hook_->exchanged(2 * met * sizeof(T));
}

template <parameter T>
template <class Sample>
void replica<T>::sample_conflicts(const Sample& sample) const {
  if (values_.empty()) return;
  const array& a = arrays_[0];
  const auto held = [&](std::span<T> own, std::size_t j) {
    if constexpr (std::same_as<T, float>)
      if (a.halves.has(j)) return to_float(halves_in(own, j, 1)[0]);
    return own[a.halves.place(j)];
  };
  const auto as_held = [&](T value, std::size_t j) {
    return a.halves.has(j) ? static_cast<T>(to_float(to_half(static_cast<float>(value)))) : value;
  };
  std::size_t taken = 0;
  for (std::size_t j = turn_ * 7 % 64; j < std::min(a.held(), first_singleton_) && taken < 8; j += 61) {
    if (held(a.work, j) == held(a.base, j)) continue;
    sample(as_held(param_view<T>(a.shared).load(j), j) != held(a.base, j));
    ++taken;
  }
}

template <parameter T>
template <class Visit>
void replica<T>::for_singleton_values(const Visit& visit) const {
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    const array& a = arrays_[k];
    for_singleton_parameters(singletons_, first_singleton_, groups(k), a.work.size(),
                             [&](std::size_t offset, std::size_t n) {
                               in_blocks(me_, offset, n, [&](std::size_t first, std::size_t size) {
                                 visit(param_view<T>(a.shared), first, a.work.subspan(first, size));
                               });
                             });
  }
}

template <parameter T>
std::size_t replica<T>::send(std::size_t prefix, bool last) {
  std::size_t met = 0;
  for (std::size_t k = 0; k < arrays_.size(); ++k) {
    for (const parameter_group& g : groups(k)) {
      const parameter_run sent = part_of(arrays_[k], g, std::min(prefix, first_singleton_));
      meet(arrays_[k], sent, gain_weight_of(k), last);
      met += sent.count;
    }
  }
  wait_until_met();
  if (prefix >= columns_) me_.unsent.set(0);
  return met;
}

template <parameter T>
void replica<T>::meet(const array& of, parameter_run run, T gain_weight, bool last) {
  // Two workers that pass over the same lines at the same time would overtake each other's adds.
  const std::size_t cut = run.count * place_ / places / 16 * 16;
  const auto walk = [&](const auto& shared) {
    const auto block = [&](std::size_t first, std::size_t size) {
      if constexpr (std::same_as<T, float>) {
        if (of.halves.has(first))
          return half_exchange(of.halves.isa)
              .meet(of.shared.subspan(first, size), halves_in(of.work, first, size), halves_in(of.base, first, size),
                    gain_weight, last);
      }
      const std::size_t place = of.halves.place(first);
      const std::span<T> work = of.work.subspan(place, size), base = of.base.subspan(place, size);
      last ? shared.send(first, work, base, gain_weight) : shared.exchange(first, work, base, gain_weight);
    };
    in_blocks(me_, run.first + cut, run.count - cut, block);
    in_blocks(me_, run.first, cut, block);
  };
  update_ == update_kind::exact ? walk(param_view<T, update::exact>(of.shared)) : walk(param_view<T>(of.shared));
}

template class replica<float>;
template class replica<double>;

}  // namespace hogwild
