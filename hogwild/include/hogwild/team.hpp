// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace hogwild {

/// Which library supplies the threads. The loop they run is the same.
enum class team_kind { openmp, tbb, std };

/// Threads that run one function together, again and again. Not to be entered by two callers at once.
class team {
 public:
  virtual ~team() = default;

  /// `workers` threads >= 1; `pin` binds each std thread to a CPU of its own (OpenMP binds by OMP_PLACES and
  /// OMP_PROC_BIND, oneTBB leaves it to the system). One worker is the caller itself, whatever the kind.
  static std::unique_ptr<team> make(team_kind kind, std::size_t workers, bool pin);

  virtual std::size_t size() const = 0;

  /// Runs body(0) .. body(granted - 1), each once, and returns when all have; granted <= size() is what the library
  /// gave. The first exception that a body throws is thrown here, after all have ended.
  std::size_t run(const std::function<void(std::size_t)>& body);

 private:
  virtual std::size_t run_all(const std::function<void(std::size_t)>& body) = 0;
};

}  // namespace hogwild
