// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

namespace hogwild {

/// What has to be done for something that must not outlive this process, where the process is ended at once and no
/// destructor runs: remove a file that is half written or the name of a segment, kill a child. Destroying the object
/// drops the handler without calling it: its owner has done by then what is to be done.
///
/// Handlers are called by run_cleanup_handlers() alone, perhaps while their owner works in another thread; what they
/// touch must live as long as the object. They must not throw, and not make or drop other handlers.
class cleanup_handler {
 public:
  cleanup_handler() noexcept;  ///< none
  /// Throws std::bad_alloc.
  explicit cleanup_handler(std::function<void()> handler);
  /// The same for what `make` makes, at an instant at which no handlers run: either it is made and the handler called,
  /// or neither. `make` is short, and makes and drops no handlers. Throws what it throws too, and then there is none.
  static cleanup_handler of_what(const std::function<void()>& make, std::function<void()> handler);
  cleanup_handler(cleanup_handler&&) noexcept;
  cleanup_handler& operator=(cleanup_handler&&) noexcept;
  ~cleanup_handler();

 private:
  struct entry;
  std::unique_ptr<entry> entry_;
};

/// Calls the handlers that this process has made, the oldest first; those of a process that it was forked from are not
/// its own. The caller ends the process next, by _Exit: from now on any other thread that makes or drops a handler
/// waits for that. Not for signal handlers, since it locks and allocates; a thread may call it that waits for signals.
void run_cleanup_handlers() noexcept;

}  // namespace hogwild
