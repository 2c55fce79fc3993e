// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <hogwild/detail/data/labels.hpp>
#include <hogwild/detail/data/sparse_view.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/training_task.hpp>
#include <hogwild/models/hinge_svm.hpp>

namespace hogwild::bench {

/// Generated rows in the shape of RCV1 (20,000 of about 75 entries), with columns ordered and rows shuffled as in
/// training data; made once, for all benchmarks.
const sparse_view& sample_rows();

/// The labels of the sample for a kind of model.
const label_map& sample_labels(label_kind kind);

/// Memory for a model with so many parameters, with one state array and locks, for four workers.
param_store store_for(std::size_t parameters);

/// A task of hinge_svm on the sample, with the given options.
std::unique_ptr<training_task> sample_task(const loop_options& options);

/// The instruction sets of this machine, as arguments of a benchmark.
std::vector<std::int64_t> every_isa();

}  // namespace hogwild::bench
