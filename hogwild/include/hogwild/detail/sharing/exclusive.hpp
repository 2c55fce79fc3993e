// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hogwild/detail/memory/update_policy.hpp>
#include <hogwild/detail/sharing/direct.hpp>
#include <hogwild/detail/worker/exclusive_source.hpp>
#include <hogwild/model.hpp>

namespace hogwild {

/// The stripes that an example locks so that nobody else reads or changes what it touches: those of the rows of its
/// columns in every group that is ordered by popularity, and those of parameters that belong to no column, such as a
/// bias or the head of a net. This does not cover a model that reads or changes rows of columns which its example does
/// not have.
class example_stripes {
 public:
  /// `columns`: of the data. Without stripes nothing is locked.
  example_stripes(const stripe_locks& locks, const std::vector<parameter_group>& groups, std::size_t columns)
      : locks_(locks) {
    for (const parameter_group& g : groups) {
      const std::size_t named = g.hot_first ? std::min(g.rows, columns - std::min(columns, g.first_column)) : 0;
      if (named > 0) {
        by_column_.push_back(g);
        by_column_.back().rows = named;
      }
      add(of_all_, g.offset + named * g.width, g.offset + g.rows * g.width);
    }
    sort(of_all_);
  }

  /// The stripes of the example's entries (column, value), ascending, each once.
  template <class Example>
  std::span<const std::size_t> of(const Example& z) {
    found_.clear();
    for (const parameter_group& g : by_column_) {
      for (auto [column, value] : z) {
        if (column < g.first_column || column - g.first_column >= g.rows) continue;
        const std::size_t first = g.offset + (column - g.first_column) * g.width;
        add(found_, first, first + g.width);
      }
    }
    // If columns ascend, as usual, and biases come last, nothing needs sorting.
    found_.insert(found_.end(), of_all_.begin(), of_all_.end());
    if (std::ranges::adjacent_find(found_, std::greater_equal<>()) != found_.end()) sort(found_);
    return found_;
  }

  const stripe_locks& locks() const { return locks_; }

 private:
  /// Adds the stripes of the coordinates [first, last).
  void add(std::vector<std::size_t>& to, std::size_t first, std::size_t last) const {
    constexpr std::size_t step = stripe_locks::neighbours;
    if (locks_.count() == 0) return;
    last = std::min(last, first + locks_.count() * step);  // beyond that there are no other stripes
    for (std::size_t j = first; j < last; j = (j / step + 1) * step) {
      const std::size_t stripe = locks_.stripe_of(j);
      if (to.empty() || to.back() != stripe) to.push_back(stripe);
    }
  }
  static void sort(std::vector<std::size_t>& stripes) {
    std::ranges::sort(stripes);
    stripes.erase(std::unique(stripes.begin(), stripes.end()), stripes.end());
  }

  stripe_locks locks_;
  std::vector<parameter_group> by_column_{};
  std::vector<std::size_t> of_all_{}, found_{};
};

/// Holds an example's stripes from its first read to its last add. All workers lock in ascending order, so they cannot
/// wait for each other in a circle.
class held_example {
 public:
  held_example(const stripe_locks& locks, std::span<const std::size_t> stripes) : locks_(&locks), stripes_(stripes) {
    for (const std::size_t stripe : stripes_) locks_->lock_stripe(stripe);
  }
  ~held_example() {
    for (const std::size_t stripe : stripes_) locks_->unlock_stripe(stripe);
  }
  held_example(const held_example&) = delete;
  held_example& operator=(const held_example&) = delete;

 private:
  const stripe_locks* locks_;
  std::span<const std::size_t> stripes_;
};

/// Direct sharing in which an example is atomic, from its first read to its last add (is_exclusive()): the two
/// baselines of the Hogwild! paper (Niu, Recht, Re, Wright: Hogwild!, NIPS 2011, section 6). Under edge_locked (AIG) a
/// worker holds the stripes of all that the example touches. Under ordered (RR) workers take one example each in turn;
/// the paper's workers compute their gradients before their turn, from parameters that depend on timing, and only add
/// in it. In both, adds need no policy of their own. No add is lost unless a worker dies, or is stopped so long that
/// the others go on without it.
template <parameter T>
class exclusive_sharing : public direct_sharing<T, update::lossy> {
 public:
  static constexpr sharing_traits traits{.has_state = true, .exclusive = true};

  /// `columns`: of the data.
  exclusive_sharing(const param_store& store, std::size_t slot, const std::vector<parameter_group>& groups,
                    std::size_t columns, update_kind kind)
      : direct_sharing<T, update::lossy>(store, slot),
        stripes_(kind == update_kind::edge_locked ? store.locks(slot) : stripe_locks(), groups, columns) {}

  std::unique_ptr<ticket_source> tickets(const worker_round& at) const {
    return std::make_unique<exclusive_source>(at);
  }

  /// Locks what an example touches while the result lives; one at a time.
  template <class Example>
  held_example hold(const Example& z) {
    return {stripes_.locks(), stripes_.of(z)};
  }

 private:
  example_stripes stripes_;
};

}  // namespace hogwild
