// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include <hogwild/detail/collectives/segment.hpp>
#include <hogwild/detail/memory/segment.hpp>
#include <hogwild/detail/platform/child_process.hpp>
#include <hogwild/error.hpp>

// Groups of processes for tests: each member runs this program again, with its rank and its work as arguments. It
// leaves its message in the segment.

namespace hogwild::test {

inline const segment_identity member_identity{.layout_hash = 1, .build_id = 1, .model_name = "collective"};
inline constexpr std::size_t words = 1024;     ///< bytes for a member's message
inline constexpr std::size_t arena = 1 << 20;  ///< bytes for a member's own arrays in the segment

/// One member's parts of the segment: header | group | words of each | arena of each.
struct member_place {
  segment_group_shape shape;
  std::size_t group() const { return segment_header_bytes; }
  std::size_t word(std::size_t rank) const {
    return (group() + segment_group_layout(shape).total + 4095) / 4096 * 4096 + rank * words;
  }
  std::size_t own(std::size_t rank) const { return word(shape.members) + rank * arena; }
  std::size_t total() const { return own(shape.members); }
};

/// The function of a member: returns its message. `own` is its arena in the segment.
using member_body = std::string (*)(collective& c, std::span<std::byte> own);
struct member_task {
  std::string name;
  member_body run;
};

/// For main: runs a member if the arguments say so, and returns the result for main; else -1.
inline int member_main(int argc, char** argv, std::span<const member_task> tasks) {
  if (argc != 8 || std::string(argv[1]) != "--member") return -1;
  const member_place place{{.members = std::stoul(argv[4]), .window_bytes = std::stoul(argv[5])}};
  const std::size_t rank = std::stoul(argv[6]);
  const segment memory = segment::attach(argv[2], member_identity);
  const std::span<std::byte> shared(memory.data(), memory.bytes());
  std::string said = "there is no such task";
  try {
    const auto member = join_segment_group(shared, place.group(), place.shape, rank,
                                           {.timeout = std::chrono::milliseconds(std::stoul(argv[7]))});
    for (const member_task& task : tasks) {
      if (task.name == argv[3]) said = task.run(*member, shared.subspan(place.own(rank), arena));
    }
  } catch (const worker_error& e) {
    said = e.what();
  }
  said.resize(std::min(said.size(), words - 1));
  std::memcpy(shared.data() + place.word(rank), said.c_str(), said.size() + 1);
  return 0;
}

/// A group whose processes run.
class running_group {
 public:
  running_group(const std::string& task, std::size_t members, std::size_t window_bytes,
                std::chrono::milliseconds timeout)
      : place_{{.members = members, .window_bytes = window_bytes}},
        memory_(segment::create(unique_segment_name(), place_.total(), member_identity)) {
    for (std::size_t rank = 0; rank < members; ++rank) {
      processes_.push_back(
          spawn(this_program(), {"--member", memory_.name(), task, std::to_string(members),
                                 std::to_string(window_bytes), std::to_string(rank), std::to_string(timeout.count())}));
    }
  }
  child_process& process(std::size_t rank) { return processes_[rank]; }
  std::span<std::byte> own(std::size_t rank) const { return {memory_.data() + place_.own(rank), arena}; }

  /// Waits for the members' ends. Returns the message of each, or how it ended if it did not end normally.
  std::vector<std::string> said() {
    std::vector<std::string> all;
    for (std::size_t rank = 0; rank < processes_.size(); ++rank) {
      const auto status = processes_[rank].wait_for(std::chrono::minutes(1));
      all.push_back(!status              ? "still runs"
                    : !status->success() ? status->describe()
                                         : reinterpret_cast<const char*>(memory_.data() + place_.word(rank)));
    }
    return all;
  }

 private:
  member_place place_;
  segment memory_;
  std::vector<child_process> processes_;
};

}  // namespace hogwild::test
