// SPDX-License-Identifier: Apache-2.0
#include <hogwild/formats/corpus.hpp>

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/data/column_parts.hpp>
#include <hogwild/detail/data/half.hpp>
#include <hogwild/error.hpp>

#include "data/dataset_writer.hpp"
#include "data/ingest.hpp"
#include "data/narrowing.hpp"
#include "data/writable_arrays.hpp"
#include "platform/tbb_arena.hpp"
#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"
#include "words/word_passes.hpp"
#include "words/word_table.hpp"

namespace hogwild {
namespace {

using detail::word_table;

/// Words and the number of occurrences of each, in the order in which one thread met them.
struct word_counts {
  word_table words;
  std::vector<std::uint64_t> count;

  void add(std::string_view word, std::uint64_t times) {
    const std::uint32_t number = words.insert(word);
    if (number == count.size()) count.push_back(0);
    count[number] += times;
  }
};

/// The most words of a row.
std::size_t longest_row(const corpus_options& options) {
  return options.documents ? std::numeric_limits<std::size_t>::max() : options.sentence;
}

/// Finds where sentences begin: at each line that has words, and within it whenever the sentence is full; or at each
/// line.
class sentence_counter {
 public:
  explicit sentence_counter(const corpus_options& options)
      : longest_(longest_row(options)), documents_(options.documents) {}
  void words(std::uint64_t n) { of_line_ += n; }
  void end_line() {
    sentences_ += of_line_ / longest_ + (of_line_ % longest_ > 0 || documents_ ? 1 : 0);
    of_line_ = 0;
  }
  /// At the end of the text, which is no line if it has no words there.
  void end() {
    if (of_line_ > 0) end_line();
  }
  std::uint64_t sentences() const { return sentences_; }

 private:
  std::uint64_t longest_;
  bool documents_;
  std::uint64_t of_line_ = 0, sentences_ = 0;
};

/// Writes rows, one word after the other.
class row_writer {
 public:
  row_writer(detail::dataset_writer& file, const corpus_options& options)
      : sizes_(file.arrays().header),
        to_(file.arrays()),
        longest_(longest_row(options)),
        documents_(options.documents) {}

  /// Takes a word of the text, or word_table::none for one that is left out. False if there is no room: the text
  /// differs from the one that was counted.
  bool word(std::uint32_t position) {
    if (left_ == 0 && !start_row()) return false;
    --left_;
    if (position == word_table::none) return true;
    if (entry_ == sizes_.nonzeros) return false;
    if (to_.index16.empty())
      to_.index[entry_] = position;
    else
      to_.index16[entry_] = static_cast<std::uint16_t>(position);
    to_.value16[entry_++] = to_half(1.0f);
    return true;
  }
  /// False likewise.
  bool end_line() {
    if (documents_ && left_ == 0 && !start_row()) return false;
    left_ = 0;
    return true;
  }
  bool finish() {
    if (row_ != sizes_.rows || entry_ != sizes_.nonzeros) return false;
    to_.start_row(row_, entry_);
    return true;
  }

 private:
  bool start_row() {
    if (row_ == sizes_.rows) return false;
    to_.start_row(row_++, entry_);
    left_ = longest_;
    return true;
  }

  const detail::cache_header& sizes_;
  detail::writable_arrays to_;
  std::size_t longest_;
  bool documents_;
  std::size_t left_ = 0;  ///< words that still fit into the open sentence; 0: there is none
  std::uint64_t row_ = 0, entry_ = 0;
};

class corpus_reading {
 public:
  corpus_reading(detail::word_passes text, const std::string& name, const corpus_options& options)
      : text_(std::move(text)), name_(name), options_(options) {}

  corpus run() {
    count();
    const bool may_be_empty = options_.documents && options_.words;
    if (entries_ == 0 && options_.words && !may_be_empty)
      throw input_error(name_ + ": no word is one of those that it is read with");
    if (entries_ == 0 && !may_be_empty)
      throw input_error(name_ + ": no word occurs " + std::to_string(options_.min_count) +
                        " times; lower the minimal count, or give more text");
    return {write(), words_};
  }

 private:
  struct counted {
    std::vector<std::uint64_t> line{0};  ///< words of each line; the first and the last may continue in other blocks
  };

  void count() {
    tbb::enumerable_thread_specific<word_counts> parts;
    sentence_counter sentences(options_);
    text_.run<counted>(
        [&] {
          return counting{parts.local(), {}};
        },
        [&](const counted& block) {
          sentences.words(block.line.front());
          for (std::size_t k = 1; k < block.line.size(); ++k) sentences.end_line(), sentences.words(block.line[k]);
        });
    sentences.end();
    rows_ = sentences.sentences();
    word_counts all;
    for (word_counts& part : parts) {
      if (all.count.empty()) {
        std::swap(all, part);
        continue;
      }
      for (std::size_t n = 0; n < part.count.size(); ++n) all.add(part.words.word(n), part.count[n]);
      part = {};
    }
    choose(all);
  }

  /// Decides which of them are columns, and counts the entries of rows.
  void choose(const word_counts& all) {
    std::vector<vocabulary::counted_word> frequent;
    for (std::size_t n = 0; n < all.count.size(); ++n) {
      const vocabulary::counted_word word{all.words.word(n), all.count[n]};
      const bool taken =
          options_.words ? options_.words->find(word.word).has_value() : word.count >= options_.min_count;
      (taken ? entries_ : left_out_) += word.count;
      if (taken && !options_.words) frequent.push_back(word);
    }
    words_ = options_.words ? *options_.words : vocabulary(std::move(frequent));
  }

