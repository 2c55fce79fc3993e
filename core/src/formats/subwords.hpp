// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace hogwild::detail {

/// Calls f(part) for each run of `least` to `most` characters of a word in UTF-8 with its marks, "<word>", as fastText
/// does; a mark alone is none.
template <class F>
void for_subwords(std::string_view marked, unsigned least, unsigned most, const F& f) {
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(marked[at]) & 0xc0u) == 0x80u; };
  for (std::size_t first = 0; first < marked.size(); ++first) {
    if (continues(first)) continue;
    std::size_t last = first;
    for (unsigned characters = 1; characters <= most && last < marked.size(); ++characters) {
      for (++last; last < marked.size() && continues(last);) ++last;
      const bool is_mark_alone = characters == 1 && (first == 0 || last == marked.size());
      if (characters >= least && !is_mark_alone) f(marked.substr(first, last - first));
    }
  }
}

}  // namespace hogwild::detail
