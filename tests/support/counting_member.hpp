// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild::test {

/// A member of a group that counts the sums of arrays of a given length.
class counting_member final : public detail::typed_collective<counting_member> {
 public:
  counting_member(collective& of, std::size_t length) : of_(of), length_(length) {}
  std::size_t sums() const { return sums_; }

  std::size_t rank() const noexcept override { return of_.rank(); }
  std::size_t size() const noexcept override { return of_.size(); }
  bool has_common_memory() const noexcept override { return of_.has_common_memory(); }
  void barrier() override { of_.barrier(); }
  void fail(const std::string& reason) noexcept override { of_.fail(reason); }

  template <class T>
  void sum_to_all(std::span<T> x) {
    sums_ += x.size() == length_;
    of_.all_reduce(x);
  }
  template <class T>
  void sum_to(std::span<T> x, std::size_t root) {
    of_.reduce(x, root);
  }
  template <class T>
  void collect(std::span<const T> x, std::span<T> all, std::size_t root) {
    of_.gather(x, all, root);
  }
  template <class T>
  void collect_all(std::span<const T> x, std::span<T> all) {
    of_.all_gather(x, all);
  }
  template <class T>
  void send_from(std::span<T> x, std::size_t root) {
    of_.broadcast(x, root);
  }

 private:
  collective& of_;
  std::size_t length_, sums_ = 0;
};

}  // namespace hogwild::test
