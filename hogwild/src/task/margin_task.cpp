// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/make_task.hpp>
#include <hogwild/detail/task/margin_task.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include <hogwild/detail/loop/gathered_gradients.hpp>
#include <hogwild/detail/loop/margin_adagrad_batch.hpp>
#include <hogwild/detail/loop/margin_fading.hpp>
#include <hogwild/detail/loop/margin_gathered.hpp>
#include <hogwild/detail/loop/margin_proximal.hpp>
#include <hogwild/detail/loop/worker_loop.hpp>
#include <hogwild/detail/sharing/dispatch.hpp>
#include <hogwild/detail/sharing/untrained.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/margin_bound.hpp>
#include <hogwild/detail/task/margin_rows.hpp>
#include <hogwild/detail/task/vector_passes.hpp>

namespace hogwild {

margin_task::margin_task(std::shared_ptr<const void> kept, const margin_loss& loss, task_facts facts,
                         const sparse_view& data, label_map labels, const loop_options& options)
    : training_task(std::move(facts), data, std::move(labels), options), kept_(std::move(kept)), loss_(loss) {}

std::unique_ptr<training_task> margin_task::on(const sparse_view& rows) const {
  task_facts facts = facts_;
  facts.measured_rows = rows.rows();
  return std::make_unique<margin_task>(kept_, loss_, std::move(facts), rows, labels_, options_alone());
}

std::unique_ptr<training_task> make_margin_task(std::shared_ptr<const void> kept, const margin_loss& loss,
                                                task_facts facts, const sparse_view& data, label_map labels,
                                                const loop_options& options) {
  return std::make_unique<margin_task>(std::move(kept), loss, std::move(facts), data, std::move(labels), options);
}

template <template <class> class Step, class Sharing>
void margin_task::row_by_row(const worker_context& at, const Sharing& sharing) const {
  const step_context context{labels_, data_.degree, all_rows(), at.plan.options, all_rows()};
  Step<Sharing> step(sharing, loss_, context);
  worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
}

template <template <class, class, class> class Step, class Sharing>
void margin_task::by_batches(const worker_context& at, const Sharing& sharing) const {
  const step_context context{labels_, data_.degree, all_rows(), at.plan.options, all_rows()};
  with_row_types(data_, [&]<class Index, class Value>() {
    Step<Sharing, Index, Value> step(sharing, loss_, context, data_);
    worker_loop(at.store, at.slot, data_, at.plan.chunks, at.plan.options, step);
  });
}

static_assert(std::ranges::all_of(optimizers,
                                  [](const optimizer_facts& o) {
                                    return !o.sums_up || o.kind == optimizer_kind::sgd ||
                                           o.kind == optimizer_kind::adagrad || o.kind == optimizer_kind::row_adagrad ||
                                           o.kind == optimizer_kind::ftrl;
                                  }),
              "write the step by which this optimiser trains margin models; one that fades has one");

void margin_task::work(const worker_context& at) const {
  // Chunks of rows in another than the stored order have no run of singleton columns, and fading optimisers move all
  // columns at every row.
  const bool fades = !sums_up(at.plan.options.optimizer);
  const std::size_t first_singleton =
      by_chunks(at.plan.options.order) && !fades ? data_.first_singleton : data_.columns;
  const auto train = [&]<class Sharing>(const Sharing& sharing) {
    const loop_options& o = at.plan.options;
    if constexpr (Sharing::traits.gathers) {
      if (o.form == l2_form::two_pass) throw_untrained(facts_.model, o);  // refused before (plan_sharing())
      if (o.proximal() || o.optimizer != optimizer_kind::sgd) return row_by_row<margin_gathered_step>(at, sharing);
      return by_batches<margin_batch_step>(at, sharing);
    } else {
      static_assert(Sharing::traits.has_state, "write the steps of optimisers with state for this sharing");
      if (fades) {
        if constexpr (Sharing::traits.exclusive) throw_untrained(facts_.model, o);  // refused before (combinations.hpp)
        if constexpr (Sharing::traits.whole_state())
          if (has_fading_kernel(o.optimizer)) return by_batches<margin_fading_batch>(at, sharing);
        if constexpr (!Sharing::traits.exclusive) return row_by_row<margin_fading_step>(at, sharing);
      } else if (o.proximal()) {
        return row_by_row<margin_proximal_step>(at, sharing);
      } else if (o.optimizer != optimizer_kind::sgd) {
        if constexpr (Sharing::traits.whole_state())
          return by_batches<margin_adagrad_batch>(at, sharing);
        else
          return row_by_row<margin_adagrad_step>(at, sharing);
      } else if (o.form == l2_form::two_pass) {
        return row_by_row<margin_two_pass_step>(at, sharing);
      } else if constexpr (Sharing::traits.whole_arrays) {
        // On an array that nobody else writes meanwhile kernels train several rows at once.
        return by_batches<margin_batch_step>(at, sharing);
      } else {
        return row_by_row<margin_sgd_step>(at, sharing);
      }
    }
  };
  with_sharing<float, sharing_choices::and_head>(at, facts_.groups, data_.columns, first_singleton, train);
}

measurement margin_task::evaluate(const param_store& store, double scale, const sparse_view& rows, thread_team& threads,
                                  bool all_measures, const std::stop_token& stop, std::size_t) const {
  const std::span<const float> v = store.parameters<float>();
  const float bias = options_.bias ? v[data_.columns] : 0.0f;
  // Zeros, with which a run begins, give margins of zero: looking for them costs less than a pass over the entries.
  const bool zeros =
      rows.nonzeros() > v.size() && std::ranges::all_of(v.first(data_.columns), [](float x) { return x == 0.0f; });
  measurement found;
  with_row_types(rows, [&]<class Index, class Value>() {
    const auto of_thread = [&] {
      return [&, margins_of = margin_rows<Index, Value>(rows, v.data(), scale, options_.isa)](
                 const chunk& all, std::span<float> scores, std::span<float> targets) mutable {
        std::array<float, batch_rows> margin, label;
        std::array<double, batch_rows> loss;
        double sum = 0.0;
        for_few_rows(all, stop, [&](std::size_t first, const auto& few) {
          zeros ? margin.fill(0.0f) : margins_of(few, margin.data());
          for (const std::size_t r : few) {
            margin[r - first] = margin[r - first] + bias + rows.offset_of(r);
            label[r - first] = labels_.encode(rows.label[r]);
          }
          loss_.losses(few.size(), margin.data(), label.data(), loss.data());
          for (const std::size_t r : few) sum += static_cast<double>(rows.weight_of(r)) * loss[r - first];
          if (!all_measures) return;
          for (const std::size_t r : few)
            scores[r] = loss_.prediction(margin[r - first]), targets[r] = label[r - first];
        });
        return sum;
      };
    };
    found = evaluate_chunks(rows, labels_, threads, chunk_plan(rows.rows(), 1024), all_measures, of_thread,
                            measure_scores, stop);
  });
  return found;
}

double margin_task::squared_norm(const param_store& store, double scale, thread_team& threads) const {
  return scale * scale * sum_of_squares(store.parameters<float>().first(data_.columns), threads);
}

double margin_task::absolute_sum(const param_store& store, thread_team& threads) const {
  return sum_over(
      store.parameters<float>().first(data_.columns), [](double w) { return std::abs(w); }, threads);
}

void margin_task::settle(const param_store& store, std::size_t epoch, double step, thread_team& threads) const {
  if (!options_.proximal()) return;
  const param_view<float> w(store.parameters<float>());
  const auto for_all = [&](const auto& weight) {
    for_each_block(data_.columns, threads, [&](std::size_t first, std::size_t last, std::size_t) {
      for (std::size_t j = first; j < last; ++j) w.store(j, weight(j));
    });
  };
  const auto rows = static_cast<double>(all_rows());
  const auto t = static_cast<float>(l1_at_the_gate * step * options_.l1 * rows);
  if (options_.optimizer == optimizer_kind::sgd)
    return for_all([&](std::size_t j) { return soft_threshold(w.load(j), t); });
  const param_view<float> squares(store.state<float>(0));
  if (options_.optimizer != optimizer_kind::ftrl)
    return for_all([&](std::size_t j) {
      return soft_threshold(w.load(j),
                            t * adagrad_unit(options_) /
                                std::sqrt(std::max(squares.load(j), 0.0f) + adagrad<param_view<float>>::epsilon));
    });
  const ftrl_rule rule = ftrl_of(options_, step, rows, static_cast<double>(epoch));
  const param_view<float> z(store.state<float>(1));
  for_all([&](std::size_t j) { return rule.weight(z.load(j), squares.load(j)); });
}

std::optional<loss_bound> margin_task::bound(std::span<const float> parameters, thread_team& threads,
                                             const agreement& ranks, const std::stop_token& stop) const {
  const auto constant = detail::constant_of(options_.bias != 0, options_.freezes(1));
  return detail::bound_of_margins(loss_, smoothness(), data_, labels_, parameters, constant, threads, ranks, stop);
}

void margin_task::fold(const param_store& store, double scale, thread_team& threads) const {
  multiply_all(store.parameters<float>().first(data_.columns), static_cast<float>(scale), threads);
}

std::vector<float> margin_task::parameters_of(const param_store& store, double scale) const {
  const auto stored = store.parameters<float>();
  std::vector<float> w(stored.begin(), stored.end());
  for (std::size_t j = 0; j < data_.columns; ++j) w[j] *= static_cast<float>(scale);
  return w;
}

}  // namespace hogwild
