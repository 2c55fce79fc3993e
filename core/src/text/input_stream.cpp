// SPDX-License-Identifier: Apache-2.0
#include "text/input_stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <hogwild/error.hpp>

#include "platform/file_error.hpp"
#include "text/byte_search.hpp"
#include "text/decimal.hpp"
#include "text/known_kinds.hpp"

namespace hogwild::detail {
namespace {

bool opens_quotes(std::string_view text) {
  return count_byte(text, '"') % 2 != 0;
}
/// The last newline of a text that begins outside quotation marks, with an even number of these before it; npos if
/// there is none.
std::size_t last_record_end(std::string_view text) {
  bool odd = opens_quotes(text);
  for (std::size_t at = text.size(); at > 0; --at) {
    if (text[at - 1] == '"') odd = !odd;
    if (text[at - 1] == '\n' && !odd) return at - 1;
  }
  return text.npos;
}

/// Blocks with memory of their own; the text after the last newline is carried over to the next block.
class line_stream : public input_stream {
 public:
  line_stream(std::unique_ptr<byte_reader> reader, std::string name, std::optional<source_stamp> stamp,
              std::size_t block_bytes, std::size_t longest_line, bool quoted = false)
      : input_stream(std::move(name), stamp),
        reader_(std::move(reader)),
        block_bytes_(block_bytes),
        longest_line_(longest_line),
        quoted_(quoted) {}

  std::optional<text_block> next() override {
    if (ended_) return std::nullopt;
    std::size_t have = carry_.size(), room = std::min(have + block_bytes_, longest_line_);
    memory block = copied(carry_, room);
    carry_.clear();
    for (;;) {
      const std::size_t before = have, got = reader_->read({block.get() + have, room - have});
      ended_ = got < room - have;
      have += got;
      if (have == 0) return std::nullopt;
      if (ended_ && block.get()[have - 1] != '\n') block.get()[have++] = '\n';
      const std::string_view text(block.get(), have);
      const std::size_t newline = ended_ ? have - 1 : quoted_ ? last_record_end(text) : text.rfind('\n');
      if (newline != text.npos) {
        carry_.assign(text.substr(newline + 1));
        std::memset(block.get() + newline + 1, 0, text_padding);
        return text_block{text.substr(0, newline + 1), std::move(block)};
      }
      // A line longer than a block doubles the block, so that the total cost of growing is linear.
      if (room == longest_line_ && quoted_ && opens_quotes(text)) {
        ended_ = true;  // the parser will say which quotation mark has no end
        block.get()[have++] = '\n';
        return text_block{{block.get(), have}, std::move(block)};
      }
      if (room == longest_line_) refuse_line();
      text_look(name())(text, before);
      block = copied(text, room = std::min(2 * room, longest_line_));
    }
  }

 private:
  using memory = std::shared_ptr<char[]>;

  [[noreturn]] void refuse_line() const {
    constexpr std::size_t gibibyte = std::size_t{1} << 30;
    const std::string limit = longest_line_ % gibibyte == 0 ? std::to_string(longest_line_ / gibibyte) + " GiB"
                                                            : std::to_string(longest_line_) + " bytes";
    throw input_error(name() + ": there is a line of more than " + limit + "; is this the right file?");
  }

  /// Copies `text` to the front of memory with this much room plus a newline and the padding; the rest is
  /// uninitialised.
  static memory copied(std::string_view text, std::size_t room) {
    memory made(new char[room + 1 + text_padding]);
    std::copy(text.begin(), text.end(), made.get());
    return made;
  }

  std::unique_ptr<byte_reader> reader_;
  std::size_t block_bytes_, longest_line_;
  bool quoted_;
  std::string carry_;
  bool ended_ = false;
};

/// Text without its byte order mark. Checks by the first bytes that it is text.
class text_reader : public byte_reader {
 public:
  text_reader(std::unique_ptr<byte_reader> bytes, std::string name)
      : bytes_(std::move(bytes)), name_(std::move(name)) {}

  std::size_t read(std::span<char> room) override {
    if (!begun_) begin();
    const std::size_t n = std::min(room.size(), unread_.size());
    std::copy_n(unread_.begin(), n, room.begin());
    unread_.remove_prefix(n);
    return n == room.size() || ended_ ? n : n + bytes_->read(room.subspan(n));
  }

 private:
  void begin() {
    head_.resize(looked_at_bytes);
    const std::size_t n = bytes_->read(head_);
    begun_ = true;
    ended_ = n < head_.size();
    unread_ = std::string_view(head_).substr(0, n);
    require_text(unread_, name_);
    unread_ = without_mark(unread_);
  }

