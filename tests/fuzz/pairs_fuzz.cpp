// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>

#include "formats/ratings_parser.hpp"
#include "text/decimal.hpp"

// Any lines as lines of pairs and as lists: refused with a place inside them, or read into pairs of a positive weight.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  std::string text(reinterpret_cast<const char*>(data), size);
  text += '\n';
  const std::size_t length = text.size();
  text.append(detail::text_padding, '\0');
  for (const int way : {0, 1, 2, 3}) {
    const bool lists = way % 2 == 1, named = way >= 2;
    detail::rating_numbers names{.users = detail::name_numbers({}, largest_rating_id, "too many"),
                                 .items = detail::name_numbers({}, largest_rating_id, "too many")};
    std::vector<std::uint32_t> index(lists ? detail::lists_capacity(length) : detail::ratings_capacity(length));
    std::vector<float> value(index.size());
    detail::ratings_layout layout;
    try {
      layout = detail::look_at_ratings(text, {.named = named, .labels_optional = true, .times = true, .weights = true},
                                       "fuzz");
    } catch (const format_error&) {
      continue;
    }
    layout.lists = lists;
    if (lists) layout.header_line = 0;
    detail::row_block rows;
    rows.index = index.data(), rows.value = value.data();
    detail::parse_ratings_block(std::string_view(text).substr(0, length), {true, isa::automatic, true}, layout, rows,
                                named ? &names : nullptr);
    if (rows.entries > index.size() || rows.entries != 2 * rows.label.size()) std::abort();
    if (!rows.stated.time.empty() && !rows.fault && rows.stated.time.size() != rows.label.size()) std::abort();
    for (const double weight : rows.label)
      if (!(static_cast<float>(weight) > 0.0f)) std::abort();
    for (std::size_t k = 0; k < rows.entries; ++k)
      if (index[k] >= rows.columns || is_user_column(index[k] + 1) != (k % 2 == 0)) std::abort();
    if (rows.fault && (rows.fault->line > rows.lines + 1 || rows.fault->column > length + 1)) std::abort();
  }
  return 0;
}
