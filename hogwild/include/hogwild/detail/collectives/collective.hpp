// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <string>

// What the synchronous engines stand on: a fixed number of members, each with a rank, that compute together.
//
// A class with virtual functions and not a concept, because an engine calls it once a mini-batch, for kilobytes to
// megabytes: one indirect call is nothing, and engines are compiled once instead of once a transport.

namespace hogwild {

struct collective_options {
  /// How long a call waits for another member. Longer than the longest thing that a member does alone.
  std::chrono::nanoseconds timeout = std::chrono::seconds(30);
};

/// One member of a group. All members make the same calls in the same order, with equal lengths and roots; a member is
/// used by one thread at a time. A call returns when this member's part in it is over: its spans may be changed again.
///
/// No call waits for ever. Where a member ends, leaves, fails, makes another call than the others or does not come
/// within the timeout, every call of every other member, at once or at the latest after its own timeout, throws
/// worker_error with a sentence that says which rank was lost and what to do; so does every later call. What spans hold
/// after that is unspecified, and another member may still be reading or writing one: it must stay until all members
/// have thrown or left.
///
/// Sums are taken in the order of the ranks, ((x0 + x1) + x2) + ..., by every kind of collective, so that they are the
/// same bits in every run, on all members, whether these are threads, processes or machines (NaNs but for their
/// payloads).
class collective {
 public:
  collective(const collective&) = delete;
  collective& operator=(const collective&) = delete;
  /// Leaves the group: whoever still waits for this member throws.
  virtual ~collective() = default;

  virtual std::size_t rank() const noexcept = 0;  ///< below size()
  virtual std::size_t size() const noexcept = 0;

  /// Whether members reach each other's numbers in common memory, so that bytes cost little beside finding them.
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

  /// The root's `all`, of size() * x.size() elements, receives all members' x by rank; what others give there is not
  /// looked at. `all` and x must not overlap.
  virtual void gather(std::span<const float> x, std::span<float> all, std::size_t root) = 0;
  virtual void gather(std::span<const double> x, std::span<double> all, std::size_t root) = 0;

  /// The same for all members: everybody's `all` receives all members' x by rank, bit by bit.
  virtual void all_gather(std::span<const float> x, std::span<float> all) = 0;
  virtual void all_gather(std::span<const double> x, std::span<double> all) = 0;

  /// Returns when all members have called it.
  virtual void barrier() = 0;

  /// Says that this member cannot go on: the others throw worker_error with this reason (its first 300 bytes) instead
  /// of waiting for it. By the member's own thread, between calls.
  virtual void fail(const std::string& reason) noexcept = 0;

 protected:
  collective() = default;
};

}  // namespace hogwild
