// SPDX-License-Identifier: Apache-2.0
#include "member.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/collectives/rank_sum.hpp>
#include <hogwild/error.hpp>

#include "agreed_calls.hpp"
#include "communicator.hpp"

namespace hogwild::nccl {
namespace {

class member final : public detail::typed_collective<member> {
 public:
  member(std::unique_ptr<collective> carrier, std::unique_ptr<device::runtime> on, const functions& with,
         const collective_options& options, std::shared_ptr<closing> together)
      : rank_(carrier->rank()),
        size_(carrier->size()),
        calls_(std::move(carrier)),
        together_(std::move(together)),
        own_(std::make_unique<own_device>(std::move(on))) {
    telling_others([&] {
      own_->here.emplace(*own_->device, piece_bytes);
      own_->there.emplace(*own_->device, piece_bytes * size_);
      // A shorter timeout than that of the others, so that they are told what this member waits for.
      own_->comm.emplace(with, *own_->device, common_id(with), rank_, size_, options.timeout / 2);
    });
    try {
      calls_.announce(operation::join);
    } catch (...) {  // closing it would wait for members that are not there
      own_->comm->abort();
      throw;
    }
  }

  /// Tells the others that it leaves before it spends time closing NCCL.
  ~member() override {
    calls_.leave();
    together_->end(std::move(own_));
  }

  std::size_t rank() const noexcept override { return rank_; }
  std::size_t size() const noexcept override { return size_; }
  bool has_common_memory() const noexcept override { return false; }

  void barrier() override { calls_.announce(operation::barrier); }

  void fail(const std::string& reason) noexcept override { calls_.fail(reason); }

  template <class T>
  void sum_to_all(std::span<T> x) {
    in_pieces<T>(operation::all_reduce, x.size(), 0, [&](std::size_t at, std::size_t n) {
      const std::span<T> piece = x.subspan(at, n);
      const index_range mine = own_part(n);
      sum_own_part<T>(piece, piece.subspan(mine.begin, mine.size()));
      upload(std::span<const T>(piece.subspan(mine.begin, mine.size())), here<T>(mine.begin));
      own_->comm->exchange(to_others([&](std::size_t) { return bytes<T>(here<T>(mine.begin), mine.size()); }),
                           to_others([&](std::size_t r) { return part_here<T>(n, r); }));
      download(here<T>(0), piece);
    });
  }

  template <class T>
  void send_from(std::span<T> x, std::size_t root) {
    detail::check_root(root, size_);
    in_pieces<T>(operation::broadcast, x.size(), root, [&](std::size_t at, std::size_t n) {
      const std::span<T> piece = x.subspan(at, n);
      if (rank_ != root) {
        own_->comm->exchange({}, {{root, here<T>(0), piece.size_bytes()}});
        return download(here<T>(0), piece);
      }
      upload(std::span<const T>(piece), here<T>(0));
      own_->comm->exchange(to_others([&](std::size_t) { return bytes<T>(here<T>(0), n); }), {});
    });
  }

  template <class T>
  void sum_to(std::span<T> x, std::size_t root) {
    detail::check_root(root, size_);
    in_pieces<T>(operation::reduce, x.size(), root, [&](std::size_t at, std::size_t n) {
      const std::span<T> piece = x.subspan(at, n);
      const index_range mine = own_part(n);
      auto& sum = std::get<std::vector<T>>(sums_);
      sum.resize(mine.size());
      sum_own_part<T>(piece, sum);
      upload(std::span<const T>(sum), here<T>(mine.begin));
      if (rank_ != root) return own_->comm->exchange({{root, here<T>(mine.begin), mine.size() * sizeof(T)}}, {});
      own_->comm->exchange({}, to_others([&](std::size_t r) { return part_here<T>(n, r); }));
      download(here<T>(0), piece);
    });
  }

  template <class T>
  void collect(std::span<const T> x, std::span<T> all, std::size_t root) {
    detail::check_root(root, size_);
    if (rank_ == root) detail::check_gathered(all.size(), x.size(), size_);
    in_pieces<T>(
        operation::gather, x.size(), root,
        [&](std::size_t at, std::size_t n) {
          if (rank_ == root) return collect_piece(x, all, at, n, {});
          upload(x.subspan(at, n), here<T>(0));
          own_->comm->exchange({{root, here<T>(0), n * sizeof(T)}}, {});
        },
        [&] { std::ranges::copy(x, all.begin()); });
  }

  template <class T>
  void collect_all(std::span<const T> x, std::span<T> all) {
    detail::check_gathered(all.size(), x.size(), size_);
    in_pieces<T>(
        operation::all_gather, x.size(), 0,
        [&](std::size_t at, std::size_t n) {
          upload(x.subspan(at, n), here<T>(0));
          collect_piece(x, all, at, n, to_others([&](std::size_t) { return bytes<T>(here<T>(0), n); }));
        },
        [&] { std::ranges::copy(x, all.begin()); });
  }

 private:
  using index_range = detail::index_range;
  struct range_here {
    std::byte* at;
    std::size_t bytes;
  };

  /// The device, and memory on it.
  struct own_device {
    explicit own_device(std::unique_ptr<device::runtime> opened) : device(std::move(opened)) {}
    std::unique_ptr<device::runtime> device;
    std::optional<device::buffer<std::byte>> here{};   ///< one piece
    std::optional<device::buffer<std::byte>> there{};  ///< pieces from the others, one of each
    std::optional<communicator> comm{};
  };

  static constexpr std::size_t piece_bytes = std::size_t{4} << 20;  ///< longer arrays go in pieces

