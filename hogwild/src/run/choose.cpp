// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/run/choose.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>

#include <hogwild/detail/sharing/ruler.hpp>

namespace hogwild {

namespace {

constexpr double line_parameters = 16.0;
constexpr std::uint64_t usual_rows = 512, most_rows = 4096;
constexpr double gate_ns = 20'000.0;  // opening and closing a round
constexpr double worth_it = 0.95;     // of the time of one worker: predictions are not exact
constexpr double rare_head = 0.05;    // fraction of entries in the head below which a replica of it is useless
constexpr double row_by_row = 1.6;    // time of a row by itself, relative to a row in batches by kernels
constexpr double wide_caches = 4.0;   // workers seldom meet on a model that fills more than this many caches of a core
constexpr double exchanges_an_epoch = 4.0;  // by each worker; with fewer, replicas hardly share anything

/// Lines that an exchange of the first `held` parameters covers on average, by the marks of the ruler.
double lines_an_exchange(const sharing_facts& f, double held) {
  const double prefix = std::min(static_cast<double>(shortest_prefix), held);
  const double lines = prefix / line_parameters * (1.0 + std::log2(std::max(1.0, held / prefix)) / 2.0);
  return lines * static_cast<double>(f.arrays);
}

struct prediction {
  double epoch_ns = 0.0;
  std::uint64_t rows = 0;   ///< between exchanges; 0 if replicas would not share enough
  std::uint64_t least = 1;  ///< the fewest rows, whatever the bound
  bool mean = false;
};

/// How far each of p > 1 workers may move along the steepest direction between two exchanges of summed gains. Two never
/// go too far together, but beyond this they oscillate too much.
double longest_way(std::size_t p) {
  return p == 2 ? 2.0 : -std::log(1.0 - 2.0 / static_cast<double>(p));
}

double fraction_on_head(const sharing_facts& f, std::size_t head) {
  double hot = 0.0, all = 0.0;
  for (std::size_t j = 0; j < f.degree.size(); ++j) {
    const auto entries = static_cast<double>(f.degree[j]);
    all += entries;
    if (j < head) hot += entries;
  }
  return all == 0.0 ? 1.0 : hot / all;
}

/// The additional time of a row if p workers share the columns from `head` on: rows are trained one by one, and p - 1
/// of p accesses to a shared line find it in another core.
double tail_ns(const sharing_facts& f, std::size_t p, std::size_t head) {
  const double entries =
      static_cast<double>(f.nonzeros) / static_cast<double>(f.rows) * (1.0 - fraction_on_head(f, head));
  return (row_by_row - 1.0) * f.row_ns + entries * f.shared_ns * static_cast<double>(p - 1) / static_cast<double>(p);
}

/// The predicted time of an epoch by p > 1 replicas of the first `held` parameters.
prediction predict(const sharing_facts& f, std::size_t p, std::size_t held) {
  const auto workers = static_cast<double>(p), columns = static_cast<double>(held);
  const double row_ns = f.row_ns + (held < f.parameters ? tail_ns(f, p, held) : 0.0);
  // A line passes from core to core at a limited rate, however many workers wait for it.
  const double exchange_ns = std::max(lines_an_exchange(f, columns) * f.line_ns, workers * f.shared_ns);
  const double cheap = 20.0 * exchange_ns / row_ns;  // rows whose exchange takes 5 per cent of their time
  // Without a bound, replicas exchange after the rows of one step, or after more rows if exchanges would cost too much.
  const double wanted = std::max(cheap, static_cast<double>(f.batch > 0 ? f.batch : usual_rows));
  const double bound = longest_exchange(f.step, f.curvature, p);
  const double each = static_cast<double>(f.rows) / workers / exchanges_an_epoch;
  prediction made;
  made.mean = p > 2 && f.step * f.curvature > longest_way(p);  // with steep data even a single row may be too far
  if (p == 2) made.least = std::bit_ceil(static_cast<std::uint64_t>(std::clamp(cheap / 2.0, 1.0, most_rows + 0.0)));
  const double allowed = made.mean ? wanted : std::max(bound, static_cast<double>(made.least));
  made.rows = std::bit_floor(static_cast<std::uint64_t>(std::min({wanted, allowed, each, most_rows + 0.0})));
  const double training = static_cast<double>(f.rows) * row_ns / static_cast<double>(std::min(p, f.cpus));
  const double ends = gate_ns + columns / line_parameters * f.line_ns * static_cast<double>(f.arrays);
  made.epoch_ns = training * (1.0 + exchange_ns / (std::max(static_cast<double>(made.rows), 1.0) * row_ns)) + ends;
  return made;
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

/// The choice of replicas for all workers.
sharing_choice replicas(const sharing_facts& f, access_kind kind, std::size_t head, std::size_t workers) {
  const std::size_t held = kind == access_kind::head ? std::min(head, f.parameters) : f.parameters;
  prediction p = predict(f, workers, held);
  p.rows = std::max<std::uint64_t>(p.rows, 1);
  sharing_choice choice{.kind = kind, .workers = workers, .exchange = {}, .reason = {}};
  choice.exchange = {.head = held,
                     .rows = p.rows,
                     .least = p.least,
                     .curvature = f.curvature,
                     .gain_weight = p.mean ? 1.0 / static_cast<double>(workers) : 1.0,
                     .workers = workers};
  choice.reason = std::to_string(workers) + " replicas of " + std::to_string(held) + " parameters " +
                  (p.mean ? "take the mean" : "exchange the sum") + " of their gains every " + std::to_string(p.rows) +
                  " rows at first (curvature " + number(f.curvature) + ", step " + number(f.step) + ", " +
                  number(f.row_ns) + " ns a row, " + number(f.line_ns) + " ns a line)";
  choice.epoch_ns = p.epoch_ns;
  return choice;
}

}  // namespace

double longest_exchange(double step, double curvature, std::size_t workers) {
  const double steepest = step * curvature;
  if (workers < 2 || steepest <= 0.0) return static_cast<double>(most_rows);
  return std::clamp(longest_way(workers) / steepest, 1.0, static_cast<double>(most_rows));
}

std::uint32_t exchange_rows(const exchange_options& chosen, double step) {
  if (chosen.workers < 2) return 0;
  const double bound = chosen.gain_weight < 1.0 ? static_cast<double>(most_rows)
                                                : longest_exchange(step, chosen.curvature, chosen.workers);
  const std::uint64_t allowed = std::max(static_cast<std::uint64_t>(bound), chosen.least);
  return static_cast<std::uint32_t>(std::bit_floor(std::min(chosen.rows, allowed)));
}

sharing_choice choose_sharing(const sharing_facts& f) {
  const double single = static_cast<double>(f.rows) * f.row_ns;
  const auto alone = [&](std::string reason) {
    return sharing_choice{.kind = access_kind::alone,
                          .workers = 1,
                          .exchange = {},
                          .reason = std::move(reason),
                          .idle = {},
                          .epoch_ns = single};
  };
  if (f.asked == sharing_kind::direct) {
    return {.kind = access_kind::direct,
            .workers = f.workers,
            .exchange = {},
            .reason = "asked for, by options or by the model"};
  }
  if (is_exclusive(f.update)) {  // one worker too: it then has the same bits as several, if updates are ordered
    return {.kind = access_kind::direct,
            .workers = f.workers,
            .exchange = {},
            .reason = "examples are atomic on one shared array"};
  }
  if (f.workers == 1 && !f.others) return alone("one worker has the parameters alone");
  if (f.asked == sharing_kind::automatic && f.update == update_kind::locked) {
    return {
        .kind = access_kind::direct, .workers = f.workers, .exchange = {}, .reason = "locks are for one shared array"};
  }
  const std::size_t fitting = f.cache_bytes / 2 / sizeof(float) / 16 * 16;
  const bool fits = f.parameters <= fitting || !f.margin;
  if (f.asked != sharing_kind::automatic) {
    const access_kind asked = f.asked == sharing_kind::head ? access_kind::head : access_kind::buffered;
    sharing_choice choice = replicas(f, asked, std::max<std::size_t>(fitting, 16), f.workers);
    choice.reason = "asked for; " + choice.reason;
    return choice;
  }
  if (!fits && fraction_on_head(f, fitting) < rare_head) {
    return {.kind = access_kind::direct,
            .workers = f.workers,
            .exchange = {},
            .reason = "columns are so many and so rare that workers hardly meet"};
  }
  if (f.racing &&
      static_cast<double>(f.parameters * f.arrays * sizeof(float)) > wide_caches * static_cast<double>(f.cache_bytes)) {
    return {.kind = access_kind::direct,
            .workers = f.workers,
            .exchange = {},
            .reason = "exchanging replicas of a model this large takes longer than sharing its cache lines"};
  }
  std::size_t best = 1;
  access_kind kind = access_kind::alone;
  double least = single * worth_it;
  const auto consider = [&](access_kind tried, std::size_t p, std::size_t held) {
    const prediction made = predict(f, p, held);
    // The mean of many workers' gains is stable, but as slow as one worker with that many times the rows.
    if (made.rows < 1 || made.epoch_ns > least || made.mean) return;
    best = p;
    kind = tried;
    least = made.epoch_ns;
  };
  for (std::size_t p = 2; p <= std::min(f.workers, f.cpus); ++p) {
    consider(access_kind::buffered, p, f.parameters);
    if (!fits && fitting > 0) consider(access_kind::head, p, fitting);
  }
  if (best == 1) {
    sharing_choice choice = alone("an epoch of one worker alone takes " + number(single * 1e-6) + " ms, which " +
                                  std::to_string(f.workers) + " workers are not predicted to beat");
    choice.idle = choice.reason;
    return choice;
  }
  sharing_choice choice = replicas(f, kind, fitting, best);
  if (best < f.workers) {
    choice.idle = f.workers > f.cpus ? "there are " + std::to_string(f.cpus) + " CPUs"
                                     : "with more workers exchanges would cost more than they gain";
    choice.reason += "; " + std::to_string(f.workers - best) + " of " + std::to_string(f.workers) +
                     " workers are left out: " + choice.idle;
  }
  return choice;
}

namespace {

constexpr std::size_t usual_workers = 4, fewest_workers = 2;
constexpr std::size_t fewest_rows = 16;  // of a turn, if the data give no limit
constexpr double most_rows_a_turn = 512.0, turns_an_epoch = 8.0;
constexpr double least_work = 20'000.0;  // entries of a turn, over all virtual workers: some 20 microseconds

/// The rows that one of `workers` virtual workers may train in a turn. Two that add the sum of their gains are stable
/// for every z and only oscillate; at z = 2 an oscillation is down to a tenth after seven turns.
double stable_rows(const turn_facts& f, std::size_t workers) {
  return (workers == 2 ? 2.0 : 1.0) * longest_exchange(f.step, f.curvature, workers);
}

std::uint64_t rows_of_turn(const turn_facts& f, std::size_t workers) {
  if (f.batch > 0) return (fewest_rows + f.batch - 1) / f.batch * f.batch;
  const double each = static_cast<double>(f.rows) / static_cast<double>(workers) / turns_an_epoch;
  return static_cast<std::uint64_t>(std::max(1.0, std::min({most_rows_a_turn, each, stable_rows(f, workers)})));
}

}  // namespace

turn_choice choose_turns(const turn_facts& f) {
  const double entries = static_cast<double>(f.nonzeros) / static_cast<double>(std::max<std::size_t>(f.rows, 1));
  const bool time_enough = stable_rows(f, usual_workers) * static_cast<double>(usual_workers) * entries >= least_work;
  const std::size_t workers = f.asked.value_or(time_enough ? usual_workers : fewest_workers);
  turn_choice choice;
  choice.exchange = {.rows = rows_of_turn(f, workers), .curvature = f.curvature, .workers = workers};
  choice.reason = std::to_string(workers) + " virtual workers add the sum of what they gain in " +
                  std::to_string(choice.exchange.rows) + " rows each";
  return choice;
}

}  // namespace hogwild
