// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>

#include "formats/ratings_parser.hpp"
#include "text/decimal.hpp"

// Any lines: refused with a place inside them, or read into pairs of a user and an item.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  std::string text(reinterpret_cast<const char*>(data), size);
  text += '\n';
  const std::size_t length = text.size();
  text.append(detail::text_padding, '\0');
  for (const int way : {0, 1, 2, 3}) {
    const bool labels_optional = way % 2 == 1, named = way >= 2;
    detail::rating_numbers names{.users = detail::name_numbers({}, largest_rating_id, "too many"),
                                 .items = detail::name_numbers({}, largest_rating_id, "too many")};
    std::vector<std::uint32_t> index(detail::ratings_capacity(length));
    std::vector<float> value(index.size());
    detail::ratings_layout layout;
    try {
      layout = detail::look_at_ratings(text, {.named = named, .labels_optional = labels_optional}, "fuzz");
    } catch (const format_error&) {
      continue;
    }
    if (layout.header_line > size + 1 || layout.first_line > size + 1) std::abort();
    detail::row_block rows;
    rows.index = index.data(), rows.value = value.data();
    detail::parse_ratings_block(std::string_view(text).substr(0, length), {labels_optional, isa::automatic, true},
                                layout, rows, named ? &names : nullptr);
    if (rows.entries > index.size() || rows.entries != 2 * rows.label.size() ||
        rows.label.size() != rows.row_end.size())
      std::abort();
    for (std::size_t k = 0; k < rows.entries; ++k) {
      if (index[k] >= rows.columns || value[k] != 1.0f) std::abort();
      if (is_user_column(index[k] + 1) != (k % 2 == 0) || rating_id(index[k] + 1) > largest_rating_id) std::abort();
    }
    for (const double label : rows.label)
      if (!std::isfinite(label)) std::abort();
    if (rows.fault &&
        (rows.fault->line == 0 || rows.fault->line > length || rows.fault->column == 0 || rows.fault->column > length))
      std::abort();
  }
  return 0;
}
