// SPDX-License-Identifier: Apache-2.0
#include "stream_rows.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include <hogwild/detail/platform/threads.hpp>
#include <hogwild/error.hpp>

namespace hogwild::cli {
namespace {

using namespace std::chrono_literals;

/// Text is passed on once there is this much of it, or it has waited for a while.
constexpr std::size_t enough_text = 1 << 20, at_once = 1 << 18;
constexpr int poll_milliseconds = 50;
constexpr std::size_t most_ready = 4;
constexpr auto waiting = 100ms;

/// For rows that the parser has checked.
class parsed_rows final : public row_source {
 public:
  void ensure(std::size_t, std::size_t) const override {}
};

}  // namespace

arriving_columns::arriving_columns(std::span<const std::uint32_t> known) {
  for (const std::uint32_t number : known) position(number);
}

std::uint32_t arriving_columns::position(std::uint32_t number) {
  const auto next = static_cast<std::uint32_t>(numbers_.size());
  std::uint32_t* place = nullptr;
  if (number < in_table) {
    if (number >= table_.size()) table_.resize(std::max<std::size_t>(number + std::size_t{1}, 2 * table_.size()), none);
    place = &table_[number];
  } else {
    place = &others_.try_emplace(number, none).first->second;
  }
  if (*place == none) {
    *place = next;
    numbers_.push_back(number);
  }
  return *place;
}

void arriving_columns::number(std::span<std::uint32_t> columns) {
  for (std::uint32_t& column : columns) column = position(column + 1);  // in the text they count from 1
}

sparse_view stream_rows::batch::view(std::span<const std::uint32_t> numbers) const {
  static const parsed_rows source;
  sparse_view all = rows.view();
  all.original = numbers;
  all.source = &source;
  return all;
}

stream_format stream_format::libsvm(std::span<const std::string> label_words) {
  return {.parse = [words = known_label_words(label_words)](std::string_view lines, const std::string& name) {
    return parse_libsvm(lines, name, false, words.get());
  }};
}

stream_rows::stream_rows(int descriptor, std::string name, stream_format format, std::span<const std::uint32_t> known,
                         std::size_t threads, std::stop_token stop)
    : descriptor_(descriptor),
      name_(std::move(name)),
      format_(std::move(format)),
      scanner_(format_.rule),
      stop_(std::move(stop)),
      room_(at_once),
      columns_(known),
      parsing_(threads) {
  for (std::size_t t = 0; t < threads; ++t) {
    parsers_.push_back(start_thread([this](const std::stop_token& end) {
      try {
        parse_pieces(end);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!fault_) fault_ = std::current_exception();
      }
      const std::lock_guard lock(mutex_);
      --parsing_;
      changed_.notify_all();
    }));
  }
}

// All are told before any is joined: one may hold what another waits for.
stream_rows::~stream_rows() {
  for (std::jthread& parser : parsers_) parser.request_stop();
}

void stream_rows::parse_pieces(const std::stop_token& end) {
  for (bool right = true; right;) {
    const auto text = read(end);
    right = text && take(*text, end);
  }
}

