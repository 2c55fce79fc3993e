// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/platform/cleanup.hpp>

#include <list>
#include <mutex>
#include <utility>

#include <unistd.h>

namespace hogwild {
namespace {

struct registered_handler {
  pid_t process;
  std::function<void()> call;
};

struct handler_registry {
  std::mutex mutex;
  std::list<registered_handler> handlers;
};

/// Never destroyed: handlers may be dropped by the destructors of other static objects.
handler_registry& registry() {
  static auto& all = *new handler_registry;
  return all;
}

}  // namespace

struct cleanup_handler::entry {
  explicit entry(
      std::function<void()> call, const std::function<void()>& make = [] {}) {
    const std::scoped_lock lock(registry().mutex);
    place = registry().handlers.insert(registry().handlers.end(), {::getpid(), std::move(call)});
    try {
      make();
    } catch (...) {
      registry().handlers.erase(place);
      throw;
    }
  }
  entry(const entry&) = delete;
  entry& operator=(const entry&) = delete;
  ~entry() {
    const std::scoped_lock lock(registry().mutex);
    registry().handlers.erase(place);
  }
  std::list<registered_handler>::iterator place;
};

cleanup_handler::cleanup_handler() noexcept = default;
cleanup_handler::cleanup_handler(std::function<void()> handler) : entry_(std::make_unique<entry>(std::move(handler))) {}
cleanup_handler cleanup_handler::of_what(const std::function<void()>& make, std::function<void()> handler) {
  cleanup_handler made;
  made.entry_ = std::make_unique<entry>(std::move(handler), make);
  return made;
}
cleanup_handler::cleanup_handler(cleanup_handler&&) noexcept = default;
cleanup_handler& cleanup_handler::operator=(cleanup_handler&&) noexcept = default;
cleanup_handler::~cleanup_handler() = default;

void run_cleanup_handlers() noexcept {
  registry().mutex.lock();  // never unlocked: from here on nothing may be made that would be left behind
  for (const registered_handler& handler : registry().handlers) {
    if (handler.process == ::getpid()) handler.call();
  }
}

}  // namespace hogwild
