// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/model_constant.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include <hogwild/detail/kernels/row_kernels.hpp>
#include <hogwild/detail/loop/row_batches.hpp>
#include <hogwild/detail/memory/param_view.hpp>
#include <hogwild/detail/optimization/optimizer.hpp>
#include <hogwild/detail/task/class_constants.hpp>
#include <hogwild/detail/task/evaluate.hpp>
#include <hogwild/detail/task/linear_classes.hpp>
#include <hogwild/detail/task/margin_rows.hpp>

namespace hogwild {

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool all_are_zero(std::span<const float> weights) {
  return std::ranges::all_of(weights, [](float w) { return w == 0.0f; });
}

/// The margin of each row, without the constant.
std::vector<float> margins_of(const training_task& task, std::span<const float> weights, double scale,
                              thread_team& threads, const std::stop_token& stop) {
  const sparse_view& data = task.data();
  std::vector<float> margin(data.rows());
  if (all_are_zero(weights)) return margin;  // untrained
  with_row_types(data, [&]<class Index, class Value>() {
    const auto of_thread = [&] {
      return [&, of_rows = margin_rows<Index, Value>(data, weights.data(), scale, task.options().isa)](
                 const chunk& rows, std::span<float>, std::span<float>) mutable {
        for_few_rows(rows, stop, [&](std::size_t first, const auto& few) { of_rows(few, &margin[first]); });
        return 0.0;
      };
    };
    evaluate_chunks(data, task.labels(), threads, chunk_plan(data.rows(), 1024), false, of_thread, measure_scores,
                    stop);
  });
  return margin;
}

/// Resets the optimiser's memory of the bias's path, which would lead away from its new place.
void move_bias(const training_task& task, const param_store& store, std::size_t j, float to) {
  param_view<float>(store.parameters<float>()).store(j, to);
  if (!sums_up(task.options().optimizer)) param_view<float>(store.state<float>(0)).store(j, 0.0f);
}

double minimise_bias(const training_task& task, const margin_loss& loss, const param_store& store, double scale,
                     thread_team& threads, const constant_search& by) {
  const sparse_view& data = task.data();
  const std::span<const float> all = store.parameters<float>();
  const float before = all[data.columns];
  const std::vector<float> margin = margins_of(task, all.first(data.columns), scale, threads, by.stop);
  std::vector<float> label(data.rows());
  for (std::size_t r = 0; r < label.size(); ++r) label[r] = task.labels().encode(data.label[r]);
  std::array<double, 1> stops{by.stop.stop_requested() ? 1.0 : 0.0};
  if (by.sum) by.sum(stops);
  if (stops[0] > 0.0) return no_number;
  const margins_of_rows rows{margin, label, data.offset, data.weight};
  const float found = lower_constant(loss, rows, {before, by.rows_before}, threads, by.sum);
  if (found != before) move_bias(task, store, data.columns, found);
  return sum_of_losses(loss, rows, all[data.columns], threads) / static_cast<double>(data.rows());
}

/// The classes of a few rows: lists, or the one class of each label. Belongs to a thread.
class given_classes {
 public:
  using of_row = std::span<const std::uint32_t>;

  explicit given_classes(const training_task& task) : labels_(task.labels()), data_(task.data()) {}

  /// One for each of at most batch_rows rows.
  template <class Rows>
  const of_row* operator()(const Rows& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (data_.label.lists()) {
        given_[i] = labels_.encode_list(data_.label, rows[i], list_[i]);
      } else {
        one_[i] = static_cast<std::uint32_t>(labels_.encode(data_.label[rows[i]]));
        given_[i] = {&one_[i], 1};
      }
    }
    return given_.data();
  }

 private:
  const label_map& labels_;
  const sparse_view& data_;
  std::array<std::uint32_t, batch_rows> one_{};
  std::array<std::vector<std::uint32_t>, batch_rows> list_{};
  std::array<of_row, batch_rows> given_{};
};

