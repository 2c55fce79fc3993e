// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/search/journal.hpp>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <span>
#include <string_view>
#include <system_error>

#include <sys/file.h>
#include <unistd.h>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/number_text.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>
#include <hogwild/search.hpp>

namespace hogwild::detail {

namespace {

/// How every journal's first line begins.
constexpr std::string_view journal_mark = "{\"search\":";

/// A line of the journal, read from its beginning.
class journal_line {
 public:
  explicit journal_line(std::string_view text) : left_(text) {}

  bool takes(std::string_view word) {
    if (!left_.starts_with(word)) return false;
    left_.remove_prefix(word.size());
    return true;
  }
  template <class T>
  bool takes_number(T& number) {
    const auto [rest, fault] = std::from_chars(left_.data(), left_.data() + left_.size(), number);
    if (fault != std::errc{}) return false;
    left_.remove_prefix(static_cast<std::size_t>(rest - left_.data()));
    return true;
  }
  bool ended() const { return left_.empty(); }

 private:
  std::string_view left_;
};

std::string reason() {
  return std::generic_category().message(errno);
}

std::string read_whole(int file, const std::string& path) {
  std::string text;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(file, buffer, sizeof buffer);
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) throw input_error(path + ": cannot be read: " + reason());
    if (got > 0) text.append(buffer, static_cast<std::size_t>(got));
  }
}

/// A JSON string. Names of files may hold any bytes; bytes that are not ASCII are written as numbers.
std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
      quoted += escaped;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace

std::string journal_title(const search_space& space, const search_options& options) {
  const bool draws_all = options.strategy == strategy_kind::random || options.strategy == strategy_kind::halving;
  const bool halves = options.strategy == strategy_kind::halving || options.strategy == strategy_kind::hyperband;
  std::string spaces;
  for (const std::string& text : space.texts()) spaces += (spaces.empty() ? "" : ",") + json_string(text);
  return "{\"search\":1,\"space\":[" + spaces +
         "],\"strategy\":" + json_string(std::string(name_of(options.strategy))) +
         ",\"epochs\":" + std::to_string(options.epochs) +
         (draws_all ? ",\"trials\":" + std::to_string(options.trials) : "") +
         (halves ? ",\"eta\":" + std::to_string(options.eta) : "") + ",\"seed\":" + std::to_string(options.seed) +
         ",\"identity\":" + json_string(options.identity) + "}";
}

search_journal::search_journal(std::string path, const std::string& title) : path_(std::move(path)) {
  atomic_file::look(path_, true);
  file_ = open_own_file(path_, "the journal " + quoted_path(path_));
  try {
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0)
      throw config_error("another search has the journal " + quoted_path(path_) +
                         ": wait for its end, or name another file");
    read(title);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

search_journal::~search_journal() {
  ::close(file_);
}

void search_journal::read(const std::string& title) {
  const std::string text = read_whole(file_, path_);
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  // A file with any other content is left unchanged.
  const std::string_view begun = std::string_view(text).substr(0, journal_mark.size());
  if (!journal_mark.starts_with(begun))
    throw input_error(quoted_path(path_) + " is no journal of a search: name another file");
  std::size_t number = 0;
  for (std::size_t first = 0; first < whole;) {
    const std::size_t end = text.find('\n', first);
    const std::string line = text.substr(first, end - first);
    if (++number > 1)
      take(line, number);
    else if (line != title)
      throw input_error(quoted_path(path_) +
                        " is the journal of another search: its space, strategy, epochs, seed, data or options differ. "
                        "Give what it was begun with, or name another file");
    first = end + 1;
  }
  if (whole < text.size() && ::ftruncate(file_, static_cast<off_t>(whole)) != 0)
    throw input_error("cannot write the journal " + quoted_path(path_) + ": " + reason());
  if (whole == 0) write(title);
}

void search_journal::take(const std::string& line, std::size_t number) {
  journal_line rest(line);
  std::size_t of_trial = 0, epochs = 0;
  double metric = std::numeric_limits<double>::infinity();
  const bool holds = rest.takes("{\"trial\":") && rest.takes_number(of_trial) && rest.takes(",\"epochs\":") &&
                     rest.takes_number(epochs) && rest.takes(",\"metric\":") &&
                     (rest.takes("null") || rest.takes_number(metric)) && rest.takes("}") && rest.ended();
  if (!holds)
    throw input_error(path_ + ":" + std::to_string(number) + ": is no result of a search: the journal is damaged; " +
                      "remove this line, and its trial is trained again");
  results_[{of_trial, epochs}] = metric;
}

std::optional<double> search_journal::find(std::size_t trial, std::size_t epochs) const {
  const auto found = results_.find({trial, epochs});
  return found == results_.end() ? std::nullopt : std::optional(found->second);
}

void search_journal::add(std::size_t trial, std::size_t epochs, double metric) {
  // JSON cannot express infinity.
  write("{\"trial\":" + std::to_string(trial) + ",\"epochs\":" + std::to_string(epochs) +
        ",\"metric\":" + (std::isfinite(metric) ? to_text(metric) : "null") + "}");
  results_[{trial, epochs}] = metric;
}

void search_journal::write(std::string line) {
  line += '\n';
  write_all(file_, std::as_bytes(std::span(line)), path_);
}

}  // namespace hogwild::detail
