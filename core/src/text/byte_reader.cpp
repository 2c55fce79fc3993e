// SPDX-License-Identifier: Apache-2.0
#include "text/byte_reader.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "platform/file_error.hpp"

namespace hogwild::detail {

compression detect_compression(std::string_view head) {
  using namespace std::string_view_literals;
  if (head.starts_with("\x1f\x8b"sv)) return compression::gzip;
  if (head.starts_with("\xfd\x37zXZ\0"sv)) return compression::xz;
  if (head.starts_with("\x28\xb5\x2f\xfd"sv)) return compression::zstd;
  // A zstd file may begin with a skippable frame: 0x184D2A5? in little-endian order.
  if (head.size() >= 4 && (head[0] & 0xf0) == 0x50 && head.substr(1).starts_with("\x2a\x4d\x18"sv))
    return compression::zstd;
  if (head.size() >= 4 && head.starts_with("BZh"sv) && head[3] >= '1' && head[3] <= '9') return compression::bzip2;
  return compression::none;
}

namespace {

std::optional<source_stamp> stamp_in(const struct ::stat& state, const std::string& name) {
  if (S_ISDIR(state.st_mode)) throw input_error(name + ": is a folder; name a file in it");
  if (!S_ISREG(state.st_mode)) return std::nullopt;
  const auto nanoseconds = [](const ::timespec& t) { return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec; };
  return source_stamp{static_cast<std::uint64_t>(state.st_size), nanoseconds(state.st_mtim),
                      nanoseconds(state.st_ctim)};
}

}  // namespace

std::uint64_t source_stamp::times() const {
  return checksum(std::span<const std::int64_t>(std::array{modified_ns, changed_ns}));
}

std::optional<source_stamp> stamp_of(const std::string& path) {
  struct ::stat state {};
  if (::stat(path.c_str(), &state) != 0) throw_unreadable(path, errno);
  return stamp_in(state, path);
}

std::optional<source_stamp> stamp_of(const unique_fd& fd, const std::string& name) {
  struct ::stat state {};
  if (::fstat(fd.get(), &state) != 0) throw_unreadable(name, errno);
  return stamp_in(state, name);
}

raw_input::raw_input(unique_fd fd, std::string name, std::optional<source_stamp> stamp)
    : fd_(std::move(fd)), name_(std::move(name)), stamp_(stamp), buffer_(std::size_t{1} << 18) {}

raw_input::raw_input(std::string_view bytes, std::string name) : name_(std::move(name)), unread_(bytes) {}

std::size_t raw_input::read_file(std::span<char> room) const {
  ssize_t got = 0;
  do {
    got = ::read(fd_.get(), room.data(), room.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) throw_unreadable(name_, errno);
  if (got == 0 && stamp_) {
    const std::optional<source_stamp> now = stamp_of(fd_, name_);
    if (!now || !now->same_contents(*stamp_))
      throw input_error(name_ + ": was written to while it was read; start again when it is complete");
  }
  return static_cast<std::size_t>(got);
}

std::string_view raw_input::peek(std::size_t wanted) {
  while (unread_.size() < wanted && fd_) {
    if (!unread_.empty()) std::memmove(buffer_.data(), unread_.data(), unread_.size());
    const std::size_t have = unread_.size(), got = read_file(std::span(buffer_).subspan(have));
    unread_ = {buffer_.data(), have + got};
    if (got == 0) break;
  }
  return unread_;
}

std::size_t raw_input::read(std::span<char> room) {
  const std::size_t at_hand = std::min(unread_.size(), room.size());
  if (at_hand > 0) std::memcpy(room.data(), unread_.data(), at_hand);
  unread_.remove_prefix(at_hand);
  std::size_t done = at_hand;
  while (done < room.size() && fd_) {
    const std::size_t got = read_file(room.subspan(done));
    if (got == 0) break;
    done += got;
  }
  offset_ += done;
  return done;
}

void raw_input::skip(std::size_t bytes) {
  unread_.remove_prefix(bytes);
  offset_ += bytes;
}

namespace {

class plain_reader : public byte_reader {
 public:
  explicit plain_reader(std::unique_ptr<raw_input> input) : input_(std::move(input)) {}

  std::size_t read(std::span<char> room) override { return input_->read(room); }

 private:
  std::unique_ptr<raw_input> input_;
};

}  // namespace

std::unique_ptr<byte_reader> make_byte_reader(std::unique_ptr<raw_input> input, compression kind) {
  switch (kind) {
    case compression::none:
      return std::make_unique<plain_reader>(std::move(input));
    case compression::gzip:
      return make_gzip_reader(std::move(input));
    case compression::xz:
      return make_xz_reader(std::move(input));
    case compression::zstd:
      return make_zstd_reader(std::move(input));
    case compression::bzip2:
      return make_bzip2_reader(std::move(input));
  }
  throw input_error(input->name() + ": unknown compression");
}

}  // namespace hogwild::detail