  std::unique_ptr<byte_reader> bytes_;
  std::string name_, head_;
  std::string_view unread_;  ///< of the first bytes
  bool begun_ = false, ended_ = false;
};

unique_fd opened(const std::string& path, const std::string& name) {
  unique_fd fd(path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) throw_unreadable(name, errno);
  return fd;
}

/// The source of bytes, and their compression.
struct source {
  std::string name;
  std::optional<source_stamp> stamp;
  std::unique_ptr<raw_input> input;
  compression kind;
};

source source_of(const std::string& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path;
  unique_fd fd = opened(path, name);
  std::optional<source_stamp> stamp = stamp_of(fd, name);
  if (standard) stamp.reset();
  auto input = std::make_unique<raw_input>(std::move(fd), name, stamp);
  const compression kind = detect_compression(input->peek(8));
  return {name, stamp, std::move(input), kind};
}

std::unique_ptr<byte_reader> reader_of(std::unique_ptr<raw_input> input, compression packed, content kind) {
  const std::string name = input->name();
  auto bytes = make_byte_reader(std::move(input), packed);
  if (kind == content::bytes) return bytes;
  return std::make_unique<text_reader>(std::move(bytes), name);
}

}  // namespace

std::unique_ptr<input_stream> open_input(const std::string& path, std::size_t block_bytes, std::size_t longest_line) {
  source from = source_of(path);
  return std::make_unique<line_stream>(reader_of(std::move(from.input), from.kind, content::text), from.name,
                                       from.stamp, block_bytes, longest_line);
}

std::unique_ptr<input_stream> open_input(const std::string& path, const cutting& how) {
  if (!how.quoted) return open_input(path, how.block_bytes);
  source from = source_of(path);
  return std::make_unique<line_stream>(reader_of(std::move(from.input), from.kind, content::text), from.name,
                                       from.stamp, how.block_bytes, input_stream::longest_record, true);
}

std::unique_ptr<byte_reader> open_bytes(const std::string& path, content kind) {
  source from = source_of(path);
  return reader_of(std::move(from.input), from.kind, kind);
}

std::unique_ptr<byte_reader> open_memory_text(std::string_view text, std::string name) {
  return reader_of(std::make_unique<raw_input>(text, std::move(name)), detect_compression(text), content::text);
}

void read_on(byte_reader& input, std::string& all, std::size_t most, const early_look& look) {
  for (std::size_t have = all.size();;) {
    const std::size_t from = have;
    all.resize(std::min(std::max(2 * have, input_stream::default_block_bytes), most));
    have += input.read(std::span(all).subspan(have));
    if (have < all.size() || have == most) return all.resize(have);
    if (look) look(all, from);
  }
}

early_look text_look(const std::string& name) {
  return [name](std::string_view all, std::size_t from) {
    if (all.find('\0', from) != all.npos)
      throw input_error(name + ": there is a byte 0 in it, which no text has; is this the right file?");
    const std::size_t parted = all.find_last_of(" \t\r\n,:");
    if (all.size() - (parted == all.npos ? 0 : parted) > longest_field)
      throw input_error(name + ": there is a field of more than " + std::to_string(longest_field) +
                        " bytes; is this the right file?");
  };
}

std::string read_unpacked(const std::string& path, const early_look& look, content kind, std::size_t most) {
  source from = source_of(path);
  std::string all;
  // Reads one byte more than allowed, so that too many are noticed.
  read_on(*reader_of(std::move(from.input), from.kind, kind), all, most + 1, look);
  if (all.size() > most)
    throw input_error(from.name + ": there are more than " + std::to_string(most) + " bytes; is this the right file?");
  return all;
}

std::string read_head(const std::string& path, std::size_t bytes) {
  source from = source_of(path);
  std::string head;
  read_on(*make_byte_reader(std::move(from.input), from.kind), head, bytes);
  return head;
}

std::unique_ptr<input_stream> open_input_memory(std::string_view bytes, std::string name, std::size_t block_bytes,
                                                std::size_t longest_line) {
  auto reader = open_memory_text(bytes, name);
  return std::make_unique<line_stream>(std::move(reader), std::move(name), std::nullopt, block_bytes, longest_line);
}

std::unique_ptr<input_stream> open_input_memory(std::string_view bytes, std::string name, const cutting& how) {
  if (!how.quoted) return open_input_memory(bytes, std::move(name), how.block_bytes);
  auto reader = open_memory_text(bytes, name);
  return std::make_unique<line_stream>(std::move(reader), std::move(name), std::nullopt, how.block_bytes,
                                       input_stream::longest_record, true);
}

}  // namespace hogwild::detail
