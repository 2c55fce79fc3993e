// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/dataset.hpp>

namespace hogwild::detail {

/// A checksum over what the rows of a dataset are: labels, columns and values, as they are stored. It is made of the
/// sums of the dataset's blocks, so that no entry is read. Weights and offsets that the handle has been given are left
/// out.
std::uint64_t digest_of_rows(const sparse_dataset& data);

}  // namespace hogwild::detail
