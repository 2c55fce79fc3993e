// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hogwild {

/// The other replicas of a model, as a worker sees them whose shared arrays are themselves one replica of several.
/// Belongs to one worker.
class neighbours {
 public:
  /// After the worker has exchanged with its replica: now the replica may exchange with others. Must not wait.
  virtual void exchanged() = 0;

 protected:
  ~neighbours() = default;
};

}  // namespace hogwild
