// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hogwild/formats/libffm.hpp>

#include "formats/libffm_parser.hpp"
#include "formats/word_labels.hpp"
#include "text/decimal.hpp"

// Any lines: refused with a place inside them, or read into rows of distinct columns whose fields are in range.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  std::string text(reinterpret_cast<const char*>(data), size);
  text += '\n';
  const std::size_t length = text.size();
  text.append(detail::text_padding, '\0');
  detail::word_labels words({}, true);
  for (const auto& [labels_optional, labels] : std::initializer_list<std::pair<bool, detail::word_labels*>>{
           {false, nullptr}, {true, nullptr}, {false, &words}}) {
    std::vector<std::uint32_t> index(detail::libffm_capacity(length));
    std::vector<float> value(index.size());
    detail::row_block rows;
    rows.index = index.data(), rows.value = value.data();
    detail::parse_libffm_block(std::string_view(text).substr(0, length), {.labels_optional = labels_optional}, rows,
                               labels);
    if (rows.entries > index.size() || rows.label.size() != rows.row_end.size()) std::abort();
    std::size_t begin = 0;
    for (const std::uint32_t end : rows.row_end) {
      if (end < begin || end > rows.entries) std::abort();
      for (std::size_t k = begin; k < end; ++k) {
        if (index[k] >= rows.columns || !std::isfinite(value[k])) std::abort();
        if (field_of(index[k] + 1) > largest_field) std::abort();
      }
      const auto first = index.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = index.begin() + static_cast<std::ptrdiff_t>(end);
      std::sort(first, last);
      if (std::adjacent_find(first, last) != last) std::abort();
      begin = end;
    }
    if (begin != rows.entries) std::abort();
    for (const double label : rows.label)
      if (!std::isfinite(label)) std::abort();
    if (rows.fault &&
        (rows.fault->line == 0 || rows.fault->line > length || rows.fault->column == 0 || rows.fault->column > length))
      std::abort();
  }
  return 0;
}
