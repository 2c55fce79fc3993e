// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/data/label_spelling.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <utility>

#include "text/decimal.hpp"

namespace hogwild {
namespace {

bool is_whole_label(double label) {
  return std::trunc(label) == label;
}

/// A decimal number without its sign: 0.d1 d2 ... * 10^exponent, where neither the first nor the last digit is 0.
struct decimal_digits {
  std::string digits{};
  long exponent = 0;
  bool operator==(const decimal_digits&) const = default;
};

decimal_digits digits_of(std::string_view text) {
  decimal_digits found;
  bool behind_point = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'e' && text[at] != 'E'; ++at) {
    const char c = text[at];
    if (c == '.') behind_point = true;
    if (!detail::is_digit(c)) continue;
    const bool leads = found.digits.empty() && c == '0';
    if (!leads) found.digits += c;
    if (behind_point ? leads : !leads) found.exponent += behind_point ? -1 : 1;
  }
  found.digits.erase(found.digits.find_last_not_of('0') + 1);
  if (found.digits.empty()) return {};
  if (at < text.size()) {
    constexpr long beyond_all = 100'000;
    const bool below = text[at + 1] == '-';
    const std::size_t first = at + 1 + (below || text[at + 1] == '+');
    long power = 0;
    if (std::from_chars(text.data() + first, text.data() + text.size(), power).ec != std::errc()) power = beyond_all;
    found.exponent += below ? -power : power;
  }
  return found;
}

bool is_rounded(double label, std::string_view text) {
  const decimal_digits written = digits_of(text);
  if (written.digits.empty()) return false;
  char own[label_spelling::longest + 16];
  const auto end = std::to_chars(own, own + sizeof own, std::abs(label), std::chars_format::scientific,
                                 static_cast<int>(written.digits.size()) - 1)
                       .ptr;
  return written != digits_of({own, end});
}

bool is_better(double label, std::string_view text, std::string_view than) {
  const bool rounded = is_rounded(label, text);
  if (rounded != is_rounded(label, than)) return rounded;
  return text.size() != than.size() ? text.size() < than.size() : text < than;
}

/// Marks the number of texts of labels that are words.
constexpr std::uint64_t words_mark = std::uint64_t{1} << 63;

/// Appends the length of a text, and the text padded with zeros to whole words.
void append_text(const std::string& text, std::vector<std::uint64_t>& words) {
  words.push_back(text.size());
  const std::size_t at = words.size();
  words.resize(at + (text.size() + 7) / 8);
  std::memcpy(words.data() + at, text.data(), text.size());
}

/// Whether a text can be a label: nothing in it separates, ends a line or moves a cursor.
bool is_label_word(std::string_view text) {
  return !text.empty() && text.size() <= label_spelling::longest &&
         std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

std::string label_text(double label) {
  // Without an exponent a double below 1e21 needs 21 digits and a sign; one of 1e-8 needs 25 decimals.
  char text[64];
  const double size = std::abs(label);
  const bool plain = size == 0.0 || (size >= 1e-8 && size < 1e21);
  const auto end = plain ? std::to_chars(text, text + sizeof text, label + 0.0, std::chars_format::fixed).ptr
                         : std::to_chars(text, text + sizeof text, label).ptr;
  return {text, end};
}

void label_spelling::add(double label, std::string_view text) {
  if (last_ < texts_.size() && texts_[last_].text == text) return;
  const bool whole = is_whole_label(label);
  if (whole ? many_whole_ : many_broken_) return;
  label += 0.0;
  const auto found = place_.find(label);
  if (found != place_.end() && !is_better(label, text, texts_[found->second].text)) {
    last_ = found->second;
    return;
  }
  if (text.size() > longest || text == label_text(label) || text == "-0") return;
  if (found != place_.end()) {
    texts_[last_ = found->second].text = text;
    return;
  }
  last_ = texts_.size();
  place_.emplace(label, last_);
  texts_.push_back({label, std::string(text)});
  whole_ += whole ? 1 : 0;
  if (whole ? whole_ > most_whole : texts_.size() - whole_ > most_broken) forget(whole);
}

void label_spelling::set_words(std::vector<std::string> words) {
  *this = {};
  words_ = std::move(words);
}

void label_spelling::forget(bool whole) {
  (whole ? many_whole_ : many_broken_) = true;
  std::erase_if(texts_, [&](const spelled& s) { return is_whole_label(s.label) == whole; });
  place_.clear();
  for (std::size_t k = 0; k < texts_.size(); ++k) place_.emplace(texts_[k].label, k);
  last_ = 0;
  if (whole) whole_ = 0;
}

void label_spelling::add(const label_spelling& others) {
  if (others.many_whole_ && !many_whole_) forget(true);
  if (others.many_broken_ && !many_broken_) forget(false);
  for (const spelled& s : others.texts_) add(s.label, s.text);
}

std::string_view label_spelling::find(double label) const {
  if (!words_.empty())
    return is_whole_label(label) && label >= 0 && label < static_cast<double>(words_.size())
               ? std::string_view(words_[static_cast<std::size_t>(label)])
               : std::string_view();
  const auto found = place_.find(label + 0.0);
  return found == place_.end() ? std::string_view() : std::string_view(texts_[found->second].text);
}

std::string_view label_spelling::rounded() const {
  const auto found = std::ranges::find_if(texts_, [](const spelled& s) { return is_rounded(s.label, s.text); });
  return found == texts_.end() ? std::string_view() : std::string_view(found->text);
}

// The number of labels, then for each the label, the length of its text, and the text, padded with zeros to whole
// words; in ascending order of labels. For labels that are words the number has a mark, and labels are left out.
std::vector<std::uint64_t> label_spelling::encode() const {
  std::vector<std::uint64_t> words;
  if (!words_.empty()) words.push_back(words_.size() | words_mark);
  for (const std::string& word : words_) append_text(word, words);
  if (texts_.empty()) return words;
  std::vector<const spelled*> order;
  for (const spelled& s : texts_) order.push_back(&s);
  std::ranges::sort(order, {}, &spelled::label);
  words.push_back(order.size());
  for (const spelled* s : order) {
    words.push_back(std::bit_cast<std::uint64_t>(s->label));
    append_text(s->text, words);
  }
  return words;
}

std::optional<label_spelling> label_spelling::decode(std::span<const std::byte> bytes) {
  label_spelling spelling;
  if (bytes.empty()) return spelling;
  const auto take = [&](std::uint64_t& word) {
    if (bytes.size() < sizeof word) return false;
    std::memcpy(&word, bytes.data(), sizeof word);
    bytes = bytes.subspan(sizeof word);
    return true;
  };
  const auto take_text = [&](std::string_view& text) {
    std::uint64_t length = 0;
    if (!take(length) || length > longest || (length + 7) / 8 * 8 > bytes.size()) return false;
    text = {reinterpret_cast<const char*>(bytes.data()), length};
    bytes = bytes.subspan((length + 7) / 8 * 8);
    return true;
  };
  std::uint64_t count = 0;
  if (!take(count)) return std::nullopt;
  const bool are_words = (count & words_mark) != 0;
  count &= ~words_mark;
  if (are_words && count == 0) return std::nullopt;
  for (std::uint64_t k = 0; k < count; ++k) {
    std::uint64_t number = 0;
    std::string_view text;
    if ((!are_words && !take(number)) || !take_text(text)) return std::nullopt;
    if (are_words) {
      if (!text.empty() && !detail::label_word_fault(text).empty()) return std::nullopt;
      spelling.words_.emplace_back(text);
      continue;
    }
    const double label = std::bit_cast<double>(number);
    double read = 0;
    const bool holds =
        is_label_word(text) &&
        detail::read_decimal(text.data(), text.data() + text.size(), read) == detail::number_fault::none &&
        read == label;
    if (!holds || (k > 0 && spelling.texts_.back().label >= label)) return std::nullopt;
    spelling.add(label, text);
    if (spelling.size() != k + 1) return std::nullopt;
  }
  if (!bytes.empty()) return std::nullopt;
  return spelling;
}

std::string detail::label_word_fault(std::string_view word) {
  if (word.empty()) return "is empty";
  if (word.size() > label_spelling::longest)
    return "has " + std::to_string(word.size()) + " bytes; at most " + std::to_string(label_spelling::longest) +
           " are a label";
  const auto separates = [](char c) { return static_cast<unsigned char>(c) <= ' ' || c == '\x7f' || c == ','; };
  if (std::ranges::any_of(word, separates) || word.find_first_of(":#") != word.npos)
    return "has a blank, a control character, or one of ',:#' in it, which no label that is a word has";
  return {};
}

}  // namespace hogwild
