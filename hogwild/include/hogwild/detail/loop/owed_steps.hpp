// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include <hogwild/detail/worker/loop_options.hpp>

namespace hogwild {

/// Whether ranks average their parameters when this one has trained `rows` more rows. Steps that are still owed to
/// parameters are made first: an average of settled and unsettled parameters would be wrong, and after the last meeting
/// of a round nothing may change on one rank alone.
template <class Sharing>
bool is_averaged_after(std::size_t rows, const Sharing& sharing, const loop_options& options) {
  return options.sharing == access_kind::averaged && rows >= sharing.rows_to_exchange();
}

}  // namespace hogwild
