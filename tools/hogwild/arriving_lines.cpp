// SPDX-License-Identifier: Apache-2.0
#include "arriving_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

namespace hogwild::cli {
namespace {

constexpr std::size_t most_text = std::size_t{4} << 20, at_once = std::size_t{1} << 18;

}  // namespace

bool record_scanner::ends_with(char c) {
  if (inside_) {
    behind_ = c == '"';
    inside_ = !behind_;
    return false;
  }
  if (c == '"' && rule_.quoted && (begins_ || behind_)) {
    inside_ = true;
    begins_ = behind_ = false;
    return false;
  }
  behind_ = false;
  if (c == '\n' || c == rule_.separator)
    begins_ = true;
  else if (c != ' ' && c != '\t')
    begins_ = false;
  return c == '\n';
}

std::size_t record_scanner::last_end(std::string_view text) {
  if (!rule_.quoted) {
    const std::size_t newline = text.rfind('\n');
    if (newline != text.npos && newline >= looked_at_) last_end_ = newline + 1;
    looked_at_ = text.size();
    return last_end_;
  }
  for (; looked_at_ < text.size(); ++looked_at_)
    if (ends_with(text[looked_at_])) last_end_ = looked_at_ + 1;
  return last_end_;
}

void record_scanner::drop(std::size_t bytes) {
  looked_at_ -= std::min(looked_at_, bytes);
  last_end_ -= std::min(last_end_, bytes);
}

std::size_t fields_in(std::string_view record, const record_rule& rule) {
  record_scanner scanner(rule);
  std::size_t fields = 1;
  for (const char c : record) {
    if (c == rule.separator && !scanner.inside()) ++fields;
    scanner.ends_with(c);
  }
  return fields;
}

std::vector<std::size_t> record_ends(std::string_view text, const record_rule& rule) {
  std::vector<std::size_t> ends;
  record_scanner scanner(rule);
  for (std::size_t at = 0; at < text.size(); ++at)
    if (scanner.ends_with(text[at])) ends.push_back(at + 1);
  return ends;
}

record_place record_at(std::string_view text, std::size_t line, const record_rule& rule) {
  std::vector<std::size_t> ends = record_ends(text, rule);
  if (ends.empty() || ends.back() < text.size()) ends.push_back(text.size());
  record_place found;
  for (std::size_t k = 0, lines = 0; k < ends.size() && lines < line; ++k) {
    found = {found.end, ends[k]};
    const auto own = std::ranges::count(text.substr(found.begin, found.end - found.begin), '\n');
    lines += std::max<std::size_t>(static_cast<std::size_t>(own), 1);
  }
  return found;
}

arriving_lines::arriving_lines(int descriptor, std::string name, const record_rule& rule)
    : descriptor_(descriptor), name_(std::move(name)), rule_(rule), scanner_(rule) {
#ifdef F_SETPIPE_SZ
  // A fast writer then needs fewer turns. Not all descriptors are pipes, and not all pipes may grow.
  static_cast<void>(::fcntl(descriptor, F_SETPIPE_SZ, 1 << 20));
#endif
}

bool arriving_lines::read(bool waits) {
  pollfd waited{.fd = descriptor_, .events = POLLIN, .revents = 0};
  if (::poll(&waited, 1, waits ? -1 : 0) <= 0) return waits;
  const std::size_t before = text_.size();
  text_.resize(before + at_once);
  const ssize_t n = ::read(descriptor_, text_.data() + before, at_once);
  text_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  if (n < 0 && errno != EINTR && errno != EAGAIN)
    throw input_error(name_ + ": cannot be read: " + std::strerror(errno));
  if (n == 0) more_ = false;
  return more_;
}

bool arriving_lines::compressed() {
  while (more_ && text_.size() < 6 && text_.find('\n') == std::string::npos) read(true);
  whole_ = begins_compressed(text_);
  return whole_;
}

std::optional<std::string> arriving_lines::next() {
  for (;;) {
    while (more_ && (whole_ || text_.size() < most_text) && read(whole_ || text_.empty())) continue;
    // The text that came last need not end a record.
    std::size_t end = scanner_.last_end(text_);
    const bool unended = end == 0 && text_.size() > longest_unended_record;
    if (!more_ || unended) end = text_.size();
    if (end > 0) {
      std::string rest = text_.substr(end);
      text_.resize(end);
      if (unended) scanner_ = record_scanner(rule_);
      scanner_.drop(end);
      return std::exchange(text_, std::move(rest));
    }
    if (!more_) return std::nullopt;
    read(true);
  }
}

}  // namespace hogwild::cli
