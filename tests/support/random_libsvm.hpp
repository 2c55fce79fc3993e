// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <hogwild/detail/math/random.hpp>
#include <hogwild/detail/platform/isa.hpp>

#include "formats/libsvm_parser.hpp"
#include "text/decimal.hpp"

namespace hogwild::test {

/// One number after the other.
class draws {
 public:
  draws(std::uint64_t seed, std::uint64_t stream) : random_(seed, stream) {}
  std::uint64_t below(std::uint64_t n) { return random_.below(count_++, n); }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

 private:
  counter_random random_;
  std::uint64_t count_ = 0;
};

inline void append_digits(std::string& text, std::uint64_t count, draws& draw) {
  for (std::uint64_t k = 0; k < count; ++k) text += static_cast<char>('0' + draw.below(10));
}

/// A decimal within the range of float: one to twelve digits, a sign, leading zeros and an exponent drawn at random.
inline std::string random_decimal(draws& draw) {
  std::string text(draw.one_in(4) ? 1 : 0, '-');
  const std::uint64_t digits = 1 + draw.below(12), shape = draw.below(4);
  const std::uint64_t zeros = draw.one_in(3) ? draw.below(6) : 0;
  if (shape == 0) {
    text.append(draw.one_in(3) ? zeros : 0, '0');
    append_digits(text, digits, draw);
  } else if (shape == 1) {
    const std::uint64_t whole = draw.below(digits + 1);
    append_digits(text, whole, draw);
    text += '.';
    append_digits(text, digits - whole, draw);
  } else {
    text.append("0.").append(zeros, '0');
    append_digits(text, digits, draw);
  }
  if (draw.one_in(16)) text.append("e").append(std::to_string(static_cast<int>(draw.below(45)) - 25));
  return text;
}

/// The kinds of lines of a random text. Every other line is of the common kind.
struct text_shape {
  std::uint64_t rows;
  std::uint64_t longest_row;  ///< entries
  std::uint64_t odd;          ///< one line in so many is of a rare kind, and so is one token
  bool lists = false;         ///< rare labels are lists
};

/// One to four distinct labels, with commas between them.
inline std::string random_list(draws& draw) {
  std::string text;
  std::uint64_t label = draw.below(9'000'000);
  for (std::uint64_t k = draw.below(4) + 1; k > 0; --k, label += 1 + draw.below(99))
    text += (text.empty() ? "" : ",") + std::to_string(label);
  return text;
}

/// Lines without a fault.
inline std::string random_text(const text_shape& shape, draws& draw) {
  const auto odd = [&] { return draw.one_in(shape.odd); };
  const auto blank = [&] { return odd() ? (draw.one_in(2) ? "  " : "\t \t") : (odd() ? "\t" : " "); };
  std::string text;
  for (std::uint64_t r = 0; r < shape.rows; ++r) {
    if (odd()) text += draw.one_in(2) ? "\n" : "# nothing 1:1\n";
    if (odd()) text += blank();
    text += odd() ? (shape.lists ? random_list(draw) : random_decimal(draw)) : (draw.one_in(2) ? "-1" : "+1");
    std::uint64_t index = 0;
    const std::uint64_t entries = draw.below(shape.longest_row + 1);
    for (std::uint64_t k = 0; k < entries && index < 4'200'000'000; ++k) {
      index += 1 + draw.below(odd() ? 50'000'000 : (draw.one_in(2) ? 9 : 900));
      text += blank();
      if (odd()) text.append(draw.below(10), '0');
      text += std::to_string(index);
      text += ':';
      if (odd())
        text += '+', text.append(std::to_string(draw.below(1000)));
      else
        text += random_decimal(draw);
    }
    if (odd()) text += blank();
    if (odd()) text += draw.one_in(2) ? "# more" : " #";
    text += odd() ? "\r\n" : "\n";
  }
  return text;
}

/// Puts bytes with a meaning in the format, and others, at random places.
inline void damage(std::string& text, std::uint64_t times, draws& draw) {
  constexpr std::string_view bytes("  \t\n\r#::,+-..eE0019a\0\x7f\xff", 23);
  for (std::uint64_t k = 0; k < times && !text.empty(); ++k) {
    const std::size_t place = draw.below(text.size());
    const char byte = bytes[draw.below(bytes.size())];
    switch (draw.below(3)) {
      case 0:
        text[place] = byte;
        break;
      case 1:
        text.insert(place, 1, byte);
        break;
      default:
        text.erase(place, 1 + draw.below(3));
    }
  }
}

/// The whole content of a parsed block, with numbers as their bits.
struct parsed_block {
  std::vector<std::uint32_t> index, value, row_end;
  std::vector<std::uint64_t> label;
  std::vector<double> list;
  std::vector<std::uint32_t> list_end;
  std::size_t list_line = 0;
  std::uint32_t columns = 0;
  std::size_t lines = 0;
  std::optional<std::tuple<std::size_t, std::size_t, std::string>> fault, no_class;

  bool operator==(const parsed_block&) const = default;
  friend void PrintTo(const parsed_block& block, std::ostream* out) {
    *out << block.label.size() << " rows, " << block.index.size() << " entries, " << block.lines << " lines";
    if (!block.fault) return;
    const auto& [line, column, message] = *block.fault;
    *out << ", fault at " << line << ':' << column << ": " << message;
  }
};

/// Parses text that begins its memory, and is followed by the padding only.
inline parsed_block parse_with(isa set, std::string text, bool labels_optional, bool from_0 = false) {
  if (text.empty() || text.back() != '\n') text += '\n';
  std::vector<char> padded(text.size() + detail::text_padding);
  std::memcpy(padded.data(), text.data(), text.size());
  parsed_block result;
  result.index.resize(detail::libsvm_capacity(text.size()));
  std::vector<float> value(result.index.size());
  detail::row_block block;
  block.index = result.index.data();
  block.value = value.data();
  detail::parse_libsvm_block({padded.data(), text.size()}, labels_optional, block, set, from_0);
  result.index.resize(block.entries);
  for (std::size_t k = 0; k < block.entries; ++k) result.value.push_back(std::bit_cast<std::uint32_t>(value[k]));
  for (const double label : block.label) result.label.push_back(std::bit_cast<std::uint64_t>(label));
  result.row_end = block.row_end;
  result.list = block.list, result.list_end = block.list_end, result.list_line = block.list_line;
  result.columns = block.columns;
  result.lines = block.lines;
  if (block.fault) result.fault.emplace(block.fault->line, block.fault->column, block.fault->message);
  if (block.no_class) result.no_class.emplace(block.no_class->line, block.no_class->column, block.no_class->message);
  return result;
}

/// The instruction sets that this machine has, the scalar twin first.
inline std::vector<isa> isas_here() {
  std::vector<isa> sets;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512, isa::automatic})
    if (has_isa(set)) sets.push_back(set);
  return sets;
}

}  // namespace hogwild::test
