// SPDX-License-Identifier: Apache-2.0
#include "sample.hpp"

#include <generate/generate.hpp>
#include <hogwild/models/hinge_svm.hpp>
#include <hogwild/train.hpp>

namespace hogwild::bench {

const sparse_view& sample_rows() {
  // Generated columns are in the order of their popularity already, and rows in no order.
  static const generate::rows rows = generate::in_memory({.rows = 20'000, .test_fraction = 0.0}).train;
  static const sparse_view view = rows.view();
  return view;
}

const label_map& sample_labels(label_kind kind) {
  static const label_map binary = label_map::learn(label_kind::binary, sample_rows().label, "the sample");
  static const label_map classes = label_map::learn(label_kind::classes, sample_rows().label, "the sample");
  static const label_map real;
  return kind == label_kind::binary ? binary : kind == label_kind::classes ? classes : real;
}

param_store store_for(std::size_t parameters) {
  return param_store::in_memory({.parameters = parameters, .state_arrays = 1, .workers = 4, .stripes = 4096});
}

std::unique_ptr<training_task> sample_task(const loop_options& options) {
  return make_task(hinge_svm{}, sample_rows(), sample_labels(label_kind::binary), options);
}

std::vector<std::int64_t> every_isa() {
  std::vector<std::int64_t> sets;
  for (const isa set : {isa::scalar, isa::avx2, isa::avx512})
    if (has_isa(set)) sets.push_back(static_cast<std::int64_t>(set));
  return sets;
}

}  // namespace hogwild::bench
