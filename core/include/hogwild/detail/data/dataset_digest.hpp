// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <hogwild/dataset.hpp>

namespace hogwild::detail {

/// A checksum over the rows of a dataset: labels, columns and values, as they are stored. It is computed from the
/// checksums of the dataset's blocks, without reading entries. Weights and offsets set on the handle are not included.
std::uint64_t digest_of_rows(const sparse_dataset& data);

}  // namespace hogwild::detail
