// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/embeddings/row_index.hpp>

#include <sys/mman.h>
#include <tbb/parallel_for.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

// Its own products differ between instruction sets.
#define NO_MANUAL_VECTORIZATION
#include <hnswlib/hnswlib.h>

#include <hogwild/detail/embeddings/nearest_rows.hpp>
#include <hogwild/detail/memory/lined_floats.hpp>
#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

#include "platform/tbb_arena.hpp"
#include "platform/trusted_file.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace {

/// What the graph is made of: links of a row, and how many rows are looked at for them, as hnswlib's authors advise.
constexpr std::size_t links = 16, looked_at_for_links = 200;

/// The beginning of a file; the graph in hnswlib's form follows.
struct index_head {
  std::array<char, 16> kind{'h', 'o', 'g', 'w', 'i', 'l', 'd', ' ', 'i', 'n', 'd', 'e', 'x', ' ', '1', '\n'};
  std::uint64_t rows = 0, width = 0, of_rows = 0;  ///< of_rows: a checksum of their numbers
  std::uint64_t bytes = 0, of_graph = 0;           ///< of what follows: its size and its checksum

  bool operator==(const index_head&) const = default;
};

/// Vectors of length 1, each on cache lines of its own. To hnswlib a vector is its number here.
class unit_rows final : public hnswlib::SpaceInterface<float> {
 public:
  unit_rows(std::span<const float> rows, std::size_t width)
      : kernels_(embedding_kernels_of(isa::automatic)),
        wide_(padded_to_lanes(width)),
        count_(rows.size() / width),
        values_(count_ * wide_) {
    for (std::size_t k = 0; k < count_; ++k) {
      const std::span<const float> row = rows.subspan(k * width, width);
      const float length = length_of(row);
      std::ranges::transform(row, values_.data() + k * wide_, [&](float x) { return x / length; });
    }
  }

  std::size_t count() const { return count_; }
  float cosine(std::uint32_t a, std::uint32_t b) const {
    return kernels_.dot(values_.data() + a * wide_, values_.data() + b * wide_, wide_);
  }

  std::size_t get_data_size() override { return sizeof(std::uint32_t); }
  hnswlib::DISTFUNC<float> get_dist_func() override { return distance; }
  void* get_dist_func_param() override { return this; }

 private:
  static float distance(const void* a, const void* b, const void* space) {
    return 1.0f - static_cast<const unit_rows*>(space)->cosine(number(a), number(b));
  }
  static std::uint32_t number(const void* at) {
    std::uint32_t row;
    std::memcpy(&row, at, sizeof row);
    return row;
  }

  const embedding_kernels& kernels_;
  std::size_t wide_, count_;
  lined_floats values_;
};

/// hnswlib reads and writes by paths alone.
class graph_in_memory {
 public:
  graph_in_memory() : fd_(::memfd_create("hogwild-index", MFD_CLOEXEC)) {
    if (!fd_) throw resource_error(std::string("no file in memory can be made: ") + std::strerror(errno));
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }
  void put(std::span<const std::byte> bytes) const { write_all(fd_.get(), bytes, "a file in memory"); }

 private:
  detail::unique_fd fd_;
};

}  // namespace

struct row_index::graph {
  graph(std::span<const float> of, std::size_t width, std::size_t unseen)
      : rows(of, width), known(rows.count() - unseen) {
    head.rows = known, head.width = width, head.of_rows = detail::checksum(of.first(known * width));
  }

  unit_rows rows;
  std::size_t known;  ///< rows that may be found
  index_head head{};  ///< without the figures of the graph
  std::unique_ptr<hnswlib::HierarchicalNSW<float>> near{};
};

row_index::row_index(std::span<const float> rows, std::size_t width, std::size_t unseen)
    : graph_(std::make_unique<graph>(rows, width, unseen)) {}
row_index::row_index(row_index&&) noexcept = default;
row_index::~row_index() = default;

void row_index::build() {
  graph& g = *graph_;
  g.near = std::make_unique<hnswlib::HierarchicalNSW<float>>(&g.rows, g.known, links, looked_at_for_links);
  for (std::uint32_t k = 0; k < g.known; ++k) g.near->addPoint(&k, k);
}

void row_index::write(const std::string& path) const {
  const graph_in_memory memory;
  graph_->near->saveIndex(memory.path());
  std::string own;
  const std::vector<std::byte> bytes = detail::read_whole_file(memory.path(), own);
  index_head head = graph_->head;
  head.bytes = bytes.size(), head.of_graph = detail::checksum(std::span(bytes));
  atomic_file file(path, atomic_file::writers::owner);
  file.write(std::as_bytes(std::span(&head, 1)));
  file.write(bytes);
  file.commit();
}

std::string row_index::read(const std::string& path) {
  std::string distrusted;
  const std::vector<std::byte> all = detail::read_whole_file(path, distrusted);
  if (!distrusted.empty()) throw input_error(path + ": is not used as an index: it " + distrusted);
  index_head head;
  const std::size_t begun = std::min(all.size(), head.kind.size());
  if (begun == 0 || std::memcmp(all.data(), head.kind.data(), begun) != 0)
    throw input_error(path + ": this is no index, and would be replaced by one: move it away");
  const std::string not_whole = "the one that is there is not whole";
  if (all.size() < sizeof head) return not_whole;
  std::memcpy(&head, all.data(), sizeof head);
  const std::span<const std::byte> bytes = std::span(all).subspan(sizeof head);
  index_head wanted = graph_->head;
  wanted.bytes = head.bytes, wanted.of_graph = head.of_graph;
  if (head != wanted) return "the one that is there is of other vectors";
  if (bytes.size() != head.bytes || detail::checksum(bytes) != head.of_graph) return not_whole;
  const graph_in_memory memory;
  memory.put(bytes);
  try {
    graph_->near = std::make_unique<hnswlib::HierarchicalNSW<float>>(&graph_->rows, memory.path());
  } catch (const std::exception&) {
    return "the one that is there is of another hnswlib";
  }
  graph_->near->num_deleted_ = 0;  // which hnswlib 0.6 leaves as it was in memory
  return {};
}

std::vector<std::vector<scored_target>> row_index::of(std::span<const std::uint32_t> asked, std::size_t top) const {
  graph& g = *graph_;
  const std::size_t most = std::min(top, g.known);
  g.near->setEf(std::max<std::size_t>(2 * most + 2, looked_at_for_links));
  std::vector<std::vector<scored_target>> found(asked.size());
  const auto find = [&](std::size_t k) {
    auto near = g.near->searchKnn(&asked[k], std::min(most + 1, g.known));  // itself, too
    for (; !near.empty(); near.pop()) {
      const auto row = static_cast<std::uint32_t>(near.top().second);
      if (row != asked[k]) found[k].push_back({row, g.rows.cosine(asked[k], row)});
    }
    std::ranges::sort(found[k], [](const scored_target& a, const scored_target& b) {
      return a.score != b.score ? a.score > b.score : a.target < b.target;
    });
    if (found[k].size() > most) found[k].resize(most);
  };
  detail::with_tbb_threads({}, [&] { tbb::parallel_for(std::size_t{0}, asked.size(), find); });
  return found;
}

}  // namespace hogwild
