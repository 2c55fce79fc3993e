// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/words/cooccurrences.hpp>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/detail/data/half.hpp>
#include <hogwild/detail/data/row_cursor.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>

#include "data/dataset_writer.hpp"
#include "data/ingest.hpp"
#include "data/narrowing.hpp"
#include "data/writable_arrays.hpp"
#include "platform/tbb_arena.hpp"
#include "words/pair_runs.hpp"

namespace hogwild {
namespace {

using detail::pair_count;
using detail::pair_runs;

constexpr double units = 0x1p20;  ///< of a count

/// Counts pairs in a table that fits into a core's cache, and hands it over when it is half full.
class pair_table {
 public:
  explicit pair_table(pair_runs& to) : to_(to), slots_(slots) {}

  void add(std::uint64_t key, std::uint64_t count) {
    for (std::size_t at = key >> (64 - bits);; at = (at + 1) % slots) {
      pair_count& slot = slots_[at];
      if (slot.count == 0) {
        slot = {key, count};
        if (++used_ == slots / 2) flush();
        return;
      }
      if (slot.key == key) {
        slot.count += count;
        return;
      }
    }
  }

  void flush() {
    std::vector<pair_count> pairs;
    pairs.reserve(used_);
    std::ranges::copy_if(slots_, std::back_inserter(pairs), [](const pair_count& pair) { return pair.count > 0; });
    // Nearly in order already: by the slots.
    std::ranges::sort(pairs, {}, &pair_count::key);
    to_.add(std::move(pairs));
    std::ranges::fill(slots_, pair_count{});
    used_ = 0;
  }

 private:
  static constexpr unsigned bits = 16;
  static constexpr std::size_t slots = std::size_t{1} << bits;

  pair_runs& to_;
  std::vector<pair_count> slots_;
  std::size_t used_ = 0;
};

class cooccurrence_counting {
 public:
  cooccurrence_counting(const sparse_view& sentences, const cooccurrence_options& options)
      : sentences_(sentences), options_(options), runs_(options.memory / 2, options.scratch) {}

  sparse_dataset run() {
    count();
    if (!runs_.in_file()) kept_.resize(pair_runs::parts);
    std::vector<std::uint64_t> first(pair_runs::parts + 1);
    tbb::parallel_for(std::size_t{0}, pair_runs::parts, [&](std::size_t p) {
      std::vector<pair_count> pairs = runs_.pairs(p);
      for (const pair_count& pair : pairs) first[p + 1] += is_double(pair) ? 1 : 2;
      if (!kept_.empty()) kept_[p] = std::move(pairs);
    });
    for (std::size_t p = 0; p < pair_runs::parts; ++p) first[p + 1] += first[p];
    if (first.back() == 0)
      throw input_error("no two words of the text stand in one sentence: there is nothing to learn");
    if (first.back() > std::numeric_limits<std::uint32_t>::max())
      throw input_error("the text has " + std::to_string(first.back()) +
                        " pairs of words that stand near each other; at most 4294967295 are supported: take a smaller "
                        "window, or fewer words by a larger --min-count");
    return write(first);
  }

 private:
  static bool is_double(const pair_count& pair) {
    const auto [a, b] = pair.words();
    return a == b;
  }

  void count() {
    std::vector<std::uint64_t> part_of_distance(options_.window + 1);
    for (std::size_t d = 1; d <= options_.window; ++d)
      part_of_distance[d] = static_cast<std::uint64_t>(std::lround(units / static_cast<double>(d)));
    tbb::enumerable_thread_specific<pair_table> tables([&] { return pair_table(runs_); });
    constexpr std::size_t rows_at_once = 64;
    tbb::parallel_for(std::size_t{0}, (sentences_.rows() + rows_at_once - 1) / rows_at_once, [&](std::size_t chunk) {
      const std::size_t first = chunk * rows_at_once, last = std::min(first + rows_at_once, sentences_.rows());
      sentences_.ensure(first, last);
      row_cursor cursor(sentences_);
      pair_table& table = tables.local();
      for (std::size_t r = first; r < last; ++r) {
        const std::span<const std::uint32_t> words = cursor.row(r).index;
        for (std::size_t k = 1; k < words.size(); ++k)
          for (std::size_t d = 1; d <= std::min(options_.window, k); ++d) {
            const auto [less, more] = std::minmax(words[k], words[k - d]);
            table.add(pair_count::key_of(less, more), part_of_distance[d]);
          }
      }
    });
    for (pair_table& table : tables) table.flush();
  }