/// The sum of the losses of all rows; adds the rows to `sums`.
double pass_over(const training_task& task, const linear_classes& m, float* parameters, thread_team& threads,
                 const std::stop_token& stop, class_sums& sums) {
  const sparse_view& data = task.data();
  std::mutex mutex;
  double losses = 0.0;
  with_row_types(data, [&]<class Index, class Value>() {
    const auto& kernels = row_kernels_of<class_arrays, Index, Value>(task.options().isa);
    const auto of_thread = [&] {
      return [&, batch = batch_on<Index, Value>(data), given = given_classes(task),
              scores = std::vector<float>(batch_rows * m.classes)](const chunk& rows, std::span<float>,
                                                                   std::span<float>) mutable {
        class_sums mine(m);
        std::array<double, batch_rows> loss;
        double sum = 0.0;
        for_few_rows(rows, stop, [&](std::size_t first, const auto& few) {
          take_rows(batch, data, few);
          kernels.scores(m.arrays_in(parameters), batch, scores.data());
          const std::span<const std::uint32_t>* const classes = given(few);
          m.respond(few.size(), scores.data(), classes, loss.data());
          for (std::size_t i = 0; i < few.size(); ++i) {
            const float weight = data.weight_of(first + i);
            sum += static_cast<double>(weight) * loss[i];
            mine.add(scores.data() + i * m.classes, classes[i], weight);
          }
        });
        const std::scoped_lock lock(mutex);
        sums.add(mine);
        return sum;
      };
    };
    losses = evaluate_chunks(data, task.labels(), threads, chunk_plan(data.rows(), 1024), false, of_thread,
                             measure_scores, stop)
                 .loss;
  });
  return losses * static_cast<double>(data.rows());
}

double minimise_classes(const training_task& task, const linear_classes& m, const param_store& store,
                        thread_team& threads, const constant_search& by) {
  const std::span<float> all = store.parameters<float>();
  const std::span<float> constants = all.subspan(m.features * m.classes, m.classes);
  if (all_are_zero(all)) {  // untrained
    class_sums sums(m);
    given_classes given(task);
    for (std::size_t r = 0; r < task.data().rows(); ++r)
      sums.add_unscored(*given(consecutive_rows{r, 1}), task.data().weight_of(r));
    sums.agree(by.sum, {});
    std::ranges::copy(sums.of_unscored(), constants.begin());
  }
  const std::vector<float> before(constants.begin(), constants.end());
  class_descent descent(before);
  for (bool goes_on = true; goes_on;) {
    class_sums sums(m);
    const double mine = pass_over(task, m, all.data(), threads, by.stop, sums);
    std::array<double, 2> more{mine, by.stop.stop_requested() ? 1.0 : 0.0};
    sums.agree(by.sum, more);
    if (more[1] > 0.0) {
      std::ranges::copy(before, constants.begin());
      return no_number;
    }
    goes_on = descent.take(sums, mine, more[0]);
    std::ranges::copy(descent.constants(), constants.begin());
  }
  if (!sums_up(task.options().optimizer) && before != descent.constants())
    std::ranges::fill(store.state<float>(0).subspan(m.features * m.classes, m.classes), 0.0f);
  return descent.loss() / static_cast<double>(task.data().rows());
}

}  // namespace

bool is_of_linear_model(const training_task& task) {
  return task.margin() != nullptr || task.classes() != nullptr;
}

bool has_constant(const training_task& task) {
  if (task.margin() != nullptr) return task.options().bias != 0;
  const linear_classes* const m = task.classes();
  return m != nullptr && m->bias && !task.options().freezes(1);
}

std::optional<double> minimise_constant(const training_task& task, const param_store& store, double scale,
                                        thread_team& threads, const constant_search& by) {
  if (!has_constant(task)) return std::nullopt;
  if (const margin_loss* const loss = task.margin()) return minimise_bias(task, *loss, store, scale, threads, by);
  return minimise_classes(task, *task.classes(), store, threads, by);
}

}  // namespace hogwild
