// SPDX-License-Identifier: Apache-2.0
#include "agreed_calls.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include <hogwild/detail/collectives/lost_peer.hpp>
#include <hogwild/error.hpp>

namespace hogwild::nccl {
namespace {

constexpr std::size_t header_numbers = 4;

double number_of(operation call) {
  return static_cast<double>(static_cast<int>(call));
}

/// "all_reduce of 7 floats"
std::string text_of(std::span<const double> header) {
  constexpr std::array names{"join", "all_reduce", "broadcast", "reduce", "gather", "all_gather", "barrier", "nothing"};
  const auto call = static_cast<operation>(static_cast<int>(header[0]));
  std::string text = names.at(static_cast<std::size_t>(call));
  if (call == operation::join || call == operation::barrier || call == operation::broken) return text;
  text += " of " + std::to_string(static_cast<std::size_t>(header[2])) +
          (static_cast<std::size_t>(header[1]) == sizeof(float) ? " floats" : " doubles");
  if (call == operation::broadcast || call == operation::reduce || call == operation::gather)
    text += " with root " + std::to_string(static_cast<std::size_t>(header[3]));
  return text;
}

/// Keeps numbers that were passed to a carrier that threw: others may go on reading them, so they are never freed.
void keep_for_good(std::unique_ptr<std::vector<double>> numbers) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<std::vector<double>>>();  // read even at the program's end
  const std::lock_guard lock(mutex);
  kept->push_back(std::move(numbers));
}

}  // namespace

std::vector<double> agreed_calls::gather(std::span<const double> mine) {
  auto own = std::make_unique<std::vector<double>>(mine.begin(), mine.end());
  auto all = std::make_unique<std::vector<double>>(mine.size() * carrier_->size());
  try {
    carrier_->all_gather(std::span<const double>(*own), std::span(*all));
  } catch (...) {
    keep_for_good(std::move(own));
    keep_for_good(std::move(all));
    throw;
  }
  return std::move(*all);
}

void agreed_calls::announce(operation call, std::size_t scalar_bytes, std::size_t length, std::size_t root) {
  if (!failure_.empty()) throw worker_error(failure_);
  const std::array<double, header_numbers> mine{number_of(call), static_cast<double>(scalar_bytes),
                                                static_cast<double>(length), static_cast<double>(root)};
  std::vector<double> all;
  try {
    all = gather(mine);
  } catch (const error& e) {
    failure_ = e.what();
    throw;
  }
  const auto of = [&](std::size_t r) { return std::span(all).subspan(r * header_numbers, header_numbers); };
  for (std::size_t r = 0; r < carrier_->size(); ++r) {
    if (of(r)[0] != number_of(operation::broken)) continue;
    break_off("NCCL brought rank " + std::to_string(r) + " of " + std::to_string(carrier_->size()) +
              " nothing more, though all ranks are there: the devices or their links are stuck, or slower than the "
              "timeout; raise that where they only are slow, else start the run again, from its last checkpoint where "
              "there is one");
  }
  for (std::size_t r = 1; r < carrier_->size(); ++r)
    if (!std::ranges::equal(of(r), of(0))) break_off(detail::mismatch_text(0, text_of(of(0)), r, text_of(of(r))));
}

void agreed_calls::fail(const std::string& reason) noexcept {
  carrier_->fail(reason);
  try {
    failure_ = reason;
  } catch (...) {  // no memory: the carrier refuses later calls by itself
  }
}

void agreed_calls::break_off(std::string reason) {
  failure_ = std::move(reason);
  throw worker_error(failure_);
}

}  // namespace hogwild::nccl
