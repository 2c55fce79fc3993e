// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "data/column_order.hpp"
#include "data/ingest.hpp"
#include "data/parsed_text.hpp"

namespace hogwild::detail {

/// Gives the columns that occur in one row only, the last ones in the order of columns, positions in the order of those
/// rows: in `order`, and within a row in the order of its entries. Such columns are two thirds of some texts' columns
/// and the rarest; a row's own then stand side by side in the model, in one or two cache lines instead of one each, and
/// a run of rows has a run of lines that no other row reads or writes.
void order_singletons(parsed_text& text, std::span<const row_plan::place> order, column_order& columns);

}  // namespace hogwild::detail
