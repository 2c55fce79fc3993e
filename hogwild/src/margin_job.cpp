// SPDX-License-Identifier: Apache-2.0
#include <hogwild/margin_job.hpp>

#include <hogwild/evaluate.hpp>
#include <hogwild/sharing/alone.hpp>
#include <hogwild/sharing/buffered.hpp>
#include <hogwild/sharing/direct.hpp>
#include <hogwild/sharing/frozen.hpp>
#include <hogwild/sharing/head.hpp>
#include <hogwild/sharing/lockstep.hpp>
#include <hogwild/vector_passes.hpp>
#include <hogwild/worker_loop.hpp>

namespace hogwild {

margin_job_base::margin_job_base(const sparse_view& data, label_map labels, const loop_options& options)
    : job(data, std::move(labels), options) {}

template <class Sharing>
void margin_job_base::row_by_row(const param_store& store, std::size_t slot, const Sharing& sharing) const {
  const step_context context{labels_, data_.degree, all_rows(), options_};
  if (options_.optimizer == optimizer_kind::sgd) {
    margin_sgd_step step(sharing, loss(), context);
    worker_loop(store, slot, data_, plan_, options_, step);
  } else if constexpr (requires { sharing.state(0); }) {
    margin_adagrad_step step(sharing, loss(), context);
    worker_loop(store, slot, data_, plan_, options_, step);
  }
}

template <class Sharing>
void margin_job_base::by_batches(const param_store& store, std::size_t slot, const Sharing& sharing) const {
  if (options_.optimizer != optimizer_kind::sgd) return row_by_row(store, slot, sharing);
  const step_context context{labels_, data_.degree, all_rows(), options_};
  const auto run = [&]<class Index, class Value>() {
    margin_batch_step<Sharing, Index, Value> step(sharing, loss(), context, data_);
    worker_loop(store, slot, data_, plan_, options_, step);
  };
  if (data_.has_narrow_index())
    data_.has_narrow_value() ? run.template operator()<std::uint16_t, half>()
                             : run.template operator()<std::uint16_t, float>();
  else
    data_.has_narrow_value() ? run.template operator()<std::uint32_t, half>()
                             : run.template operator()<std::uint32_t, float>();
}

std::vector<parameter_group> margin_job_base::groups() const {
  std::vector<parameter_group> groups{{.name = "weights", .rows = data_.columns}};
  if (options_.bias) groups.push_back({.name = "bias", .offset = data_.columns, .rows = 1, .hot_first = false});
  return groups;
}

void margin_job_base::work(const param_store& store, std::size_t slot, worker_memory& memory,
                           neighbours* others) const {
  if (options_.sharing == sharing_kind::alone) {
    // Who joins in the middle of a round in which one worker has the array alone waits for the next one.
    const std::uint32_t only = store.control().round.only_slot;
    if (only == slot) return by_batches(store, slot, alone_sharing<float>(store));
    if (only != round_plan::no_slot) return;
  }
  // A chunk of rows in another order than they are stored has no run of columns of its own.
  const std::size_t frequent = options_.order == row_order::chunked ? data_.frequent : data_.columns;
  if (options_.sharing == sharing_kind::frozen)
    return by_batches(store, slot, frozen_sharing<float>(store, slot, groups(), frequent));
  if (options_.sharing == sharing_kind::gathered)
    return by_batches(store, slot, lockstep_sharing<float, true>(store, *others));
  if (options_.sharing == sharing_kind::averaged)
    return by_batches(store, slot, lockstep_sharing<float, false>(store, *others));
  with_update(options_.update, [&]<class Update>() {
    // Whoever is no longer alone sees every step of the others: no exchange was planned for them.
    if (options_.sharing == sharing_kind::direct || options_.sharing == sharing_kind::alone) {
      row_by_row(store, slot, direct_sharing<float, Update>(store, slot));
    } else if constexpr (Update::kind != update_kind::locked) {
      if (options_.sharing == sharing_kind::head)
        row_by_row(store, slot,
                   head_sharing<float, Update>(store, slot, memory, groups(), options_.exchange.head, frequent));
      else
        by_batches(store, slot, buffered_sharing<float, Update>(store, slot, memory, groups(), frequent, others));
    }
  });
}

measurement margin_job_base::evaluate(const param_store& store, double scale, const sparse_view& rows, team& crew,
                                      bool all_measures, const std::stop_token& stop) const {
  const param_reader<float> v = param_view<float>(store.parameters<float>()).reader();
  const margin_loss of = loss();
  const auto a = static_cast<float>(scale);
  const float bias = options_.bias ? v[v.size() - 1] : 0.0f;
  return evaluate_rows(
      rows, labels_, options_.weight_positive, crew,
      [&](const sparse_row<float>& z) -> row_verdict {
        const float margin = a * dot(v, z) + bias;
        return {of.loss(margin, z.label), margin};
      },
      all_measures, measure_scores, stop);
}

double margin_job_base::squared_norm(const param_store& store, double scale, team& crew) const {
  return scale * scale * sum_of_squares(store.parameters<float>().first(data_.columns), crew);
}

void margin_job_base::fold(const param_store& store, double scale, team& crew) const {
  multiply_all(store.parameters<float>().first(data_.columns), static_cast<float>(scale), crew);
}

std::vector<float> margin_job_base::parameters_of(const param_store& store, double scale) const {
  const auto stored = store.parameters<float>();
  std::vector<float> w(stored.begin(), stored.end());
  for (std::size_t j = 0; j < data_.columns; ++j) w[j] *= static_cast<float>(scale);
  return w;
}

}  // namespace hogwild
