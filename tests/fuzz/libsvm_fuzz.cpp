// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include <hogwild/detail/formats/libsvm.hpp>
#include <hogwild/error.hpp>

#include "formats/word_labels.hpp"
#include "support/random_libsvm.hpp"

// Any text: refused with a place inside it, or read into rows that hold together and survive writing and reading; the
// same on every instruction set. Labels are numbers, or words.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hogwild;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  detail::begins_with_word(text);
  for (const bool labels_optional : {false, true}) {
    detail::word_labels words({}, true);
    try {
      const libsvm_rows rows = parse_libsvm(text, "fuzz", labels_optional, &words);
      if (rows.row_start.size() != rows.label.size() + 1 || rows.row_start.back() != rows.index.size()) std::abort();
      for (const double label : rows.label)
        if (label < 0 || label > static_cast<double>(size)) std::abort();
    } catch (const input_error&) {
    }
    // The vectors read no rows that begin before the sixteenth byte.
    const std::string behind = "1 1:0.5 2:1 3:2\n" + std::string(text);
    const test::parsed_block expected = test::parse_with(isa::scalar, behind, labels_optional);
    for (const isa set : test::isas_here())
      if (!(test::parse_with(set, behind, labels_optional) == expected)) std::abort();
    try {
      const libsvm_rows rows = parse_libsvm(text, "fuzz", labels_optional);
      if (rows.row_start.size() != rows.label.size() + 1 || rows.row_start.back() != rows.index.size() ||
          rows.value.size() != rows.index.size())
        std::abort();
      for (const std::uint32_t j : rows.index)
        if (j >= rows.columns) std::abort();
      std::ostringstream written;
      write_libsvm(written, rows.view());
      const libsvm_rows again = parse_libsvm(written.str());
      if (again.label != rows.label || again.index != rows.index || again.value != rows.value) std::abort();
      if (again.lists.start != rows.lists.start || again.lists.code != rows.lists.code ||
          again.lists.table != rows.lists.table)
        std::abort();
    } catch (const format_error& fault) {
      if (fault.line() == 0 || fault.column() == 0 || fault.line() > size + 1 || fault.column() > size + 1)
        std::abort();
    } catch (const input_error&) {
      // The whole text looks like another kind of file.
    }
  }
  return 0;
}
