// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "text/byte_reader.hpp"

namespace hogwild::detail {

std::unique_ptr<byte_reader> make_gzip_reader(std::unique_ptr<raw_input> input);
std::unique_ptr<byte_reader> make_xz_reader(std::unique_ptr<raw_input> input);
std::unique_ptr<byte_reader> make_zstd_reader(std::unique_ptr<raw_input> input);
std::unique_ptr<byte_reader> make_bzip2_reader(std::unique_ptr<raw_input> input);

}  // namespace hogwild::detail
