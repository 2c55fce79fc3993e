// SPDX-License-Identifier: Apache-2.0
#include "words/fasttext_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

// The file, in the byte order of the machine:
//   i32 magic, i32 version
//   12 x i32: dimension, window, epochs, least count, negatives, words of runs, loss, model, buckets, least and most
//             characters of a part, rate of updates; f64: the fraction that is kept of frequent words
//   i32 entries, i32 words, i32 labels, i64 tokens, i64 pruned rows
//   for each entry its bytes, a byte 0, i64 count, i8 kind: 0 a word, 1 a label; words stand first
//   for each pruned row 2 x i32
//   u8 whether inputs are quantised; i64 rows, i64 columns, their floats: words, then buckets
//   u8 whether outputs are quantised; i64 rows, i64 columns, their floats: of words, or of labels

namespace hogwild::detail {
namespace {

constexpr std::int32_t fasttext_magic = 793712314, fasttext_version = 12;

class fasttext_parser {
 public:
  fasttext_parser(std::string_view bytes, const std::string& name) : left_(bytes), name_(name) {}

  known_words run() {
    if (take<std::int32_t>() != fasttext_magic) fail("this is no model of fastText");
    if (const auto version = take<std::int32_t>(); version != fasttext_version)
      fail("it has version " + std::to_string(version) + ", and version 12 is read, which fastText 0.2 to 0.9 writes");
    read_options();
    read_words();
    const std::span<const std::byte> rows = inputs();
    const std::size_t words = vectors_.words.size(), dimension = vectors_.dimension;
    vectors_.values.resize(words * dimension);
    for (std::size_t w = 0; w < words; ++w) copy_row(rows, w, vectors_.values, w);
    if (!shape_.any()) return {.vectors = std::move(vectors_)};
    subword_table table(vocabulary_of_words(), shape_);
    std::vector<float> parts(table.size() * dimension);
    for (std::uint32_t bucket = 0; bucket < shape_.buckets; ++bucket)
      if (const std::uint32_t part = table.number_of(bucket); part != subword_table::none)
        copy_row(rows, words + bucket, parts, part);
    for (std::size_t w = 0; w < words; ++w)
      if (vectors_.words[w] != fasttext_end_of_line) add_parts(table.parts().of(w), parts, w);
    return {.vectors = std::move(vectors_), .parts = subword_vectors(std::move(table), std::move(parts), dimension)};
  }

 private:
  [[noreturn]] void fail(const std::string& why) const { throw input_error(name_ + ": " + why); }

  template <class T>
  T take() {
    if (left_.size() < sizeof(T)) fail("the model of fastText is cut off");
    T value;
    std::memcpy(&value, left_.data(), sizeof value);
    left_.remove_prefix(sizeof value);
    return value;
  }

  void read_options() {
    std::int32_t options[12];
    for (std::int32_t& o : options) o = take<std::int32_t>();
    take<double>();
    const std::int32_t dimension = options[0], buckets = options[8], least = options[9], most = options[10];
    if (dimension < 1 || buckets < 0 || least < 0 || most < 0)
      fail("the options of the model of fastText are not sound");
    vectors_.dimension = static_cast<std::size_t>(dimension);
    if (most == 0 || least > most || buckets == 0) return;
    if (most > longest_run || static_cast<std::uint32_t>(buckets) > subword_shape::most_buckets)
      fail("parts of words have at most " + std::to_string(longest_run) + " characters and " +
           std::to_string(subword_shape::most_buckets) + " buckets here");
    shape_ = {.least = static_cast<std::uint32_t>(std::max(least, 1)),
              .most = static_cast<std::uint32_t>(most),
              .buckets = static_cast<std::uint32_t>(buckets)};
  }

  void read_words() {
    const auto entries = take<std::int32_t>(), words = take<std::int32_t>();
    take<std::int32_t>();
    take<std::int64_t>();
    const auto pruned = take<std::int64_t>();
    if (words < 1 || entries < words) fail("the model of fastText has no words");
    for (std::int32_t k = 0; k < entries; ++k) {
      const std::size_t end = left_.find('\0');
      if (end == left_.npos) fail("the model of fastText is cut off");
      if (k < words) vectors_.words.emplace_back(left_.substr(0, end));
      left_.remove_prefix(end + 1);
      take<std::int64_t>();
      if (take<std::int8_t>() != (k < words ? 0 : 1)) fail("the words of the model of fastText do not stand first");
    }
    if (pruned > 0) fail(quantised);
  }

