// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/task/training_task.hpp>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include <hogwild/detail/control/round_robin.hpp>
#include <hogwild/detail/loop/lane_table.hpp>
#include <hogwild/detail/loop/rating_blocks.hpp>
#include <hogwild/detail/memory/param_store.hpp>
#include <hogwild/detail/task/loss_bound.hpp>
#include <hogwild/detail/worker/row_state.hpp>
#include <hogwild/error.hpp>
#include <hogwild/options.hpp>

namespace hogwild {

namespace {

/// How rows are cut into chunks. Under deterministic sharing a chunk is what a virtual worker trains in a turn.
chunk_plan chunks_of_workers(const task_facts& facts, const sparse_view& data, const loop_options& options) {
  const std::size_t rows = data.rows();
  if (options.sharing == access_kind::deterministic) return {rows, options.exchange.rows};
  if (options.sharing == access_kind::direct && options.update == update_kind::ordered) return {rows, 1};
  // A rating takes some nanoseconds, so a chunk has more of them than rows of other data.
  if (facts.rating_kernels() || facts.pair_kernels) return {rows, std::clamp<std::size_t>(rows / 256, 16, 2048)};
  // An edge takes still less; but all workers should have some edges of a small graph.
  if (facts.edge_kernels) return {rows, std::min(std::clamp<std::size_t>(rows / 256, 64, 2048), rows / 64 + 1)};
  const chunk_plan plan = chunk_plan::choose(rows, data.nonzeros());
  if (!facts.whole_batches) return plan;
  const std::size_t batch = std::max<std::size_t>(options.batch, 1);
  return {rows, (plan.rows_per_chunk() + batch - 1) / batch * batch};
}

/// A device trains a chunk at a time. So that this takes longer than starting it, a chunk has several times as many
/// rows as the device trains at once, if enough chunks are left for the workers beside it.
chunk_plan chunks_of(const task_facts& facts, const sparse_view& data, const loop_options& options) {
  const chunk_plan plan = chunks_of_workers(facts, data, options);
  constexpr std::size_t several = 8, enough = 64, most = 65'536;
  const std::size_t rows = std::min({several * options.rows_in_flight, data.rows() / enough, most});
  if (rows <= plan.rows_per_chunk()) return plan;
  const std::size_t unit = plan.rows_per_chunk();  // a multiple of whole batches
  return {data.rows(), rows / unit * unit};
}

/// Whether workers, or virtual workers, take turns rather than each draw from a shard of its own.
bool has_turns(const loop_options& o) {
  return o.sharing == access_kind::deterministic || o.update == update_kind::ordered;
}

/// Words of the store's stripes; a power of two, or 0.
std::uint64_t words_of_locks(const loop_options& o, std::size_t workers) {
  constexpr std::uint64_t stripes = 4096;  // enough that two workers rarely meet on one by chance
  if (o.ownership == ownership_kind::blocks) return owner_stripes;
  if (o.update == update_kind::ordered) return std::bit_ceil(round_robin::words_for(workers));
  return o.update == update_kind::locked || o.update == update_kind::edge_locked ? stripes : 0;
}

}  // namespace

loop_plan training_task::plan(const loop_options& decided) const {
  loop_plan plan{.options = decided, .chunks = chunks_of(facts_, data_, decided)};
  // Kernels of devices have a number for each parameter.
  plan.options.row_state =
      decided.optimizer == optimizer_kind::row_adagrad && facts_.emits_rows && decided.device_count == 0 ? 1 : 0;
  if (decided.ownership == ownership_kind::blocks && facts_.rating_kernels()) {
    // The number of bands is the same in every process of the run.
    const std::uint32_t bands = bands_for(data_.rows(), decided.exchange.workers);
    plan.blocks = std::make_shared<const rating_list>(blocks_of(data_, facts_.users, facts_.items, bands));
    if (!plan.blocks->starts.empty()) plan.chunks = chunk_plan(std::span<const std::uint32_t>(plan.blocks->starts));
  }
  return plan;
}

loop_options training_task::options_alone() const {
  loop_options alone = options_;
  alone.all_rows = 0;
  alone.ownership = ownership_kind::shared;
  return alone;
}

store_shape training_task::shape(const loop_plan& plan, std::size_t workers, std::size_t spare,
                                 std::size_t setup_bytes) const {
  const loop_options& o = plan.options;
  return {.parameters = facts_.parameters,
          .scalar_bytes = facts_.scalar_bytes,
          .state_arrays = state_arrays_of(o.optimizer),
          .state_length = o.row_state != 0 ? row_state_length(facts_.groups) : 0,
          .workers = workers + spare,
          .shards = has_turns(o) ? 1 : workers,  // dealt out by turns, not by shards
          .chunks = std::max<std::uint64_t>(plan.chunks.count(), 1),
          .stripes = words_of_locks(o, workers + spare),
          .setup_bytes = setup_bytes,
          .replicas = o.sharing == access_kind::deterministic ? o.exchange.workers : 0,
          .halves = o.halves.count,
          .ring = in_lockstep(o.sharing)    ? workers
                  : o.exchange.replicas > 1 ? o.exchange.replicas
                                            : 0,
          .table_bytes = facts_.lanes * sizeof(lane_round)};
}

void require_cover(std::vector<parameter_group> groups, std::size_t parameters) {
  std::ranges::sort(groups, {}, &parameter_group::offset);
  std::size_t covered = 0;
  for (const parameter_group& g : groups) {
    if (g.offset != covered) {
      throw config_error("the model's groups leave out or repeat parameters: '" + std::string(g.name) + "' begins at " +
                         std::to_string(g.offset) + ", where " + std::to_string(covered) + " are covered so far");
    }
    covered += g.rows * g.width;
  }
  if (covered != parameters) {
    throw config_error("the model's groups cover " + std::to_string(covered) + " parameters, but it has " +
                       std::to_string(parameters));
  }
}

std::optional<loss_bound> coordinator_side::bound(std::span<const float>, thread_team&, const agreement&,
                                                  const std::stop_token&) const {
  return std::nullopt;
}

double penalty_of(const training_task& task, const param_store& store, double scale, thread_team& threads) {
  const double l1 = task.options().l1, l2 = task.options().l2;
  const double absolute = l1 > 0.0 ? l1 * task.absolute_sum(store, threads) : 0.0;
  return absolute + (l2 > 0.0 ? 0.5 * l2 * task.squared_norm(store, scale, threads) : 0.0);
}

void training_task::begin(const param_store& store) const {
  initialise(store);
  try_rows(store);
}

void training_task::change(const param_store& store, const std::function<void(std::span<float>)>& initial,
                           const optimizer_start& state) const {
  if (initial) {
    std::vector<float> parameters = parameters_of(store, 1.0);
    initial(parameters);
    assign(store, parameters);
  }
  for (std::size_t k = 0; state.change && k < store.shape().state_arrays; ++k) {
    std::vector<float> values(facts_.parameters);
    state.change(k, values);
    if (facts_.scalar_bytes == sizeof(float))
      set_state<float>(store, k, facts_.groups, values);
    else
      set_state<double>(store, k, facts_.groups, std::vector<double>(values.begin(), values.end()));
  }
}

void training_task::assign(const param_store& store, std::span<const float> parameters) const {
  if (facts_.scalar_bytes == sizeof(float)) {
    std::ranges::copy(parameters, store.parameters<float>().begin());
  } else {
    std::ranges::copy(parameters, store.parameters<double>().begin());
  }
}

}  // namespace hogwild
