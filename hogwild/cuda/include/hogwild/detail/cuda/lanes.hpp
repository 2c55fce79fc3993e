// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <hogwild/detail/cuda/margin_body.hpp>
#include <hogwild/detail/cuda/warp.hpp>
#include <hogwild/detail/data/example.hpp>
#include <hogwild/detail/platform/device_code.hpp>

// How the lanes of a warp run gradient() of one row (device_model): in a loop over the row each lane has entries of its
// own, outside of loops all do the same. There one lane reads and emits for all of them: if each read for itself, they
// could see a weight before and after somebody's add, and diverge.

namespace hogwild::device {

/// Operations that the lanes running one function perform together, and whether a lane is in a loop of its own. On a
/// GPU lanes are threads.
template <class Warp>
class lanes {
 public:
  HOGWILD_DEVICE_CODE explicit lanes(Warp warp) : warp_(warp) {}

  /// Called before a lane runs the function for a row of `size` entries; false if it has nothing to do in it.
  HOGWILD_DEVICE_CODE bool begin(unsigned lane, std::uint32_t) {
    lane_ = lane;
    apart_ = false;
    return true;
  }
  /// The value of f(), in which all lanes take part.
  template <class F>
  HOGWILD_DEVICE_CODE float together(const F& f) {
    return f();
  }

  HOGWILD_DEVICE_CODE Warp warp() const { return warp_; }
  HOGWILD_DEVICE_CODE unsigned lane() const { return lane_; }
  HOGWILD_DEVICE_CODE void part() { apart_ = true; }
  HOGWILD_DEVICE_CODE void join() { apart_ = false; }
  HOGWILD_DEVICE_CODE bool apart() const { return apart_; }
  /// Whether the lane applies what it emits.
  HOGWILD_DEVICE_CODE bool emits() const { return apart_ || lane_ == 0; }

 private:
  Warp warp_;
  unsigned lane_ = 0;
  bool apart_ = false;
};

/// On the CPU lanes run one after the other: the first one performs what they do together, and the others get the same
/// numbers in the same order.
template <>
class lanes<host_warp> {
 public:
  HOGWILD_DEVICE_CODE explicit lanes(host_warp warp) : warp_(warp) {}

  HOGWILD_DEVICE_CODE bool begin(unsigned lane, std::uint32_t size) {
    lane_ = lane;
    next_ = 0;
    apart_ = false;
    return lane == 0 || lane < size;
  }
#if defined(__CUDACC__)
#pragma nv_exec_check_disable  // never on a GPU
#endif
  template <class F>
  HOGWILD_DEVICE_CODE float together(const F& f) {
    if (apart_) misused_ = true;
    if (lane_ == 0) {
      numbers_.resize(next_);
      numbers_.push_back(f());
    }
    return next_ < numbers_.size() ? numbers_[next_++] : f();
  }

  HOGWILD_DEVICE_CODE host_warp warp() const {
    return warp_;
  }
  HOGWILD_DEVICE_CODE unsigned lane() const {
    return lane_;
  }
  HOGWILD_DEVICE_CODE void part() {
    if (apart_) misused_ = true;
    apart_ = true;
  }
  HOGWILD_DEVICE_CODE void join() {
    apart_ = false;
  }
  HOGWILD_DEVICE_CODE bool apart() const {
    return apart_;
  }
  HOGWILD_DEVICE_CODE bool emits() const {
    return apart_ || lane_ == 0;
  }
  /// Whether lanes that had diverged were to do something together, for which the lanes of a GPU would wait for each
  /// other for ever, or diverged again.
  HOGWILD_DEVICE_CODE bool misused() const {
    return misused_;
  }

 private:
  host_warp warp_;
  unsigned lane_ = 0;
  std::size_t next_ = 0;
  bool apart_ = false, misused_ = false;
  std::vector<float> numbers_;
};

/// The reader that is passed to gradient(). `Weights` have load(j).
template <class Lanes, class Weights>
class lane_reader {
 public:
  using value_type = float;
  HOGWILD_DEVICE_CODE lane_reader(Lanes& at, const Weights& w) : at_(at), w_(w) {}

  HOGWILD_DEVICE_CODE float operator[](std::size_t j) const {
    if (at_.apart()) return w_.load(j);
    return at_.together([&] {
      typename lanes_warp::template each_lane<float> x;
      at_.warp().first([&](unsigned lane) { x[lane] = w_.load(j); });
      return at_.warp().sum(x);
    });
  }

 private:
  using lanes_warp = std::remove_cvref_t<decltype(std::declval<Lanes&>().warp())>;
  Lanes& at_;
  const Weights& w_;
};

/// The row that is passed to gradient(): the lane's part of it.
template <class Lanes, class I, class V>
class lane_row {
 public:
  using shared_by_lanes = void;
  using entry = sparse_row<float>::entry;
  struct sentinel {};
  class iterator {
   public:
    HOGWILD_DEVICE_CODE iterator(const lane_row& row, std::uint32_t k) : row_(row), k_(k) {}
    HOGWILD_DEVICE_CODE entry operator*() const { return {row_.z_.index[k_], widened(row_.z_.value[k_])}; }
    HOGWILD_DEVICE_CODE iterator& operator++() {
      k_ += warp_width;
      return *this;
    }
    HOGWILD_DEVICE_CODE bool operator!=(sentinel) const {
      if (k_ < row_.z_.size) return true;
      row_.at_.join();
      return false;
    }

   private:
    const lane_row& row_;
    std::uint32_t k_;
  };

  HOGWILD_DEVICE_CODE lane_row(Lanes& at, const margin_row<I, V>& z)
      : label(z.label), weight(z.weight), offset(z.offset), at_(at), z_(z) {}

  HOGWILD_DEVICE_CODE std::size_t size() const { return z_.size; }
  HOGWILD_DEVICE_CODE iterator begin() const {
    at_.part();
    return {*this, at_.lane()};
  }
  HOGWILD_DEVICE_CODE sentinel end() const { return {}; }

  /// The sum of f(j, x) over the whole row, for all lanes.
  template <class F>
  HOGWILD_DEVICE_CODE float sum(const F& f) const {
    return at_.together([&] {
      typename lanes_warp::template each_lane<float> part;
      at_.part();
      at_.warp().deal(z_.size, [&](unsigned lane, std::uint32_t k) {
        part[lane] += f(std::size_t{z_.index[k]}, widened(z_.value[k]));
      });
      at_.join();
      return at_.warp().sum(part);
    });
  }

  float label, weight, offset;  ///< the engine multiplies emitted values by the weight

 private:
  using lanes_warp = std::remove_cvref_t<decltype(std::declval<Lanes&>().warp())>;
  Lanes& at_;
  const margin_row<I, V>& z_;
};

/// The emit that is passed to gradient(): calls apply(j, g) for what the lane has to emit.
template <class Lanes, class Apply>
class lane_emit {
 public:
  HOGWILD_DEVICE_CODE lane_emit(const Lanes& at, const Apply& apply) : at_(at), apply_(apply) {}
  HOGWILD_DEVICE_CODE void operator()(std::size_t j, float g) const {
    if (at_.emits()) apply_(j, g);
  }

 private:
  const Lanes& at_;
  const Apply& apply_;
};

}  // namespace hogwild::device