  /// The rows of words and buckets. Runs of words have buckets, too, so that there may be more.
  std::span<const std::byte> inputs() {
    if (take<std::uint8_t>() != 0) fail(quantised);
    const auto rows = take<std::int64_t>(), columns = take<std::int64_t>();
    const std::size_t needed = vectors_.words.size() + (shape_.any() ? shape_.buckets : 0);
    if (columns != static_cast<std::int64_t>(vectors_.dimension) || rows < static_cast<std::int64_t>(needed))
      fail("the vectors of the model of fastText do not fit its words");
    if (left_.size() / sizeof(float) / vectors_.dimension < needed) fail("the model of fastText is cut off");
    return std::as_bytes(std::span(left_));
  }

  /// Copies row `from` of the file to row `to`.
  void copy_row(std::span<const std::byte> rows, std::size_t from, std::vector<float>& values, std::size_t to) const {
    const std::span<float> row = std::span(values).subspan(to * vectors_.dimension, vectors_.dimension);
    std::memcpy(row.data(), rows.data() + from * row.size_bytes(), row.size_bytes());
    if (!std::ranges::all_of(row, [](float x) { return std::isfinite(x); }))
      fail("a number of the model of fastText is not finite");
  }

  vocabulary vocabulary_of_words() const {
    std::vector<vocabulary::counted_word> words;
    for (const std::string& word : vectors_.words) words.push_back({word, 0});
    vocabulary made = vocabulary::in_order(words);
    for (std::size_t w = 0; w < words.size(); ++w)
      if (made.find(words[w].word) != w) fail("the word " + quote(words[w].word) + " is there twice");
    return made;
  }

  void add_parts(std::span<const std::uint32_t> parts, const std::vector<float>& values, std::size_t word) {
    const std::span<float> mean = std::span(vectors_.values).subspan(word * vectors_.dimension, vectors_.dimension);
    for (const std::uint32_t part : parts)
      for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += values[part * mean.size() + k];
    for (float& x : mean) x /= static_cast<float>(parts.size() + 1);
  }

  static constexpr std::int32_t longest_run = 64;
  static constexpr const char* quantised =
      "the model of fastText is quantised, and its vectors are approximations that are not read here: take the model "
      "before 'fasttext quantize', .bin and not .ftz";

  std::string_view left_;
  const std::string& name_;
  subword_shape shape_{};
  word_vectors vectors_{};
};

}  // namespace

void write_fasttext(const fasttext_model& m, const std::function<void(std::span<const std::byte>)>& write) {
  constexpr std::int32_t epochs = 5, rate_of_updates = 100;  // for training alone
  const auto put = [&](auto... numbers) { (write(std::as_bytes(std::span(&numbers, 1))), ...); };
  const auto put_entries = [&](const std::vector<std::string>& entries, std::int8_t kind) {
    for (const std::string& entry : entries) {
      write(std::as_bytes(std::span(entry.c_str(), entry.size() + 1)));
      put(std::int64_t{m.least_count}, kind);
    }
  };
  const auto words = static_cast<std::int32_t>(m.words.size()), labels = static_cast<std::int32_t>(m.labels.size());
  const std::int64_t dimension = m.dimension;
  put(fasttext_magic, fasttext_version, m.dimension, m.window, epochs, m.least_count, m.negatives, m.word_ngrams, m.by,
      m.of, m.buckets, m.least, m.most, rate_of_updates, m.sample);
  put(words + labels, words, labels, std::int64_t{m.least_count} * words, std::int64_t{-1});
  put_entries(m.words, 0);
  put_entries(m.labels, 1);
  put(std::uint8_t{0}, std::int64_t{words} + m.buckets, dimension);
  write(std::as_bytes(std::span(m.rows)));
  const std::vector<float> zeros(static_cast<std::size_t>(dimension));
  auto next = m.filled.begin();
  for (std::uint32_t bucket = 0; bucket < static_cast<std::uint32_t>(m.buckets); ++bucket) {
    const bool is_filled = next != m.filled.end() && next->first == bucket;
    write(std::as_bytes(is_filled ? (next++)->second : std::span(zeros)));
  }
  put(std::uint8_t{0}, static_cast<std::int64_t>(m.outputs.size()) / dimension, dimension);
  write(std::as_bytes(std::span(m.outputs)));
}

bool begins_as_fasttext(std::string_view bytes) {
  std::int32_t magic = 0;
  if (bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == fasttext_magic;
}

known_words parse_fasttext(std::string_view bytes, const std::string& name) {
  return fasttext_parser(bytes, name).run();
}

}  // namespace hogwild::detail
