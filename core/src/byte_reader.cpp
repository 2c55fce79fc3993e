// SPDX-License-Identifier: Apache-2.0
#include "byte_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <hogwild/core/error.hpp>

#include "decoders.hpp"

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

raw_input::raw_input(unique_fd fd, std::string name)
    : fd_(std::move(fd)), name_(std::move(name)), buffer_(std::size_t{1} << 18) {}

raw_input::raw_input(std::string_view bytes, std::string name) : name_(std::move(name)), unread_(bytes) {}

std::string_view raw_input::peek(std::size_t wanted) {
  while (unread_.size() < wanted && fd_) {
    if (!unread_.empty()) std::memmove(buffer_.data(), unread_.data(), unread_.size());
    const std::size_t have = unread_.size();
    const ssize_t got = ::read(fd_.get(), buffer_.data() + have, buffer_.size() - have);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw input_error(name_ + ": reading failed: " + std::generic_category().message(errno));
    unread_ = {buffer_.data(), have + static_cast<std::size_t>(got)};
    if (got == 0) break;
  }
  return unread_;
}

void raw_input::skip(std::size_t bytes) {
  unread_.remove_prefix(bytes);
  offset_ += bytes;
}

namespace {

class plain_reader : public byte_reader {
 public:
  explicit plain_reader(std::unique_ptr<raw_input> input) : input_(std::move(input)) {}

  std::size_t read(std::span<char> room) override {
    std::size_t done = 0;
    while (done < room.size()) {
      const std::string_view bytes = input_->peek();
      if (bytes.empty()) break;
      const std::size_t part = std::min(bytes.size(), room.size() - done);
      std::memcpy(room.data() + done, bytes.data(), part);
      input_->skip(part);
      done += part;
    }
    return done;
  }

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
