// SPDX-License-Identifier: Apache-2.0
#include "data/cache_place.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include <hogwild/detail/platform/checksum.hpp>
#include <hogwild/error.hpp>

#include "data/dataset_mapping.hpp"
#include "platform/trusted_file.hpp"

namespace hogwild::detail {
namespace {

std::string hex(std::uint64_t number, unsigned digits) {
  std::string text(digits, '0');
  for (; digits > 0; number >>= 4) text[--digits] = "0123456789abcdef"[number & 15];
  return text;
}

std::string staleness(const cache_header& header, const cache_key& key) {
  if (header.source_bytes != key.source.bytes) return "was made from a source of another size";
  if (header.source_times != key.source.times()) return "was made before the source was last written, moved or changed";
  // Rows with the columns of another dataset are checked by the numbers of that one.
  const bool same_columns = (header.numbered != 0) == key.numbered;
  if (header.options != key.options || header.kind != key.kind || !same_columns) return "was made with other options";
  return {};
}

}  // namespace

std::uint64_t options_digest(const open_options& options, input_format kind) {
  const auto format = static_cast<std::uint64_t>(kind);
  const bool half_values = options.values == value_precision::half;
  const std::uint64_t labels = options.labels_optional ? 1 : options.empty_lists ? 2 : 0;
  if (options.numbering == nullptr && labels == 0 && !half_values && format == 0) return 0;
  const std::array<std::uint64_t, 4> parts = {options.numbering != nullptr ? 1u : 0u,
                                              options.numbering != nullptr ? options.numbering->digest() : 0, labels,
                                              half_values ? 1u : 0u};
  const std::uint64_t sum = checksum(std::span<const std::uint64_t>(parts));
  if (format == 0) return sum;
  const std::array<std::uint64_t, 2> with_format = {sum, format};
  return checksum(std::span<const std::uint64_t>(with_format));
}

std::vector<std::filesystem::path> cache_places(const std::string& source, const open_options& options,
                                                input_format kind) {
  const std::uint64_t digest = options_digest(options, kind);
  std::string suffix = ".hogwild";
  if (digest != 0) suffix.insert(0, hex(digest, 8)).insert(0, 1, '.');
  std::vector<std::filesystem::path> places = {source + suffix};
  if (!options.cache_folder.empty()) {
    const std::filesystem::path path(source);
    std::error_code nowhere;  // the current folder may have been removed
    const std::filesystem::path from_root = std::filesystem::absolute(path, nowhere);
    const std::string whole = (nowhere ? path : from_root).lexically_normal().string();
    const std::uint64_t name = checksum(std::as_bytes(std::span(whole.data(), whole.size())));
    // Long names are cut, so that they fit into a file name with what is added to them.
    const std::string begin = path.stem().string().substr(0, 128) + "-" + hex(name, 16);
    places.push_back(options.cache_folder / (begin + suffix));
    places.push_back(options.cache_folder / (begin + "-" + std::to_string(::geteuid()) + suffix));
  }
  return places;
}

bool has_cache_magic(const unique_fd& fd) {
  auto magic = cache_magic;
  magic.fill(0);
  return ::pread(fd.get(), magic.data(), magic.size(), 0) == static_cast<ssize_t>(magic.size()) && magic == cache_magic;
}

std::string reason_to_keep(const std::filesystem::path& place) {
  const std::string other = "is another file, which stays as it is";
  const unique_fd looked(::open(place.c_str(), O_PATH | O_CLOEXEC | O_NOFOLLOW));
  struct ::stat state {};
  if (!looked || ::fstat(looked.get(), &state) != 0) return {};
  if (!S_ISREG(state.st_mode)) return other;
  if (state.st_uid != ::geteuid() && state.st_uid != 0)
    return "belongs to user " + std::to_string(state.st_uid) + " and stays as it is";
  const unique_fd fd(::open(place.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  return state.st_size > 0 && fd && !has_cache_magic(fd) ? other : std::string();
}

cache_finding find_cache(const std::filesystem::path& place, const cache_key& key,
                         std::optional<std::uint64_t> memory) {
  opened_file file = open_looking(place.string());
  if (!file.fd) return {std::nullopt, file.error == EACCES ? "cannot be read" : ""};
  if (!file.fault.empty()) return {std::nullopt, file.fault};
  if (file.state.st_size == 0) return {std::nullopt, "is empty"};
  if (!has_cache_magic(file.fd)) return {};  // another file
  try {
    const auto mapping =
        std::make_shared<const dataset_access::mapping>(std::move(file.fd), place.string(), true, memory);
    if (std::string reason = staleness(mapping->arrays().header, key); !reason.empty()) return {std::nullopt, reason};
    return {dataset_access::make(mapping), {}};
  } catch (const cache_error& fault) {
    return {std::nullopt, fault.what()};
  }
}

}  // namespace hogwild::detail
