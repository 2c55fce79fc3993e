// SPDX-License-Identifier: Apache-2.0
#include <hogwild/mpi/collective.hpp>

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/detail/collectives/rank_sum.hpp>

#include "messages.hpp"

namespace hogwild {

namespace detail {

// Short and long arrays use different tags: an unexpected tag means that another rank makes another call.
enum tag : int {
  all_reduce_tag,
  short_all_reduce_tag,
  broadcast_tag,
  short_broadcast_tag,
  reduce_tag,
  gather_tag,
  all_gather_tag,
  barrier_tag
};

class mpi_collective final : public typed_collective<mpi_collective> {
 public:
  mpi_collective(mpi_session::state& session, const collective_options& options) : messages_(session, options) {}

  std::size_t rank() const noexcept override { return messages_.rank(); }
  std::size_t size() const noexcept override { return messages_.size(); }

  bool has_common_memory() const noexcept override { return false; }

  void barrier() override {
    messages_.begin("barrier", barrier_tag);
    for_others([&](std::size_t r) {
      messages_.send<float>(nullptr, 0, r);
      messages_.receive<float>(nullptr, 0, r);
    });
    messages_.finish();
  }

  void fail(const std::string& reason) noexcept override {
    constexpr std::size_t longest = 300;
    try {
      messages_.tell(failed_text(rank(), size(), reason.substr(0, longest)));
    } catch (...) {  // no memory for the whole message
      messages_.tell("a rank gave up");
    }
  }

  template <class T>
  void sum_to_all(std::span<T> x) {
    if (size() == 1) return;
    in_pieces(x, [&](std::span<T> piece) {
      messages_.begin("all_reduce", is_short(piece) ? short_all_reduce_tag : all_reduce_tag);
      if (is_short(piece)) return sum_everywhere(piece);
      sum_own_part(piece, part(piece, rank()));
      hand_around(piece, size());
    });
  }

  template <class T>
  void send_from(std::span<T> x, std::size_t root) {
    check_root(root, size());
    if (size() == 1) return;
    in_pieces(x, [&](std::span<T> piece) {
      const bool whole = is_short(piece);
      messages_.begin("broadcast", whole ? short_broadcast_tag : broadcast_tag);
      const auto fraction = [&](std::size_t r) { return whole ? piece : part(piece, r); };
      if (rank() == root) {
        for_others([&](std::size_t r) { send(fraction(r), r); });
      } else {
        receive(fraction(rank()), root);
      }
      messages_.finish();
      if (!whole) hand_around(piece, root);
    });
  }

  template <class T>
  void sum_to(std::span<T> x, std::size_t root) {
    check_root(root, size());
    if (size() == 1) return;
    in_pieces(x, [&](std::span<T> piece) {
      messages_.begin("reduce", reduce_tag);
      const std::span<T> own = part(piece, rank());
      if (rank() == root) {
        sum_own_part(piece, own);
        for_others([&](std::size_t r) { receive(part(piece, r), r); });
      } else {
        std::vector<T>& sum = std::get<std::vector<T>>(sums_);
        if (sum.size() < own.size()) sum.resize(own.size());
        sum_own_part(piece, std::span(sum).first(own.size()));
        send(std::span(sum).first(own.size()), root);
      }
      messages_.finish();
    });
  }

  template <class T>
  void collect(std::span<const T> x, std::span<T> all, std::size_t root) {
    check_root(root, size());
    if (rank() == root) check_gathered(all.size(), x.size(), size());
    in_pieces(x, [&](std::span<const T> piece) {
      messages_.begin("gather", gather_tag);
      const auto at = static_cast<std::size_t>(piece.data() - x.data());
      if (rank() == root) {
        for_others([&](std::size_t r) { receive(all.subspan(r * x.size() + at, piece.size()), r); });
        std::copy(piece.begin(), piece.end(), all.begin() + static_cast<std::ptrdiff_t>(rank() * x.size() + at));
      } else {
        send(piece, root);
      }
      messages_.finish();
    });
  }

