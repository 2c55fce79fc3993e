// SPDX-License-Identifier: Apache-2.0
#include "text/byte_reader.hpp"

#include <bzlib.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>

#include <hogwild/error.hpp>

namespace hogwild::detail {
namespace {

enum class progress { more, member_end };

/// The common part of the four: feeds a decoder until the room is full, goes on with the next member, and distinguishes
/// a clean end from a truncated one. A decoder supplies start() before each member, and step(), which decompresses what
/// it can.
class decoder : public byte_reader {
 public:
  decoder(std::unique_ptr<raw_input> input, const char* kind) : input_(std::move(input)), kind_(kind) {}

  std::size_t read(std::span<char> room) override {
    std::size_t done = 0;
    while (done < room.size()) {
      const std::string_view bytes = input_->peek();
      if (!inside_) {
        if (bytes.empty() || !another_member()) break;
        start();
        inside_ = true;
      }
      const std::string_view packed = input_->peek();
      std::span<char> rest = room.subspan(done);
      std::size_t consumed = 0, produced = 0;
      const progress state = step(packed, rest, consumed, produced);
      input_->skip(consumed);
      done += produced;
      if (state == progress::member_end) {
        inside_ = false;
        first_ = false;
      } else if (consumed == 0 && produced == 0) {
        if (packed.empty()) torn();
        damaged("the decoder stands still");
      }
    }
    return done;
  }

 protected:
  /// Decompresses from `packed` (empty at the end of the file) into `room`; either may be used only partly.
  virtual progress step(std::string_view packed, std::span<char> room, std::size_t& consumed,
                        std::size_t& produced) = 0;
  virtual void start() = 0;
  virtual compression kind() const = 0;

  [[noreturn]] void damaged(const std::string& why) const {
    throw input_error(input_->name() + ": damaged " + kind_ + " data at byte " + std::to_string(input_->offset()) +
                      " (" + why + "); fetch or pack the file again");
  }
  [[noreturn]] void torn() const {
    throw input_error(input_->name() + ": the " + kind_ + " data end in the middle, at byte " +
                      std::to_string(input_->offset()) + "; the file is truncated, fetch or pack it again");
  }

 private:
  /// A member is followed by another one, or by zeros up to the end; anything else would be lost silently.
  bool another_member() {
    if (first_ || detect_compression(input_->peek(8)) == kind()) return true;
    const std::string_view rest = input_->peek(8);
    if (rest.size() < 8 && detect_prefix(rest)) torn();
    for (std::string_view padding = rest; !padding.empty(); padding = input_->peek()) {
      const std::size_t zeros = std::min(padding.find_first_not_of('\0'), padding.size());
      input_->skip(zeros);
      if (zeros < padding.size()) {
        if (detect_compression(input_->peek(8)) == kind()) return true;
        damaged("what follows the packed data is no such data");
      }
    }
    return false;
  }

  /// True if the last bytes of the file are the beginning of a member's magic.
  bool detect_prefix(std::string_view rest) const {
    std::string magic;
    switch (kind()) {
      case compression::gzip:
        magic = "\x1f\x8b";
        break;
      case compression::xz:
        magic = "\xfd\x37zXZ";
        break;
      case compression::zstd:
        magic = "\x28\xb5\x2f\xfd";
        break;
      case compression::bzip2:
        magic = "BZh";
        break;
      case compression::none:
        break;
    }
    return !rest.empty() && rest.size() <= magic.size() && magic.starts_with(rest);
  }

  std::unique_ptr<raw_input> input_;
  const char* kind_;
  bool inside_ = false;
  bool first_ = true;
};

template <class Count>
Count clamped(std::size_t bytes) {
  return static_cast<Count>(std::min<std::size_t>(bytes, 1u << 30));
}

class gzip_reader : public decoder {
 public:
  explicit gzip_reader(std::unique_ptr<raw_input> input) : decoder(std::move(input), "gzip") {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~gzip_reader() override { inflateEnd(&stream_); }

 private:
  void start() override { inflateReset(&stream_); }
  compression kind() const override { return compression::gzip; }
  progress step(std::string_view packed, std::span<char> room, std::size_t& consumed, std::size_t& produced) override {
    const uInt in = clamped<uInt>(packed.size()), out = clamped<uInt>(room.size());
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = out;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    consumed = in - stream_.avail_in;
    produced = out - stream_.avail_out;
    if (status == Z_STREAM_END) return progress::member_end;
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK && status != Z_BUF_ERROR) damaged(stream_.msg != nullptr ? stream_.msg : "inflate failed");
    return progress::more;
  }

