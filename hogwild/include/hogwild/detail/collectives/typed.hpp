// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/detail/collectives/collective.hpp>

namespace hogwild::detail {

/// Both overloads of each call, from Member's templates sum_to_all, send_from, sum_to, collect and collect_all.
template <class Member>
class typed_collective : public collective {
 public:
  void all_reduce(std::span<float> x) final { self().sum_to_all(x); }
  void all_reduce(std::span<double> x) final { self().sum_to_all(x); }
  void broadcast(std::span<float> x, std::size_t root) final { self().send_from(x, root); }
  void broadcast(std::span<double> x, std::size_t root) final { self().send_from(x, root); }
  void reduce(std::span<float> x, std::size_t root) final { self().sum_to(x, root); }
  void reduce(std::span<double> x, std::size_t root) final { self().sum_to(x, root); }
  void gather(std::span<const float> x, std::span<float> all, std::size_t root) final { self().collect(x, all, root); }
  void gather(std::span<const double> x, std::span<double> all, std::size_t root) final {
    self().collect(x, all, root);
  }
  void all_gather(std::span<const float> x, std::span<float> all) final { self().collect_all(x, all); }
  void all_gather(std::span<const double> x, std::span<double> all) final { self().collect_all(x, all); }

 private:
  Member& self() { return static_cast<Member&>(*this); }
};

}  // namespace hogwild::detail
