// SPDX-License-Identifier: Apache-2.0
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hogwild/error.hpp>
#include <hogwild/formats/ratings.hpp>
#include <hogwild/formats/side_features.hpp>

#include "arrays.hpp"
#include "bindings.hpp"
#include "rows.hpp"

namespace hogwild::python {
namespace {

/// Features of users, or of items, as CSR with a row for each.
struct member_features {
  array start, index, value;
  std::size_t features = 0;
};

/// Features have their numbers as names.
void add_features(const member_features& from, bool of_users, side_features& to) {
  std::vector<std::string>& names = of_users ? to.names.users : to.names.items;
  for (std::size_t k = 0; k < from.features; ++k) names.push_back(std::to_string(k));
  const std::span<const std::int64_t> start(static_cast<const std::int64_t*>(from.start.data()), from.start.size());
  const std::span<const std::uint32_t> index(static_cast<const std::uint32_t*>(from.index.data()), from.index.size());
  const std::span<const float> value = floats_of(from.value, "features");
  for (std::uint32_t row = 0; row + 1 < start.size(); ++row) {
    if (start[row] == start[row + 1]) continue;
    to.columns.push_back(of_users ? user_column(row) : item_column(row));
    for (auto k = static_cast<std::size_t>(start[row]); k < static_cast<std::size_t>(start[row + 1]); ++k) {
      to.feature.push_back(index[k]);
      to.weight.push_back(value[k]);
    }
    to.start.push_back(to.feature.size());
  }
}

python_rows with_features(const python_rows& rows, const std::optional<member_features>& users,
                          const std::optional<member_features>& items) {
  const nb::gil_scoped_release release;
  side_features all{.source = "the features"};
  if (users) add_features(*users, true, all);
  if (items) add_features(*items, false, all);
  if (!all.any()) throw config_error("no user and no item has a feature: leave out the matrices of features");
  sparse_dataset made = with_side_features(*rows.dataset(), all);
  return python_rows(std::move(made), std::make_shared<const rating_names>(std::move(all.names)));
}

}  // namespace

void bind_pair_features(nb::module_& m) {
  nb::class_<member_features>(m, "MemberFeatures")
      .def(
          "__init__",
          [](member_features* made, const array& start, const array& index, const array& value, std::size_t features) {
            new (made) member_features{start, index, value, features};
          },
          nb::arg("start"), nb::arg("index"), nb::arg("value"), nb::arg("features"));
  m.def("with_features", with_features, nb::arg("rows"), nb::arg("users").none(), nb::arg("items").none());
}

}  // namespace hogwild::python
