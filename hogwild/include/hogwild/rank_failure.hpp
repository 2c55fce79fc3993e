// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <hogwild/error.hpp>

namespace hogwild {

/// The failure of one of several processes that divide models, folds or trials among them. All of them throw it, with
/// the same sentence, which names the rank that has failed, and the exit code of that rank's error. A process that is
/// alone throws its error itself.
struct rank_failure : error {
  using error::error;  ///< a code and one sentence
};

}  // namespace hogwild
