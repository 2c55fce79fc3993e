// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/memory/param_view.hpp>

// Reader and emit for trying a model before anybody trains (training_task::try_rows): nothing is changed, and access
// outside the model's parameters is an error with a message. While workers train nobody checks: what they emit is
// applied at once.

namespace hogwild {

/// The rows that a model is tried with: the first ones, and the longest.
std::vector<std::size_t> rows_to_try(const sparse_view& data);

/// The parameters that a model has, and the row that is being tried.
struct tried_bounds {
  /// A group whose parameters a batch emits once each, or not at all.
  struct group {
    std::string_view name;
    std::size_t offset = 0, size = 0;
    std::size_t emitted = 0;     ///< for this row, counted with repetition
    std::size_t said_rarer = 0;  ///< the same for sparse and rare runs, emitted with a stated frequency
  };
  std::string_view model;
  std::size_t parameters = 0, row = 0;
  std::vector<group> whole{};  ///< empty: not checked

  void begin(std::size_t at_row) {
    row = at_row;
    for (group& g : whole) g.emitted = g.said_rarer = 0;
  }
  void count(std::size_t offset, std::size_t n, bool says_how_often) {
    for (group& g : whole) {
      const std::size_t begin = offset > g.offset ? offset : g.offset;
      const std::size_t end = offset + n < g.offset + g.size ? offset + n : g.offset + g.size;
      if (begin < end) (says_how_often ? g.said_rarer : g.emitted) += end - begin;
    }
  }
  /// Throws config_error if the row has emitted part of a group, or parts of it repeatedly: l2 is applied with what is
  /// emitted, so the l2 would match no objective.
  void require_whole() const;

  /// Throws config_error unless there are parameters [offset, offset + n). `does`: what the model does with them.
  void require(std::string_view does, std::size_t offset, std::size_t n) const {
    if (offset > parameters || n > parameters - offset) refuse(does, offset, n);
  }

 private:
  [[noreturn]] void refuse(std::string_view does, std::size_t offset, std::size_t n) const;
};

/// A reader that checks where it reads. Refers to the bounds.
template <parameter T>
class tried_reader {
 public:
  using value_type = T;
  tried_reader(const param_reader<T>& from, const tried_bounds& bounds) : from_(from), bounds_(bounds) {}
  std::size_t size() const { return from_.size(); }
  T operator[](std::size_t j) const { return bounds_.require("reads", j, 1), from_[j]; }
  block_reader<T> block(std::size_t offset, std::size_t n) const {
    return bounds_.require("reads", offset, n), from_.block(offset, n);
  }

 private:
  param_reader<T> from_;
  const tried_bounds& bounds_;
};

/// An emit that checks its parameters and drops the values. Refers to the bounds.
template <parameter T>
class tried_emit {
 public:
  explicit tried_emit(tried_bounds& bounds) : bounds_(&bounds) {}
  void operator()(std::size_t j, T) const { take(j, 1, false); }
  void block(std::size_t offset, std::span<const T> partials) const { take(offset, partials.size(), false); }
  void sparse_block(std::size_t, std::size_t offset, std::span<const T> partials, T) const {
    take(offset, partials.size(), true);
  }
  void rare_block(std::size_t offset, std::span<const T> partials, T) const { take(offset, partials.size(), true); }
  void touched_block(std::size_t offset, std::span<const T> partials, T) const { take(offset, partials.size(), true); }

 private:
  void take(std::size_t offset, std::size_t n, bool says_how_often) const {
    bounds_->require("emits", offset, n);
    bounds_->count(offset, n, says_how_often);
  }

  tried_bounds* bounds_;
};

}  // namespace hogwild
