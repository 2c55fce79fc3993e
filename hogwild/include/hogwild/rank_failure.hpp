// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/error.hpp>

namespace hogwild {

/// What one of several processes could not do that divide models, folds or trials among them: all of them throw it with
/// the same sentence, which names the rank, and the exit code of what that one has met. A process that is alone throws
/// what it has met itself.
struct rank_failure : error {
  using error::error;  ///< a code and one sentence
};

}  // namespace hogwild
