// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace hogwild {

/// A handler for something that must not outlive this process if the process ends at once, without destructors: it
/// removes an unfinished file or a segment's name, or kills a child. Destroying the object drops the handler without
/// calling it, because by then its owner has done the work.
///
/// Only run_cleanup_handlers() calls handlers, perhaps while their owner works in another thread; what they touch must
/// live as long as the object. They must not throw, and must not make or drop other handlers.
class cleanup_handler {
 public:
  cleanup_handler() noexcept;  ///< none
  /// Throws std::bad_alloc.
  explicit cleanup_handler(std::function<void()> handler);
  /// Calls `make` and installs the handler for what it makes, while no handlers run: either both happen or neither.
  /// `make` is short, and makes and drops no handlers. Also throws what `make` throws, and then there is no handler.
  static cleanup_handler of_what(const std::function<void()>& make, std::function<void()> handler);
  cleanup_handler(cleanup_handler&&) noexcept;
  cleanup_handler& operator=(cleanup_handler&&) noexcept;
  ~cleanup_handler();

 private:
  struct entry;
  std::unique_ptr<entry> entry_;
};

/// Calls the handlers that this process has made, the oldest first; not those of a process from which it was forked.
/// The caller then ends the process by _Exit; until that happens, other threads that make or drop a handler wait. Not
/// for signal handlers, since it locks and allocates; a thread that waits for signals may call it.
void run_cleanup_handlers() noexcept;

}  // namespace hogwild
