// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/triples.hpp>

#include "formats/triples_parser.hpp"
#include "text/decimal.hpp"

// Any lines: refused with a place inside them, or read into triples of an entity, a relation and an entity.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  std::string text(reinterpret_cast<const char*>(data), size);
  text += '\n';
  const std::size_t length = text.size();
  const detail::triples_layout layout = detail::look_at_triples(text);
  text.append(detail::text_padding, '\0');
  detail::rating_numbers names{.users = detail::name_numbers({}, largest_rating_id, "too many"),
                               .items = detail::name_numbers({}, largest_rating_id, "too many")};
  std::vector<std::uint32_t> index(detail::triples_capacity(length));
  std::vector<float> value(index.size());
  detail::row_block rows;
  rows.index = index.data(), rows.value = value.data();
  detail::parse_triples_block(std::string_view(text).substr(0, length), {.first = true}, layout, rows, names);
  if (rows.entries > index.size() || rows.entries != 3 * rows.label.size() || rows.label.size() != rows.row_end.size())
    std::abort();
  for (std::size_t k = 0; k < rows.entries; ++k)
    if (index[k] >= rows.columns || is_entity_column(index[k] + 1) != (k % 3 != 1)) std::abort();
  if (rows.fault && (rows.fault->line > rows.lines + 1 || rows.fault->column > length + 1)) std::abort();
  return 0;
}
