// SPDX-License-Identifier: Apache-2.0
#include <hogwild/word_vectors.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/formats/file_kind.hpp>

#include "text/input_stream.hpp"
#include "text/known_kinds.hpp"

namespace hogwild {
namespace {

static_assert(std::endian::native == std::endian::little, "the binary format is written as numbers lie in memory");

constexpr std::string_view blanks = " \t\r";

class vector_parser {
 public:
  vector_parser(std::string_view bytes, const std::string& name) : bytes_(detail::without_mark(bytes)), name_(name) {}

  /// Reads the first line, if it is a head line; returns the number of words. GloVe writes text without one: then each
  /// line is a word.
  std::size_t head() {
    const file_look look = look_at_bytes(bytes_, false);
    if (look.kind == file_kind::binary_model || look.kind == file_kind::text_model)
      throw input_error(
          name_ + ": " +
          describe(look, "word vectors",
                   "name a file in a format of word2vec, such as 'hogwild train --save NAME.vec' writes"));
    detail::require_text(bytes_, name_);
    if (const std::size_t numbers = numbers_of_first_row(); numbers > 1) {
      made_.dimension = numbers;
      return lines();
    }
    const std::size_t words = count("the number of words");
    made_.dimension = count("the dimension");
    if (skip_blanks(), at_ == bytes_.size() || bytes_[at_] != '\n') fail("the first line should end here");
    end_line();
    return words;
  }

  word_vectors run() {
    const std::size_t words = head();
    // A number takes at least two bytes, so the size of the input bounds what is allocated.
    const std::size_t room = (bytes_.size() - at_) / 2;
    if (made_.dimension > room || words > room / made_.dimension)
      fail("the file is too short for " + std::to_string(words) + " words of " + std::to_string(made_.dimension) +
           " numbers");
    made_.words.reserve(words);
    made_.values.reserve(words * made_.dimension);
    if (is_text()) {
      for (std::size_t w = 0; w < words; ++w) text_row();
      skip_ends();
    } else {
      for (std::size_t w = 0; w < words; ++w) binary_row();
      if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    }
    if (at_ < bytes_.size()) refuse("the words end here, but the file does not");
    return std::move(made_);
  }

 private:
  /// Reports a line and column.
  [[noreturn]] void fail(const std::string& why) const { throw format_error(name_, line_, at_ - line_at_ + 1, why); }
  /// Reports a byte, for binary files.
  [[noreturn]] void refuse(const std::string& why) const {
    if (text_) fail(why);
    throw input_error(name_ + ": byte " + std::to_string(at_) + ": " + why);
  }

  /// How many numbers follow the first word, if nothing else stands in the first line; 0: something else does, or it
  /// begins with two counts, as a head line.
  std::size_t numbers_of_first_row() {
    const auto is_count = [](std::string_view text) { return text.find_first_not_of("0123456789") == text.npos; };
    std::size_t numbers = 0;
    float ignored = 0;
    const bool begins_with_count = is_count(word());
    at_ += word().size();
    const bool begins_with_counts = begins_with_count && is_count(word());
    for (; is_number(word(), ignored); ++numbers) at_ += word().size();
    const bool whole = !begins_with_counts && (at_ == bytes_.size() || word().empty());
    at_ = 0;
    return whole ? numbers : 0;
  }
  /// Of lines that are not empty.
  std::size_t lines() const {
    std::size_t count = 0;
    for (std::size_t at = 0; at < bytes_.size();) {
      const std::size_t end = std::min(bytes_.find('\n', at), bytes_.size());
      count += bytes_.substr(at, end - at).find_first_not_of(blanks) != bytes_.npos ? 1 : 0;
      at = end + 1;
    }
    return count;
  }

  void end_line() { ++line_, line_at_ = ++at_; }
  void skip_blanks() {
    while (at_ < bytes_.size() && blanks.find(bytes_[at_]) != blanks.npos) ++at_;
  }
  void skip_ends() {
    for (skip_blanks(); at_ < bytes_.size() && bytes_[at_] == '\n'; skip_blanks()) end_line();
  }
  std::string_view word() {
    skip_blanks();
    const std::size_t end = std::min(bytes_.find_first_of(" \t\r\n", at_), bytes_.size());
    return bytes_.substr(at_, end - at_);
  }

  std::size_t count(const char* what) {
    const std::string_view digits = word();
    std::size_t n = 0;
    const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
    if (problem != std::errc{} || stop != digits.data() + digits.size() || n == 0)
      fail(std::string("word vectors begin with a line of two numbers, how many words and how many numbers each; ") +
           what + " should stand here");
    at_ += digits.size();
    return n;
  }

