// SPDX-License-Identifier: Apache-2.0
// Where hnswlib was not found.
#include <hogwild/detail/embeddings/row_index.hpp>

#include <hogwild/error.hpp>

namespace hogwild {

struct row_index::graph {};

row_index::row_index(std::span<const float>, std::size_t, std::size_t) {
  throw config_error(
      "this build has no index of rows, since hnswlib was not found: install it (on Debian and Ubuntu: apt-get install "
      "libhnswlib-dev) and build again, or search without an index");
}
row_index::row_index(row_index&&) noexcept = default;
row_index::~row_index() = default;

void row_index::build() {}
std::string row_index::read(const std::string&) {
  return {};
}
void row_index::write(const std::string&) const {}
std::vector<std::vector<scored_target>> row_index::of(std::span<const std::uint32_t>, std::size_t) const {
  return {};
}

}  // namespace hogwild