  /// Counts the words of one block.
  struct counting {
    word_counts& counts;
    counted result;
    void word(std::string_view w) { counts.add(w, 1), ++result.line.back(); }
    void end_line() { result.line.push_back(0); }
  };

  /// Looks up the words of one block.
  struct encoding {
    static constexpr std::uint32_t line_end = word_table::none - 1;
    const vocabulary& words;
    std::vector<std::uint32_t> result{};
    void word(std::string_view w) { result.push_back(words.find(w).value_or(word_table::none)); }
    void end_line() { result.push_back(line_end); }
  };

  sparse_dataset write() {
    std::vector<std::uint64_t> parts;
    if (options_.subwords.any()) parts = detail::encode_parts(subword_table(words_, options_.subwords).parts());
    detail::dataset_writer file = make_file(parts.size());
    const detail::writable_arrays to(file.arrays());
    std::ranges::copy(parts, to.label_text.begin());
    std::vector<std::uint32_t> original(words_.size()), degree(words_.size());
    std::iota(original.begin(), original.end(), 0u);
    std::ranges::transform(words_.counts(), degree.begin(), [](std::uint64_t n) {
      return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max()));
    });
    to.columns(original, degree);
    to.label_table[0] = 0.0;
    std::ranges::fill(to.label_code, std::uint8_t{0});
    row_writer rows(file, options_);
    bool fits = true;
    text_.run<std::vector<std::uint32_t>>(
        [&] { return encoding{words_}; },
        [&](const std::vector<std::uint32_t>& positions) {
          for (const std::uint32_t position : positions) {
            fits = fits && (position == encoding::line_end ? rows.end_line() : rows.word(position));
          }
        });
    if (!fits || !rows.finish()) throw input_error(name_ + ": the text was changed while it was read; read it again");
    const row_starts& starts = file.arrays().row_start;
    const detail::cache_header& sizes = file.arrays().header;
    tbb::parallel_for(std::uint64_t{0}, sizes.blocks(), [&](std::uint64_t block) {
      file.seal_block(block, starts[std::min((block + 1) * sizes.rows_per_block, sizes.rows)]);
    });
    return std::move(file).finish();
  }

  detail::dataset_writer make_file(std::size_t words_of_parts) const {
    detail::cache_header sizes;
    sizes.rows = rows_;
    sizes.columns = words_.size();
    sizes.first_singleton = sizes.columns;
    sizes.nonzeros = entries_;
    if (options_.words) sizes.unknown_entries = left_out_;
    sizes.rows_per_block = detail::rows_per_block(sizes.rows, sizes.nonzeros);
    sizes.label_values = 1;
    if (words_of_parts > std::numeric_limits<std::uint32_t>::max())
      throw input_error(name_ + ": the words have too many parts: take fewer words by a larger --min-count");
    sizes.label_text_words = static_cast<std::uint32_t>(words_of_parts);
    sizes.kind = detail::input_format::corpus;
    sizes.value_bytes = 2;
    detail::narrow_indices(sizes);
    const std::uint64_t bytes = sizes.nonzeros * (std::uint64_t{sizes.index_bytes} + sizes.value_bytes);
    if (options_.scratch.empty() || bytes <= options_.memory) return detail::dataset_writer::in_memory(sizes);
    return detail::dataset_writer::nameless(options_.scratch, sizes);
  }

  detail::word_passes text_;
  const std::string& name_;
  const corpus_options& options_;
  vocabulary words_;
  std::uint64_t rows_ = 0, entries_ = 0, left_out_ = 0;
};

corpus read(const detail::text_opener& open, const std::string& name, const corpus_options& options) {
  if (options.min_count == 0) throw config_error("the minimal count of a word is at least 1");
  if (options.sentence == 0) throw config_error("a sentence has at least one word");
  try {
    return detail::with_tbb_threads(options.threads, [&] { return corpus_reading({open, name}, name, options).run(); });
  } catch (const std::bad_alloc&) {
    throw resource_error(name + ": there is not enough memory to read it");
  }
}

void require_text_of_words(std::string_view text, const std::string& name) {
  detail::require_words(text, name, "a text of words", "name the text whose words are to be learned");
}

}  // namespace

corpus open_corpus(const std::string& path, const corpus_options& options) {
  if (const auto stamp = path == "-" ? std::nullopt : detail::stamp_of(path)) {
    require_text_of_words(detail::read_head(path, looked_at_bytes), path);
    corpus made = read([&] { return detail::open_bytes(path, detail::content::text); }, path, options);
    if (detail::stamp_of(path) != stamp) throw input_error(path + ": was changed while it was read; read it again");
    return made;
  }
  // A pipe can be read only once.
  const std::string name = path == "-" ? "standard input" : path;
  const std::string text = detail::read_unpacked(path, detail::text_look(name));
  require_text_of_words(text, name);
  return read([&] { return std::make_unique<detail::memory_bytes>(text); }, name, options);
}

corpus read_corpus(std::string_view text, const std::string& name, const corpus_options& options) {
  return read([&] { return detail::open_memory_text(text, name); }, name, options);
}

}  // namespace hogwild