  static bool is_number(std::string_view digits, float& x) {
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [stop, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (stop != digits.data() + digits.size() || digits.empty()) return false;
    if (problem == std::errc::result_out_of_range) {  // too small for a float, or too large
      const double wide = std::strtod(std::string(digits).c_str(), nullptr);
      if (std::abs(wide) > 1.0) return false;
      x = static_cast<float>(wide);
      return true;
    }
    return problem == std::errc{} && std::isfinite(x);
  }

  /// Whether the first row consists of numbers as text.
  bool is_text() {
    const std::size_t begin = at_;
    std::size_t numbers = 0;
    float ignored = 0;
    at_ += word().size();
    for (std::string_view next = word(); numbers < made_.dimension && is_number(next, ignored); next = word())
      at_ += next.size(), ++numbers;
    text_ = numbers == made_.dimension && (at_ == bytes_.size() || word().empty());
    at_ = begin;
    return text_;
  }

  void text_row() {
    const std::string_view name = word();
    if (name.empty()) fail("a word should stand here");
    at_ += name.size();
    made_.words.emplace_back(name);
    for (std::size_t k = 0; k < made_.dimension; ++k) {
      const std::string_view digits = word();
      float x = 0;
      if (!is_number(digits, x))
        fail("number " + std::to_string(k + 1) + " of " + std::to_string(made_.dimension) +
             " should stand here, finite, but this is " + quote(digits));
      made_.values.push_back(x);
      at_ += digits.size();
    }
    skip_blanks();
    if (at_ == bytes_.size()) return;
    if (bytes_[at_] != '\n') fail("the line should end here, after " + std::to_string(made_.dimension) + " numbers");
    end_line();
  }

  void binary_row() {
    if (at_ < bytes_.size() && bytes_[at_] == '\n') ++at_;
    const std::size_t end = bytes_.find_first_of(" \n", at_);
    if (end == bytes_.npos || end == at_ || bytes_[end] != ' ')
      refuse("a word and a blank should stand here, and the numbers behind them");
    made_.words.emplace_back(bytes_.substr(at_, end - at_));
    if (made_.words.back().find_first_of("\t\r") != std::string::npos) refuse("a word has no tab in it");
    at_ = end + 1;
    const std::size_t length = made_.dimension * sizeof(float), have = made_.values.size();
    if (bytes_.size() - at_ < length) refuse("the file ends within the numbers of a word");
    made_.values.resize(have + made_.dimension);
    std::memcpy(&made_.values[have], &bytes_[at_], length);
    for (std::size_t k = 0; k < made_.dimension; ++k) {
      if (std::isfinite(made_.values[have + k])) continue;
      at_ += k * sizeof(float);
      refuse("a number is not finite");
    }
    at_ += length;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::size_t at_ = 0, line_at_ = 0, line_ = 1;
  bool text_ = false;
  word_vectors made_;
};

void check(const word_vectors& vectors) {
  if (vectors.words.empty() || vectors.dimension == 0 ||
      vectors.values.size() != vectors.words.size() * vectors.dimension)
    throw config_error("word vectors are at least one word, with the same number of numbers for each, at least one");
  for (const std::string& word : vectors.words)
    if (word.empty() || word.find_first_of(" \t\r\n") != word.npos)
      throw config_error("a word of a vector file is not empty and has no blanks in it, but there is " + quote(word));
  for (const float x : vectors.values)
    if (!std::isfinite(x)) throw config_error("a number of the word vectors is not finite");
}

}  // namespace

vector_format vector_format_for(const std::filesystem::path& path) {
  return path.extension() == ".bin" ? vector_format::binary : vector_format::text;
}

std::string word_vector_bytes(const word_vectors& vectors, vector_format format) {
  check(vectors);
  std::string bytes = std::to_string(vectors.words.size()) + " " + std::to_string(vectors.dimension) + "\n";
  for (std::size_t w = 0; w < vectors.words.size(); ++w) {
    bytes += vectors.words[w];
    if (format == vector_format::text) {
      for (const float x : vectors.row(w)) bytes.append(1, ' ').append(detail::to_text(x));
    } else {
      bytes += ' ';
      bytes.append(reinterpret_cast<const char*>(vectors.row(w).data()), vectors.row(w).size_bytes());
    }
    bytes += '\n';
  }
  return bytes;
}

void save_word_vectors(const std::filesystem::path& path, const word_vectors& vectors, vector_format format) {
  atomic_file file(path);
  const std::string bytes = word_vector_bytes(vectors, format);
  file.write(std::as_bytes(std::span(bytes)));
  file.commit();
}

bool begins_as_word_vectors(const std::string& path) {
  if (path == "-" || !detail::stamp_of(path)) return false;
  try {
    return vector_parser(detail::read_head(path, looked_at_bytes), path).head() > 0;
  } catch (const input_error&) {
    return false;
  }
}

word_vectors load_word_vectors(const std::string& path) {
  const std::string name = path == "-" ? "standard input" : path;
  const auto look = [&](std::string_view all, std::size_t from) {
    if (from == 0) vector_parser(all, name).head();
  };
  return parse_word_vectors(detail::read_unpacked(path, look, detail::content::bytes), name);
}

word_vectors parse_word_vectors(std::string_view bytes, const std::string& name) {
  return vector_parser(bytes, name).run();
}

}  // namespace hogwild
