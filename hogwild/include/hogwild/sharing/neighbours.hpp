// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/sharing/touched_list.hpp>

namespace hogwild {

/// The other replicas of a model, as a worker sees them whose shared arrays are themselves one replica of several.
/// Belongs to one worker.
class neighbours {
 public:
  /// Now the worker's replica may exchange with others: the worker has exchanged with it, or trained on it long enough.
  virtual void exchanged() = 0;
  /// The worker has no more rows in this round.
  virtual void ended() {}
  /// Where the worker notes the parameters for which it gathers gains, so that not all have to be looked at when it
  /// meets the others; null: nobody asks.
  virtual touched_list* touched() { return nullptr; }

 protected:
  ~neighbours() = default;
};

}  // namespace hogwild
