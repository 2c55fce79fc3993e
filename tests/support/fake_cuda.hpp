// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// The CUDA runtime's functions without a device: programs that link this call none of the real ones. Memory is the
// host's and initially holds NaNs. Queued work is done when the program waits for it, not before, so that memory that
// changes too early is noticed.

namespace hogwild::test {

/// A machine with CUDA devices, and its faults.
struct fake_machine {
  int devices = 1;
  int driver = 13000;                               ///< the newest CUDA that it knows, by CUDA's numbers; 0: none
  std::size_t memory_bytes = std::size_t{1} << 30;  ///< of each device
  bool reaches = true;                              ///< devices can access each other's memory
  bool adds_there = true;                           ///< and add to it atomically
  std::size_t most_ways = 8;                        ///< how many ways from a device to others may be open
  bool has_code = true;                             ///< the program has code for the device's architecture
  std::size_t failing_call = 0;                     ///< which of the calls that can fail does, from 1; 0: none
  int code = 719;                                   ///< the cudaError_t that it returns; 719 is cudaErrorLaunchFailure
  bool for_good = false;  ///< all calls after that one fail, too, as after a fault in a kernel
  /// Makes the function that does a launch, from the addresses of the kernel's arguments, which are invalid when the
  /// function is called. Empty: a launch does nothing.
  std::function<std::function<void()>(void** arguments)> kernel{};
  /// The same for kernels by which replicas meet.
  std::function<std::function<void()>(void** arguments)> meeting{};
};

/// Replaces the machine. Nothing of the previous one may be in use.
void set_fake_machine(const fake_machine& machine);

/// Opens the way from a device to another one's memory, as if the program itself had done it.
void open_fake_way(int from, int to);

/// The name of the call that failed by `failing_call`; empty if none has.
std::string failed_fake_call();

/// The names of the calls since the machine was set that could have failed.
std::vector<std::string_view> fake_calls();

/// The numbers of things that were not released: blocks on all devices, registered pieces of the host's memory,
/// streams, events, and ways from one device to another.
struct fake_leftovers {
  std::size_t blocks = 0, registered = 0, streams = 0, events = 0, ways = 0;
  bool operator==(const fake_leftovers&) const = default;
};
fake_leftovers left_on_fake_devices();

}  // namespace hogwild::test
