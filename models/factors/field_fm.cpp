// SPDX-License-Identifier: Apache-2.0
#include "factors/field_fm.hpp"

#include <algorithm>
#include <string>

#include <hogwild/error.hpp>
#include <hogwild/formats/libffm.hpp>

namespace hogwild {

void require_fields(const sparse_view& rows, std::string_view source, std::string_view model, std::size_t fields) {
  if (rows.original.size() != rows.columns || std::ranges::find(rows.original, 0u) != rows.original.end())
    throw config_error(std::string(source) + " do not say of which field each column is: the model " +
                       std::string(model) +
                       " reads libffm text, or rows in memory with their 'original', made by field_column()");
  for (const std::uint32_t number : rows.original)
    if (field_of(number) >= fields)
      throw config_error(std::string(source) + " have the field " + std::to_string(field_of(number)) + ", but the " +
                         std::string(model) + " only " + std::to_string(fields) + " fields (counted from 0)");
}

}  // namespace hogwild
