// SPDX-License-Identifier: Apache-2.0
#include "arriving_lines.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::cli {
namespace {

constexpr std::size_t most_text = std::size_t{4} << 20, at_once = std::size_t{1} << 18;
/// Text without the end of a record is handed on once it is so long: the parser says what is wrong with it.
constexpr std::size_t longest_record = std::size_t{1} << 25;

}  // namespace

std::vector<std::size_t> record_ends(std::string_view text, const record_rule& rule) {
  std::vector<std::size_t> ends;
  // Two quotation marks within a field end it and open it again.
  bool begins = true, inside = false, behind = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (inside) {
      behind = c == '"';
      inside = !behind;
    } else if (c == '"' && rule.quoted && (begins || behind)) {
      inside = true;
      begins = behind = false;
    } else {
      behind = false;
      if (c == '\n') ends.push_back(at + 1);
      if (c == '\n' || c == rule.separator)
        begins = true;
      else if (c != ' ' && c != '\t')
        begins = false;
    }
  }
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
    : descriptor_(descriptor), name_(std::move(name)), rule_(rule) {
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
  constexpr std::string_view begins[] = {"\x1f\x8b",
                                         "\xfd"
                                         "7zXZ",
                                         "\x28\xb5\x2f\xfd", "BZh"};
  while (more_ && text_.size() < 6 && text_.find('\n') == std::string::npos) read(true);
  whole_ = std::ranges::any_of(begins, [&](std::string_view begin) { return text_.starts_with(begin); });
  return whole_;
}

std::optional<std::string> arriving_lines::next() {
  for (;;) {
    while (more_ && (whole_ || text_.size() < most_text) && read(whole_ || text_.empty())) continue;
    // What came last need not end a record.
    std::size_t end = 0;
    if (!more_ || text_.size() > longest_record) {
      end = text_.size();
    } else if (rule_.quoted) {
      const auto ends = record_ends(text_, rule_);
      end = ends.empty() ? 0 : ends.back();
    } else {
      end = text_.rfind('\n') + 1;
    }
    if (end > 0) {
      std::string rest = text_.substr(end);
      text_.resize(end);
      return std::exchange(text_, std::move(rest));
    }
    if (!more_) return std::nullopt;
    read(true);
  }
}

}  // namespace hogwild::cli
