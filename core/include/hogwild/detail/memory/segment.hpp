// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include <hogwild/detail/memory/segment_header.hpp>

namespace hogwild {

/// The properties of a segment on which its creator and attachers must agree, except `label`.
struct segment_identity {
  std::uint64_t layout_hash = 0;
  std::uint64_t build_id = 0;
  std::string model_name;  ///< only the first 127 bytes count
  std::string label{};     ///< for listings, the first 255 bytes; ignored by attach
};

/// Named memory that processes share. One process creates it and removes its name at the end; others attach and detach.
///
///     creator:   0x7f10.... | header (4096 bytes) | layout: sizes, parameters, control ... |
///     attacher:  0x7fa8.... | header (4096 bytes) | the same bytes at another address      |
///
/// So a segment contains offsets, never pointers. All its memory is allocated at creation: a full /dev/shm causes an
/// exception there, never a later SIGBUS. A handle may be moved between threads. This class does not protect the shared
/// memory behind the header.
class segment {
 public:
  /// Makes a new segment of `bytes` zero bytes (including the header, so at least segment_header_bytes). `name` begins
  /// with "hogwild-"; see unique_segment_name(). Throws segment_error if the name is taken or not allowed,
  /// resource_error (with the needed and the free size) if the memory is not available.
  ///
  /// `place`, if given, is called with the mapped memory before any of it is allocated, to decide where parts of it are
  /// placed. It may also call allocate(offset, bytes), from another thread too, and must not touch the memory.
  using allocator = std::function<void(std::size_t offset, std::size_t bytes)>;
  using placing = std::function<void(std::byte* data, const allocator& allocate)>;
  static segment create(const std::string& name, std::size_t bytes, const segment_identity& identity,
                        const placing& place = {});

  /// Maps an existing segment, never makes one. Waits up to a second for one that is still being made. Throws
  /// segment_error if it is missing, belongs to another user, is open to others, or differs in any point of `identity`.
  static segment attach(const std::string& name, const segment_identity& identity);

  /// Maps a segment read-only, of any model and build, as long as its layout is the same. Waits and throws as attach().
  static segment look_at(const std::string& name, std::uint64_t layout_hash);

  segment(segment&&) noexcept;
  segment& operator=(segment&&) noexcept;
  /// Unmaps. The creator's handle also removes the name, as does run_cleanup_handlers(); attached processes keep their
  /// mapping.
  ~segment();

  std::byte* data() const noexcept;  ///< the header is here; page aligned
  std::size_t bytes() const noexcept;
  const segment_header& header() const noexcept;
  const std::string& name() const noexcept;
  bool owner() const noexcept;  ///< true for the creator's handle until unlink()

  /// Removes the name now, so that nobody can attach any more; mappings stay. Does nothing for an attacher's handle.
  void unlink() noexcept;
  /// Called by a process that attached: whether the process that made the segment lives, wherever it runs. It holds a
  /// lock for as long as it lives. Needs no descriptor. A child that the creator forked and that has not called exec
  /// holds the lock as well.
  bool creator_lives() const noexcept;

 private:
  struct state;
  explicit segment(std::unique_ptr<state> s) noexcept;
  std::unique_ptr<state> state_;
};

/// "hogwild-PID-STARTTIME-RANDOM": names its creator, so that even an unfinished segment of a dead process can be
/// recognised.
std::string unique_segment_name();

}  // namespace hogwild