  z_stream stream_{};
};

class xz_reader : public decoder {
 public:
  explicit xz_reader(std::unique_ptr<raw_input> input) : decoder(std::move(input), "xz") {}
  ~xz_reader() override { lzma_end(&stream_); }

 private:
  static constexpr std::uint64_t memory_limit = std::uint64_t{2} << 30;  // xz -9 asks for 65 MiB

  void start() override {
    if (lzma_stream_decoder(&stream_, memory_limit, 0) != LZMA_OK) throw std::bad_alloc();
  }
  compression kind() const override { return compression::xz; }
  progress step(std::string_view packed, std::span<char> room, std::size_t& consumed, std::size_t& produced) override {
    stream_.next_in = reinterpret_cast<const std::uint8_t*>(packed.data());
    stream_.avail_in = packed.size();
    stream_.next_out = reinterpret_cast<std::uint8_t*>(room.data());
    stream_.avail_out = room.size();
    const lzma_ret status = lzma_code(&stream_, LZMA_RUN);
    consumed = packed.size() - stream_.avail_in;
    produced = room.size() - stream_.avail_out;
    switch (status) {
      case LZMA_OK:
      case LZMA_BUF_ERROR:
        return progress::more;
      case LZMA_STREAM_END:
        return progress::member_end;
      case LZMA_MEM_ERROR:
        throw std::bad_alloc();
      case LZMA_MEMLIMIT_ERROR:
        damaged("unpacking would take more than 2 GiB of memory");
      case LZMA_OPTIONS_ERROR:
        damaged("a filter or option that is not supported");
      default:
        damaged("the checksum or the structure does not hold");
    }
  }

  lzma_stream stream_ = LZMA_STREAM_INIT;
};

class zstd_reader : public decoder {
 public:
  explicit zstd_reader(std::unique_ptr<raw_input> input)
      : decoder(std::move(input), "zstd"), stream_(ZSTD_createDStream(), &ZSTD_freeDStream) {
    if (!stream_) throw std::bad_alloc();
  }

 private:
  void start() override { ZSTD_DCtx_reset(stream_.get(), ZSTD_reset_session_only); }
  compression kind() const override { return compression::zstd; }
  progress step(std::string_view packed, std::span<char> room, std::size_t& consumed, std::size_t& produced) override {
    ZSTD_inBuffer in{packed.data(), packed.size(), 0};
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
    consumed = in.pos;
    produced = out.pos;
    if (ZSTD_isError(status)) damaged(ZSTD_getErrorName(status));
    return status == 0 ? progress::member_end : progress::more;
  }

  std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream_;
};

class bzip2_reader : public decoder {
 public:
  explicit bzip2_reader(std::unique_ptr<raw_input> input) : decoder(std::move(input), "bzip2") {}
  ~bzip2_reader() override { stop(); }

 private:
  void start() override {
    stop();
    stream_ = {};
    if (BZ2_bzDecompressInit(&stream_, 0, 0) != BZ_OK) throw std::bad_alloc();
    running_ = true;
  }
  void stop() {
    if (std::exchange(running_, false)) BZ2_bzDecompressEnd(&stream_);
  }
  compression kind() const override { return compression::bzip2; }
  progress step(std::string_view packed, std::span<char> room, std::size_t& consumed, std::size_t& produced) override {
    const unsigned in = clamped<unsigned>(packed.size()), out = clamped<unsigned>(room.size());
    stream_.next_in = const_cast<char*>(packed.data());
    stream_.avail_in = in;
    stream_.next_out = room.data();
    stream_.avail_out = out;
    const int status = BZ2_bzDecompress(&stream_);
    consumed = in - stream_.avail_in;
    produced = out - stream_.avail_out;
    if (status == BZ_STREAM_END) return progress::member_end;
    if (status == BZ_MEM_ERROR) throw std::bad_alloc();
    if (status != BZ_OK) damaged("the checksum or the structure does not hold");
    return progress::more;
  }

  bz_stream stream_{};
  bool running_ = false;
};

}  // namespace

std::unique_ptr<byte_reader> make_gzip_reader(std::unique_ptr<raw_input> input) {
  return std::make_unique<gzip_reader>(std::move(input));
}
std::unique_ptr<byte_reader> make_xz_reader(std::unique_ptr<raw_input> input) {
  return std::make_unique<xz_reader>(std::move(input));
}
std::unique_ptr<byte_reader> make_zstd_reader(std::unique_ptr<raw_input> input) {
  return std::make_unique<zstd_reader>(std::move(input));
}
std::unique_ptr<byte_reader> make_bzip2_reader(std::unique_ptr<raw_input> input) {
  return std::make_unique<bzip2_reader>(std::move(input));
}

}  // namespace hogwild::detail