  template <class T>
  void collect_all(std::span<const T> x, std::span<T> all) {
    check_gathered(all.size(), x.size(), size());
    in_pieces(x, [&](std::span<const T> piece) {
      messages_.begin("all_gather", all_gather_tag);
      const auto at = static_cast<std::size_t>(piece.data() - x.data());
      for_others([&](std::size_t r) {
        receive(all.subspan(r * x.size() + at, piece.size()), r);
        send(piece, r);
      });
      std::copy_n(piece.data(), piece.size(), all.data() + rank() * x.size() + at);
      messages_.finish();
    });
  }

 private:
  /// Bounds the memory besides the caller's arrays, and the counts of MPI, which are ints.
  static constexpr std::size_t longest_piece = std::size_t{1} << 22;
  /// Bytes of all ranks together below which a second round of messages costs more than the bytes that it saves.
  static constexpr std::size_t short_bytes = 32 * 1024;

  template <class T, class Body>
  static void in_pieces(std::span<T> x, const Body& body) {
    for (std::size_t at = 0;; at += longest_piece) {
      body(x.subspan(at, std::min(longest_piece, x.size() - at)));
      if (x.size() - at <= longest_piece) return;
    }
  }
  template <class Body>
  void for_others(const Body& body) const {
    // Each rank begins with the one after it, so that not all send to the same rank first.
    for (std::size_t k = 1; k < size(); ++k) body((rank() + k) % size());
  }
  template <class T>
  bool is_short(std::span<T> x) const {
    return x.size_bytes() * size() <= short_bytes;
  }
  template <class T>
  std::span<T> part(std::span<T> x, std::size_t r) const {
    const index_range range = part_of(x.size(), r, size());
    return x.subspan(range.begin, range.size());
  }
  template <class T>
  void send(std::span<T> x, std::size_t to) {
    messages_.send<std::remove_const_t<T>>(x.data(), x.size(), to);
  }
  template <class T>
  void receive(std::span<T> x, std::size_t from) {
    messages_.receive(x.data(), x.size(), from);
  }
  /// `sum` becomes the sum of this rank's `mine` and of what all others send, in the order of the ranks; the others are
  /// sent part_for(rank). `sum` may be `mine`.
  template <class T, class Parts>
  void add_up(std::span<T> mine, const Parts& part_for, std::span<T> sum) {
    std::vector<const T*> sources(size(), mine.data());
    for_others([&](std::size_t r) {
      sources[r] = messages_.receive_here<T>(mine.size(), r);
      send(part_for(r), r);
    });
    messages_.finish();
    T* const target = sum.data();
    sum_in_order<T>(sources, std::span(&target, 1), {0, mine.size()});
  }

  /// Every rank gets all numbers and adds them.
  template <class T>
  void sum_everywhere(std::span<T> x) {
    add_up(
        x, [x](std::size_t) { return x; }, x);
  }

  /// `sum` becomes this rank's part of the sum over all ranks' x.
  template <class T>
  void sum_own_part(std::span<T> x, std::span<T> sum) {
    add_up(
        part(x, rank()), [&](std::size_t r) { return part(x, r); }, sum);
  }

  /// Every rank gets the parts of all others, except for `has_all`, which needs none.
  template <class T>
  void hand_around(std::span<T> x, std::size_t has_all) {
    for_others([&](std::size_t r) {
      if (rank() != has_all) receive(part(x, r), r);
      if (r != has_all) send(part(x, rank()), r);
    });
    messages_.finish();
  }

  messages messages_;
  std::tuple<std::vector<float>, std::vector<double>> sums_;  ///< for another rank
};

}  // namespace detail

std::unique_ptr<collective> join_mpi_group(mpi_session& session, const collective_options& options) {
  return std::make_unique<detail::mpi_collective>(session.internals(), options);
}

}  // namespace hogwild
