// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

// The synchronous engines build on this: a fixed number of members, each with a rank, that compute together.
//
// This is a class with virtual functions and not a concept: an engine calls it once a mini-batch, for kilobytes to
// megabytes, so that an indirect call costs nothing, and engines are compiled once instead of once a transport.

namespace hogwild {

struct collective_options {
  /// How long a call waits for another member. It must be longer than the longest thing that a member does alone.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

/// One member of a group. All members make the same calls in the same order, with equal lengths and roots. One thread
/// at a time uses a member. A call returns when this member's part in it is done; its spans may then be changed.
///
/// No call waits for ever. If a member ends, leaves, fails, makes another call than the others or does not come within
/// the timeout, then every call of every other member throws worker_error, at once or at the latest after its own
/// timeout, and so does every later call. The message says which rank was lost and what to do. After that the contents
/// of spans are unspecified, and another member may still be reading or writing one: a span must stay alive until all
/// members have thrown or left.
///
/// Every kind of collective sums in the order of the ranks, ((x0 + x1) + x2) + .... Sums therefore have the same bits
/// in every run and on all members, whether these are threads, processes or machines (except for the payloads of NaNs).
class collective {
 public:
  collective(const collective&) = delete;
  collective& operator=(const collective&) = delete;
  /// Leaves the group: members that still wait for this one throw.
  virtual ~collective() = default;

  virtual std::size_t rank() const noexcept = 0;  ///< below size()
  virtual std::size_t size() const noexcept = 0;

  /// Whether members have common memory for their numbers: then starting a call costs more than moving its bytes.
  virtual bool has_common_memory() const noexcept = 0;

  /// x becomes the sum over all members' x.
  virtual void all_reduce(std::span<float> x) = 0;
  virtual void all_reduce(std::span<double> x) = 0;

  /// x becomes the root's x. `root` is below size(), here and below.
  virtual void broadcast(std::span<float> x, std::size_t root) = 0;
  virtual void broadcast(std::span<double> x, std::size_t root) = 0;

  /// The root's x becomes the sum over all members' x; those of the others stay as they are.
  virtual void reduce(std::span<float> x, std::size_t root) = 0;
  virtual void reduce(std::span<double> x, std::size_t root) = 0;

  /// The root's `all`, of size() * x.size() elements, receives all members' x by rank; the `all` of other members is
  /// ignored. `all` and x must not overlap.
  virtual void gather(std::span<const float> x, std::span<float> all, std::size_t root) = 0;
  virtual void gather(std::span<const double> x, std::span<double> all, std::size_t root) = 0;

  /// Like gather() for every member: each `all` receives all members' x by rank, bit by bit.
  virtual void all_gather(std::span<const float> x, std::span<float> all) = 0;
  virtual void all_gather(std::span<const double> x, std::span<double> all) = 0;

  /// Returns when all members have called it.
  virtual void barrier() = 0;

  /// Tells the others that this member cannot go on: they throw worker_error with this reason (its first 300 bytes)
  /// instead of waiting. The member's own thread calls it, between other calls.
  virtual void fail(const std::string& reason) noexcept = 0;

 protected:
  collective() = default;
};

namespace detail {

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

}  // namespace detail
}  // namespace hogwild
