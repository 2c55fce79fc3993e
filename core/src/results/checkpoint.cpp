// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/checkpoint.hpp>

#include <algorithm>

#include <hogwild/detail/platform/atomic_file.hpp>
#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>

#include "platform/trusted_file.hpp"
#include "text/byte_cursor.hpp"
#include "text/known_kinds.hpp"

// The file, little-endian:
//   0  magic, 8 bytes          24  bytes of the whole file, u64
//   8  version, u32            32  XXH3 of everything after the header, u64
//  12  sections, u32           40  XXH3 of bytes 0 to 39, u64
//  16  epoch, u64              48  sections: name length u32, name, size u64, bytes

namespace hogwild {
namespace {

constexpr std::string_view checkpoint_magic("\x89HWCKPT\n", 8);
constexpr std::uint32_t version = 4;
constexpr std::size_t checkpoint_header_bytes = 48;

/// The previous checkpoint is kept beside the file, not beside a link to it.
std::string previous_of(const std::filesystem::path& path) {
  return atomic_file::target_of(path).string() + ".previous";
}

void require_file(const atomic_file& file, const std::filesystem::path& path) {
  if (!file.takes_place())
    throw input_error("no checkpoint can be kept in " + path.string() + ": it is no file; name a file");
}

}  // namespace

const checkpoint::section* checkpoint::find(std::string_view name) const {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const section& s) { return s.name == name; });
  return found == sections.end() ? nullptr : &*found;
}

void checkpoint::put_bytes(std::string name, std::vector<std::byte> bytes) {
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const section& s) { return s.name == name; });
  if (found != sections.end()) {
    found->bytes = std::move(bytes);
  } else {
    sections.push_back({std::move(name), std::move(bytes)});
  }
}

std::span<const std::byte> checkpoint::require(std::string_view name, std::size_t size) const {
  const section* found = find(name);
  if (found == nullptr) {
    throw input_error("the checkpoint has no section " + quote(name) + "; it belongs to another kind of run");
  }
  if (found->bytes.size() != size) {
    throw input_error("the checkpoint's section " + quote(name) + " has " + std::to_string(found->bytes.size()) +
                      " bytes, but " + std::to_string(size) + " are needed; it belongs to another model or other data");
  }
  return found->bytes;
}

std::size_t checkpoint::require_multiple(std::string_view name, std::size_t unit) const {
  const section* found = find(name);
  const std::size_t size = found == nullptr ? 0 : found->bytes.size();
  return require(name, size - size % unit).size();
}

std::vector<std::byte> checkpoint_bytes(const checkpoint& state) {
  detail::byte_builder body;
  for (const auto& s : state.sections) {
    body.put_text(s.name);
    body.put(static_cast<std::uint64_t>(s.bytes.size()));
    body.put_bytes(s.bytes);
  }
  detail::byte_builder file;
  file.put_span(std::span(checkpoint_magic.data(), checkpoint_magic.size()));
  file.put(version);
  file.put(static_cast<std::uint32_t>(state.sections.size()));
  file.put(state.epoch);
  file.put(static_cast<std::uint64_t>(checkpoint_header_bytes + body.bytes().size()));
  file.put(detail::checksum(body.bytes()));
  file.put(detail::checksum(file.bytes()));
  file.put_bytes(body.bytes());
  return std::move(file).take();
}

checkpoint parse_checkpoint(std::span<const std::byte> bytes, std::string_view name) {
  detail::require_stored({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, file_kind::checkpoint,
                         "a checkpoint", std::string(name), "name a file that a run has written as its checkpoint");
  detail::byte_cursor in(bytes, name);
  const auto begin = in.take_bytes(checkpoint_magic.size(), "the header");
  if (std::memcmp(begin.data(), checkpoint_magic.data(), checkpoint_magic.size()) != 0)
    in.fail(0, "this is not a checkpoint");
  const auto file_version = in.take<std::uint32_t>("the header");
  const auto count = in.take<std::uint32_t>("the header");
  checkpoint state;
  state.epoch = in.take<std::uint64_t>("the header");
  const auto length = in.take<std::uint64_t>("the header");
  const auto body_digest = in.take<std::uint64_t>("the header");
  const auto header_digest = in.take<std::uint64_t>("the header");
  if (header_digest != detail::checksum(bytes.first(checkpoint_header_bytes - sizeof header_digest)))
    in.fail(40, "the header was altered");
  if (file_version != version) {
    in.fail(8, "this is a checkpoint of version " + std::to_string(file_version) + ", but only version " +
                   std::to_string(version) +
                   " can be read: a run of another version of the program does not go on; begin it anew, from its "
                   "saved model (--init) where there is one");
  }
  if (length != bytes.size()) {
    in.fail(24, "the file was cut: it should have " + std::to_string(length) + " bytes, but has " +
                    std::to_string(bytes.size()));
  }
  if (body_digest != detail::checksum(bytes.subspan(checkpoint_header_bytes)))
    in.fail(32, "the contents do not match their checksum");
  for (std::uint32_t k = 0; k < count; ++k) {
    const std::size_t at = in.offset();
    std::string section_name = in.take_text("a section's name");
    if (state.find(section_name) != nullptr) in.fail(at, "there are two sections " + quote(section_name));
    const auto size = in.take<std::uint64_t>("a section's size");
    const auto content = in.take_bytes(size, "a section");
    state.sections.push_back({std::move(section_name), {content.begin(), content.end()}});
  }
  if (in.left() != 0) in.fail(in.offset(), "there are bytes behind the last section");
  return state;
}

void require_checkpoint_place(const std::filesystem::path& path) {
  require_file(atomic_file(path, atomic_file::writers::owner), path);
}

void write_checkpoint(const std::filesystem::path& path, const checkpoint& state) {
  atomic_file file(path, atomic_file::writers::owner);
  require_file(file, path);
  file.write(checkpoint_bytes(state));
  file.commit_keeping(previous_of(path));
}

checkpoint read_checkpoint(const std::filesystem::path& path, const std::function<void(std::string_view)>& note) {
  const auto read = [](const std::string& file) {
    std::string distrusted;
    const std::vector<std::byte> bytes = detail::read_whole_file(file, distrusted);
    if (!distrusted.empty())
      throw input_error(file + ": this checkpoint " + distrusted +
                        "; a run goes on from what nobody else can change: make a copy of your own, or chmod go-w");
    return parse_checkpoint(bytes, file);
  };
  std::string reason;
  try {
    return read(path.string());
  } catch (const input_error& e) {
    reason = e.what();
  }
  const std::string older = previous_of(path);
  try {
    checkpoint state = read(older);
    if (note) {
      note(reason + "; going on from the generation before it, " + older + " (epoch " + std::to_string(state.epoch) +
           ").");
    }
    return state;
  } catch (const input_error& e) {
    throw input_error("there is no whole checkpoint to go on from: " + reason + "; " + e.what());
  }
}

}  // namespace hogwild