  /// The first rank's id, which is that of the group.
  unique_id common_id(const functions& with) {
    std::array<double, sizeof(unique_id) / sizeof(double)> id{};
    if (rank_ == 0) {
      unique_id made{};
      if (const int result = with.get_unique_id(&made); result != success)
        throw resource_error(std::string("NCCL makes no id for a group: ") + with.error_text(result));
      std::memcpy(id.data(), &made, sizeof made);
    }
    const std::vector<double> all = calls_.gather(id);
    unique_id common{};
    std::memcpy(&common, all.data(), sizeof common);
    return common;
  }

  index_range own_part(std::size_t n) const { return detail::part_of(n, rank_, size_); }
  template <class T>
  std::byte* here(std::size_t element) const {
    return own_->here->data() + element * sizeof(T);
  }
  std::byte* there(std::size_t r) const { return own_->there->data() + r * piece_bytes; }
  template <class T>
  static range_here bytes(std::byte* at, std::size_t n) {
    return {at, n * sizeof(T)};
  }
  template <class T>
  range_here part_here(std::size_t n, std::size_t r) const {
    const index_range part = detail::part_of(n, r, size_);
    return {here<T>(part.begin), part.size() * sizeof(T)};
  }
  /// A message for each other rank.
  template <class Range>
  std::vector<message> to_others(const Range& range) const {
    std::vector<message> all;
    for (std::size_t k = 1; k < size_; ++k) {
      const std::size_t r = (rank_ + k) % size_;
      const range_here at = range(r);
      all.push_back({r, at.at, at.bytes});
    }
    return all;
  }

  template <class T>
  void upload(std::span<const T> from, std::byte* to) {
    if (!from.empty()) own_->device->upload(to, from.data(), from.size_bytes());
  }
  template <class T>
  void download(const std::byte* from, std::span<T> to) {
    if (!to.empty()) own_->device->download(to.data(), from, to.size_bytes());
  }

  /// `sum` becomes this rank's part of the sum over all ranks' x; it may be that part of x.
  template <class T>
  void sum_own_part(std::span<T> x, std::span<T> sum) {
    const index_range mine = own_part(x.size());
    upload(std::span<const T>(x), here<T>(0));
    own_->comm->exchange(to_others([&](std::size_t r) { return part_here<T>(x.size(), r); }),
                         to_others([&](std::size_t r) { return bytes<T>(there(r), mine.size()); }));
    auto& parts = std::get<std::vector<T>>(parts_);
    parts.resize(size_ * mine.size());
    std::vector<const T*> sources(size_, x.data() + mine.begin);
    for (std::size_t r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      download(there(r), std::span(parts).subspan(r * mine.size(), mine.size()));
      sources[r] = parts.data() + r * mine.size();
    }
    finish();
    T* const target = sum.data();
    detail::sum_in_order<T>(sources, std::span(&target, 1), {0, mine.size()});
  }

  /// Collects all ranks' x[at, at + n) in `all`; this rank's own part is copied.
  template <class T>
  void collect_piece(std::span<const T> x, std::span<T> all, std::size_t at, std::size_t n,
                     const std::vector<message>& sent) {
    own_->comm->exchange(sent, to_others([&](std::size_t r) { return bytes<T>(there(r), n); }));
    for (std::size_t r = 0; r < size_; ++r) {
      if (r != rank_) download(there(r), all.subspan(r * x.size() + at, n));
    }
    std::ranges::copy(x.subspan(at, n), all.begin() + static_cast<std::ptrdiff_t>(rank_ * x.size() + at));
  }

  void finish() { own_->device->wait(own_->device->mark()); }

  /// Runs body(); if it throws, all others throw, too.
  template <class Body>
  void telling_others(const Body& body) {
    try {
      return body();
    } catch (const unfinished&) {  // the carrier knows who is lost; if nobody is, all report that NCCL is broken
    } catch (const resource_error& e) {
      if (own_->comm) own_->comm->abort();
      calls_.fail(e.what());
      throw;
    } catch (const std::bad_alloc&) {
      if (own_->comm) own_->comm->abort();
      calls_.fail("rank " + std::to_string(rank_) + " has no memory for the numbers that NCCL moves");
      throw;
    }
    if (own_->comm) own_->comm->abort();
    calls_.announce(operation::broken);
  }

  /// Runs body(at, n) for each piece of the `length` elements that all members have; alone() if there is only one
  /// member.
  template <class T, class Body, class Alone>
  void in_pieces(operation call, std::size_t length, std::size_t root, const Body& body, const Alone& alone) {
    calls_.announce(call, sizeof(T), length, root);
    if (size_ == 1) return alone();
    constexpr std::size_t most = piece_bytes / sizeof(T);
    telling_others([&] {
      for (std::size_t at = 0; at < length; at += most) {
        body(at, std::min(most, length - at));
        finish();
      }
    });
  }
  template <class T, class Body>
  void in_pieces(operation call, std::size_t length, std::size_t root, const Body& body) {
    in_pieces<T>(call, length, root, body, [] {});
  }

  std::size_t rank_, size_;
  agreed_calls calls_;
  std::shared_ptr<closing> together_;
  std::unique_ptr<own_device> own_;
  std::tuple<std::vector<float>, std::vector<double>> parts_, sums_;  ///< of one piece: received; for another rank
};

}  // namespace

std::unique_ptr<collective> join(std::unique_ptr<collective> carrier, std::unique_ptr<device::runtime> on,
                                 const functions& with, const collective_options& options,
                                 std::shared_ptr<closing> together) {
  return std::make_unique<member>(std::move(carrier), std::move(on), with, options, std::move(together));
}

}  // namespace hogwild::nccl
