// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <hogwild/formats/file_kind.hpp>

#include "text/text_fields.hpp"

// Any bytes: the kind's place lies within them, and so do the fields of each line, in their order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const bool whole : {false, true}) {
    const file_look look = look_at_bytes(bytes, whole);
    if (look.what.empty() || look.remedy.empty()) std::abort();
    if (look.line > size + 1 || look.column > size + 1 || look.evidence.size() > size) std::abort();
    if ((look.line == 0) != (look.column == 0)) std::abort();
  }
  const std::string_view line = bytes.substr(0, bytes.find('\n'));
  std::vector<detail::text_field> fields;
  for (const auto by : {detail::separator::tab, detail::separator::comma, detail::separator::semicolon,
                        detail::separator::bar, detail::separator::double_colon, detail::separator::blanks}) {
    const detail::field_fault fault = detail::cut_fields(line, by, fields);
    if (fault.what != nullptr && fault.at >= line.size()) std::abort();
    std::size_t behind = 0;
    for (const detail::text_field& field : fields) {
      const std::size_t end = field.at + field.text.size() + (field.quoted ? 2 : 0);
      if (field.at < behind || end > line.size() || detail::content_of(field).size() > field.text.size()) std::abort();
      behind = end;
    }
  }
  return 0;
}
