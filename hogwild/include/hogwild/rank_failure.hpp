// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/error.hpp>

namespace hogwild {

/// One of several processes that divide models, folds or trials has failed. All of them throw this, with the exit code
/// of that rank's error and the same sentence, which names the rank. A process that is alone throws its own error
/// instead.
struct rank_failure : error {
  using error::error;  ///< a code and one sentence
};

}  // namespace hogwild
