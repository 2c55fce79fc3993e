// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>

#include <sys/types.h>

namespace hogwild {

/// Identifies a process for ever; a process number alone is given to another process later. Plain data of a fixed
/// layout, so that it may lie in a shared segment. Numbers are those of this process's own pid namespace.
struct process_identity {
  std::int32_t pid = 0;
  std::uint32_t reserved = 0;
  /// Clock ticks between boot and the start of the process (field 22 of /proc/PID/stat), as the machine's first time
  /// namespace counts them. Readers in all time namespaces get the same number if their clocks differ by whole ticks;
  /// otherwise two readers may be a tick apart.
  std::uint64_t start_time = 0;
  std::uint64_t boot = 0;  ///< hash of the machine's boot id

  /// This process. Throws resource_error if /proc is not mounted or no descriptor is left.
  static process_identity current();
  /// The process that has this number now, even if it is a zombie; nothing if there is none, or if it cannot be looked
  /// at because no descriptor is left.
  static std::optional<process_identity> of(pid_t pid);

  /// Whether both are the same process: same number, same boot, and starts at most a tick apart. No number is given to
  /// two processes within a tick.
  bool is_same(const process_identity& other) const;
  static bool same_start(std::uint64_t one, std::uint64_t other);

  /// True while this very process runs, as is_same() decides, and is not a zombie. If no descriptor is left to look,
  /// any process of this number counts as it. Any thread may call it.
  bool alive() const;

  bool operator==(const process_identity&) const = default;
};

static_assert(sizeof(process_identity) == 24 && std::is_trivially_copyable_v<process_identity>);

}  // namespace hogwild
