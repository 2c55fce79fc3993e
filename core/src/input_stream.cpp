// SPDX-License-Identifier: Apache-2.0
#include "input_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/interprocess/file_mapping.hpp>
#include <boost/interprocess/mapped_region.hpp>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include <hogwild/core/error.hpp>

#include "formats/decimal.hpp"

namespace hogwild::detail {
namespace {

namespace ipc = boost::interprocess;

[[noreturn]] void throw_unreadable(const std::string& name, int code) {
  throw input_error(name + ": cannot be read: " + std::generic_category().message(code));
}

std::optional<source_stamp> checked_stamp(const struct ::stat& state, const std::string& name) {
  if (S_ISDIR(state.st_mode)) throw input_error(name + ": is a folder; name a file in it");
  if (!S_ISREG(state.st_mode)) return std::nullopt;
  return source_stamp{static_cast<std::uint64_t>(state.st_size),
                      std::int64_t{state.st_mtim.tv_sec} * 1'000'000'000 + state.st_mtim.tv_nsec};
}

/// A block of its own memory, with padding behind it.
text_block owned_block(std::string text) {
  if (text.back() != '\n') text += '\n';
  const std::size_t length = text.size();
  text.append(text_padding, '\0');
  auto owner = std::make_shared<const std::string>(std::move(text));
  return {std::string_view(*owner).substr(0, length), owner};
}

/// A mapped file. The last block is copied, because nothing readable need stand behind it.
class mapped_stream : public input_stream {
 public:
  mapped_stream(std::shared_ptr<const ipc::mapped_region> region, std::string name, source_stamp stamp,
                std::size_t block_bytes)
      : input_stream(std::move(name), stamp),
        region_(std::move(region)),
        rest_(static_cast<const char*>(region_->get_address()), region_->get_size()),
        block_bytes_(block_bytes) {}

  std::optional<text_block> next() override {
    if (rest_.empty()) return std::nullopt;
    if (rest_.size() > block_bytes_ + text_padding) {
      const std::size_t newline = rest_.find('\n', block_bytes_ - 1);
      if (newline != rest_.npos && newline + 1 + text_padding <= rest_.size()) {
        text_block block{rest_.substr(0, newline + 1), region_};
        rest_.remove_prefix(newline + 1);
        return block;
      }
    }
    return owned_block(std::string(std::exchange(rest_, {})));
  }

 private:
  std::shared_ptr<const ipc::mapped_region> region_;
  std::string_view rest_;
  std::size_t block_bytes_;
};

/// Anything that has to be read: pipes and archives.
class read_stream : public input_stream {
 public:
  read_stream(std::unique_ptr<byte_reader> reader, std::string name, std::optional<source_stamp> stamp,
              std::size_t block_bytes)
      : input_stream(std::move(name), stamp), reader_(std::move(reader)), block_bytes_(block_bytes) {}

  std::optional<text_block> next() override {
    std::string text = std::exchange(carry_, {});
    while (!ended_) {
      const std::size_t have = text.size();
      // A line that is longer than a block doubles the step, so that growing stays linear in all.
      const std::size_t step = std::max(block_bytes_, have) + 1;
      text.reserve(have + step + text_padding);
      text.resize(have + step);
      const std::size_t got = reader_->read({text.data() + have, step});
      text.resize(have + got);
      ended_ = got < step;
      const std::size_t newline = text.rfind('\n');
      if (!ended_ && newline != text.npos) {
        carry_.assign(text, newline + 1);
        text.resize(newline + 1);
        break;
      }
    }
    if (text.empty()) return std::nullopt;
    return owned_block(std::move(text));
  }

 private:
  std::unique_ptr<byte_reader> reader_;
  std::size_t block_bytes_;
  std::string carry_;
  bool ended_ = false;
};

}  // namespace

std::optional<source_stamp> stamp_of(const std::string& path) {
  struct ::stat state {};
  if (::stat(path.c_str(), &state) != 0) throw_unreadable(path, errno);
  return checked_stamp(state, path);
}

std::unique_ptr<input_stream> open_input(const std::string& path, std::size_t block_bytes) {
  const bool standard = path == "-";
  const std::string name = standard ? "standard input" : path;
  unique_fd fd(standard ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct ::stat state {};
  if (!fd || ::fstat(fd.get(), &state) != 0) throw_unreadable(name, errno);
  std::optional<source_stamp> stamp = checked_stamp(state, name);
  if (standard) stamp.reset();
  const int number = fd.get();
  auto input = std::make_unique<raw_input>(std::move(fd), name);
  const compression kind = detect_compression(input->peek(8));
  if (kind == compression::none && stamp && stamp->bytes > 0) {
    try {
      const ipc::file_mapping file(("/proc/self/fd/" + std::to_string(number)).c_str(), ipc::read_only);
      auto region = std::make_shared<ipc::mapped_region>(file, ipc::read_only, 0, stamp->bytes);
      region->advise(ipc::mapped_region::advice_sequential);
      return std::make_unique<mapped_stream>(std::move(region), name, *stamp, block_bytes);
    } catch (const ipc::interprocess_exception&) {
      // Some file systems refuse mapping; reading works everywhere.
    }
  }
  return std::make_unique<read_stream>(make_byte_reader(std::move(input), kind), name, stamp, block_bytes);
}

std::unique_ptr<input_stream> open_input_memory(std::string_view bytes, std::string name, std::size_t block_bytes) {
  const compression kind = detect_compression(bytes);
  auto reader = make_byte_reader(std::make_unique<raw_input>(bytes, name), kind);
  return std::make_unique<read_stream>(std::move(reader), std::move(name), std::nullopt, block_bytes);
}

}  // namespace hogwild::detail