  sparse_dataset write(const std::vector<std::uint64_t>& first) const {
    detail::dataset_writer file = make_file(first.back());
    const detail::writable_arrays to(file.arrays());
    const std::size_t words = sentences_.columns;
    tbb::enumerable_thread_specific<std::vector<std::uint32_t>> degrees(
        [&] { return std::vector<std::uint32_t>(words); });
    tbb::parallel_for(std::size_t{0}, pair_runs::parts, [&](std::size_t p) {
      std::vector<std::uint32_t>& degree = degrees.local();
      std::uint64_t row = first[p];
      const auto add = [&](std::uint32_t word, std::uint32_t other, double label) {
        const std::array<std::size_t, 2> columns{word, words + other};
        for (std::size_t k = 0; k < 2; ++k) {
          if (to.index16.empty())
            to.index[2 * row + k] = static_cast<std::uint32_t>(columns[k]);
          else
            to.index16[2 * row + k] = static_cast<std::uint16_t>(columns[k]);
          to.value16[2 * row + k] = to_half(1.0f);
        }
        to.label[row] = label;
        ++degree[word];
        to.start_row(row, 2 * row), ++row;
      };
      for (const pair_count& pair : kept_.empty() ? runs_.pairs(p) : kept_[p]) {
        const auto [a, b] = pair.words();
        // A word beside itself is met from both sides.
        const double label = std::log(static_cast<double>(pair.count) / units * (a == b ? 2.0 : 1.0));
        add(a, b, label);
        if (a != b) add(b, a, label);
      }
    });
    to.start_row(first.back(), 2 * first.back());
    std::vector<std::uint32_t> original(2 * words), degree(2 * words);
    for (std::uint32_t w = 0; w < words; ++w) {
      original[w] = user_column(w), original[words + w] = item_column(w);
      for (const std::vector<std::uint32_t>& part : degrees) degree[w] += part[w];
      degree[words + w] = degree[w];
    }
    to.columns(original, degree);
    const detail::cache_header& sizes = file.arrays().header;
    tbb::parallel_for(std::uint64_t{0}, sizes.blocks(), [&](std::uint64_t block) {
      file.seal_block(block, 2 * std::min((block + 1) * sizes.rows_per_block, sizes.rows));
    });
    return std::move(file).finish();
  }

  detail::dataset_writer make_file(std::uint64_t rows) const {
    detail::cache_header sizes;
    sizes.rows = rows;
    sizes.columns = 2 * sentences_.columns;
    sizes.first_singleton = sizes.columns;
    sizes.nonzeros = 2 * rows;
    sizes.rows_per_block = detail::rows_per_block(sizes.rows, sizes.nonzeros);
    sizes.kind = detail::input_format::ratings;
    sizes.value_bytes = 2;
    detail::narrow_indices(sizes);
    const std::uint64_t bytes = rows * (2 * (std::uint64_t{sizes.index_bytes} + sizes.value_bytes) + sizeof(double));
    if (options_.scratch.empty() || bytes <= options_.memory) return detail::dataset_writer::in_memory(sizes);
    return detail::dataset_writer::nameless(options_.scratch, sizes);
  }

  const sparse_view& sentences_;
  const cooccurrence_options& options_;
  pair_runs runs_;
  std::vector<std::vector<pair_count>> kept_;  ///< the pairs of each part, if none are in a file
};

}  // namespace

sparse_dataset count_cooccurrences(const sparse_view& sentences, const cooccurrence_options& options) {
  if (options.window < 1 || options.window > 1000) throw config_error("a window has 1 to 1000 words on each side");
  if (sentences.columns > largest_rating_id)
    throw input_error("the text has " + std::to_string(sentences.columns) + " words; at most " +
                      std::to_string(largest_rating_id) + " are supported");
  try {
    return detail::with_tbb_threads(options.threads, [&] { return cooccurrence_counting(sentences, options).run(); });
  } catch (const std::bad_alloc&) {
    throw resource_error(
        "there is not enough memory to count the pairs of words; give --memory, so that they go to files");
  }
}

}  // namespace hogwild
