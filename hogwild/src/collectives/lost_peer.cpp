// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/collectives/lost_peer.hpp>

#include <hogwild/error.hpp>

namespace hogwild::detail {

namespace {

constexpr const char* restart = "start the run again, from its last checkpoint where there is one";

std::string seconds_text(std::chrono::nanoseconds time) {
  const auto tenths = std::chrono::duration_cast<std::chrono::milliseconds>(time).count() / 100;
  return std::to_string(tenths / 10) + (tenths % 10 != 0 ? "." + std::to_string(tenths % 10) : "") + " s";
}

}  // namespace

std::string ranks_text(std::span<const std::size_t> ranks, std::size_t size) {
  constexpr std::size_t most = 8;
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < most; ++i) {
    if (i > 0) text += i + 1 == ranks.size() ? " and " : ", ";
    text += std::to_string(ranks[i]);
  }
  if (ranks.size() > most) text += " and " + std::to_string(ranks.size() - most) + " more";
  return text + " of " + std::to_string(size);
}

std::string silent_text(std::span<const std::size_t> ranks, std::size_t size, const char* call,
                        std::chrono::nanoseconds timeout) {
  const bool one = ranks.size() == 1;
  return ranks_text(ranks, size) + (one ? " has" : " have") + " not come to " + call + " within " +
         seconds_text(timeout) + "; " + (one ? "it is" : "they are") +
         " stopped, cut off or overloaded: raise the timeout where they only are slow, else " + restart;
}

std::string given_up_text(std::size_t rank, std::size_t size, std::chrono::nanoseconds timeout) {
  return "this rank (" + ranks_text({&rank, 1}, size) + ") has been silent for longer than " + seconds_text(timeout) +
         ", so that the others gave it up: it was stopped, cut off or overloaded, or waited itself; raise the timeout "
         "where it only is slow, else " +
         restart;
}

std::string not_joined_text(std::chrono::nanoseconds timeout) {
  return "not all ranks have joined the group within " + seconds_text(timeout) +
         "; run the same program with the same options on all of them, or " + restart;
}

std::string gone_text(std::size_t rank, std::size_t size, const std::string& how, const char* call) {
  return ranks_text({&rank, 1}, size) + " " + how + " while others waited for it in " + call + "; " + restart;
}

std::string ended_text(std::size_t rank, std::size_t size, const std::string& how) {
  return ranks_text({&rank, 1}, size) + " " + how + ", and no rank of a synchronous run goes on without the others; " +
         restart;
}

std::string failed_text(std::size_t rank, std::size_t size, const std::string& reason) {
  return ranks_text({&rank, 1}, size) + " gave up: " + reason;
}

std::string mismatch_text(std::size_t rank, const std::string& call, std::size_t other, const std::string& other_call) {
  return "rank " + std::to_string(rank) + " calls " + call + " while rank " + std::to_string(other) + " calls " +
         other_call +
         "; all ranks must make the same calls in the same order: run the same program with the same "
         "options on all of them";
}

void check_root(std::size_t root, std::size_t size) {
  if (root < size) return;
  throw config_error("root " + std::to_string(root) + " is no rank of a group of " + std::to_string(size) +
                     "; give one below that");
}

void check_rank(std::size_t rank, std::size_t size) {
  if (size == 0) throw config_error("a collective needs at least one member; give its size");
  if (rank < size) return;
  throw config_error("rank " + std::to_string(rank) + " does not exist in a group of " + std::to_string(size) +
                     "; give one below that");
}

void check_gathered(std::size_t all, std::size_t each, std::size_t size) {
  if (all == each * size) return;
  throw config_error("gather of " + std::to_string(each) + " elements from " + std::to_string(size) +
                     " ranks needs room for " + std::to_string(each * size) + ", not " + std::to_string(all));
}

}  // namespace hogwild::detail