std::optional<stream_rows::piece> stream_rows::read(const std::stop_token& end) {
  const std::lock_guard reading(reading_);
  auto oldest = std::chrono::steady_clock::now();  // when the oldest unparsed text came
  pollfd waited{.fd = descriptor_, .events = POLLIN, .revents = 0};
  std::exception_ptr fault;
  while (more_) {
    const int comes = ::poll(&waited, 1, poll_milliseconds);
    if (stopped(end)) return {};
    if (comes > 0) {
      if (text_.empty()) oldest = std::chrono::steady_clock::now();
      const ssize_t n = ::read(descriptor_, room_.data(), room_.size());
      const bool failed = n < 0 && errno != EINTR && errno != EAGAIN;
      if (failed) fault = std::make_exception_ptr(input_error(name_ + " cannot be read: " + std::strerror(errno)));
      text_.append(room_.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
      more_ = n != 0 && !failed;
      const bool old = std::chrono::steady_clock::now() - oldest >= std::chrono::milliseconds(poll_milliseconds);
      if (more_ && text_.size() < enough_text && !old) continue;
    }
    const auto whole_lines = [&] { return !more_ && !fault ? text_.size() : whole_records(); };
    try {
      look(whole_lines() > 0);
      if (const std::size_t begin = text_.find_first_not_of(" \t\r\n"); !looked_ && begin < whole_lines()) {
        looked_ = true;
        const std::string_view first = std::string_view(text_).substr(0, whole_lines());
        const std::size_t header = format_.begin ? format_.begin(first, name_, format_.rule) : 0;
        const std::lock_guard lock(mutex_);
        lines_ = static_cast<std::size_t>(std::ranges::count(first.substr(0, header), '\n'));
        text_.erase(0, header);
        scanner_ = record_scanner(format_.rule);
      }
      if (!looked_) continue;
    } catch (const error&) {
      more_ = false;
      return piece{.lines = {}, .number = pieces_++, .fault = std::current_exception()};
    }
    const std::size_t lines = whole_lines();
    if (lines == 0 && !fault) continue;
    std::string rest = text_.substr(lines);
    text_.resize(lines);
    scanner_.drop(lines);
    return piece{.lines = std::exchange(text_, std::move(rest)), .number = pieces_++, .fault = fault};
  }
  return {};
}

std::size_t stream_rows::whole_records() {
  const std::size_t end = scanner_.last_end(text_);
  // A quotation mark that nothing ends: the parser says so.
  return end == 0 && format_.rule.quoted && text_.size() > longest_unended_record ? text_.size() : end;
}

void stream_rows::look(bool whole_lines) {
  if (!begun_ && (whole_lines || text_.size() >= enough_text)) {
    if (begins_compressed(text_))
      throw input_error(name_ +
                        ": this text is compressed, and a stream is read as it comes: decompress it on the way");
    text_.erase(0, text_.size() - begin_text(text_, name_).size());
    scanner_ = record_scanner(format_.rule);
    begun_ = true;
  }
  if (whole_lines) {
    looked_at_ = 0;
  } else if (text_.size() >= enough_text) {
    require_line(text_, looked_at_, name_);
    looked_at_ = text_.size();
  }
}

bool stream_rows::take(const piece& text, const std::stop_token& end) {
  std::optional<format_error> wrong;
  std::exception_ptr fault = text.fault;
  libsvm_rows rows;
  try {
    rows = format_.parse(text.lines, name_);
  } catch (const format_error& e) {
    wrong = e;
    const std::size_t begin = record_at(text.lines, e.line(), format_.rule).begin;
    rows = format_.parse(std::string_view(text.lines).substr(0, begin), name_);
  } catch (...) {
    fault = std::current_exception();  // thrown in its turn
  }
  std::size_t lines = 0;  // counted with find(), which scans many bytes at once
  for (std::size_t at = text.lines.find('\n'); at != std::string::npos; at = text.lines.find('\n', at + 1)) ++lines;
  std::unique_lock lock(mutex_);
  const auto may_give = [&] { return fault_ || (next_piece_ == text.number && ready_.size() < most_ready); };
  while (!may_give() && !stopped(end)) changed_.wait_for(lock, waiting);
  if (fault_ || stopped(end)) return false;
  give(std::move(rows));
  if (wrong) {
    const std::string said = wrong->what();
    const std::string place =
        name_ + ":" + std::to_string(wrong->line()) + ":" + std::to_string(wrong->column()) + ": ";
    throw format_error(name_, lines_ + wrong->line(), wrong->column(),
                       said.substr(std::min(place.size(), said.size())));
  }
  if (fault) std::rethrow_exception(fault);
  lines_ += lines;
  ++next_piece_;
  changed_.notify_all();
  return true;
}

void stream_rows::give(libsvm_rows rows) {
  if (rows.label.empty()) return;
  const std::size_t before = columns_.numbers().size();
  columns_.number(rows.index);
  batch made{.rows = std::move(rows), .new_columns = {}};
  made.new_columns.assign(columns_.numbers().begin() + static_cast<std::ptrdiff_t>(before), columns_.numbers().end());
  made.rows.columns = columns_.numbers().size();
  ready_.push_back(std::move(made));
  changed_.notify_all();
}

std::optional<stream_rows::batch> stream_rows::next() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, waiting, [&] { return !ready_.empty() || fault_ || parsing_ == 0; });
  if (ready_.empty() || stop_.stop_requested()) {
    if (stop_.stop_requested()) return {};
    if (fault_) std::rethrow_exception(fault_);
    return parsing_ > 0 ? std::optional(batch{}) : std::nullopt;
  }
  batch first = std::move(ready_.front());
  ready_.pop_front();
  changed_.notify_all();
  return first;
}

}  // namespace hogwild::cli
