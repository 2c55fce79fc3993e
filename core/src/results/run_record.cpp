// SPDX-License-Identifier: Apache-2.0
#include <hogwild/detail/results/run_record.hpp>

#include <cerrno>
#include <cmath>
#include <span>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include <hogwild/detail/platform/write_all.hpp>
#include <hogwild/error.hpp>

#include "platform/file_error.hpp"
#include "platform/output_target.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace {

using json = nlohmann::ordered_json;  // keys stay in the order in which people read them

template <class T>
void put(json& line, const char* key, const std::optional<T>& value) {
  if (value) line[key] = *value;
}

void put(json& line, const std::optional<measurement>& test, const std::optional<measurement>& validation) {
  if (test) {
    line["test_loss"] = test->loss;
    put(line, "test_accuracy", test->accuracy);
    put(line, "test_auc", test->auc);
    put(line, "test_f1", test->f1);
    put(line, "test_rmse", test->rmse);
    put(line, "test_precision_at_1", test->precision_at_1);
    put(line, "test_precision_at_3", test->precision_at_3);
    put(line, "test_precision_at_5", test->precision_at_5);
    put(line, "test_micro_f1", test->micro_f1);
    put(line, "test_macro_f1", test->macro_f1);
    put(line, "test_cut", test->cut);
  }
  if (validation) line["validation_loss"] = validation->loss;
}

json to_json(const machine_facts& m) {
  json object{{"cpu_model", m.cpu_model},   {"logical_cpus", m.logical_cpus}, {"usable_cpus", m.usable_cpus},
              {"numa_nodes", m.numa_nodes}, {"memory_bytes", m.memory_bytes}, {"kernel", m.kernel}};
  put(object, "cpu_quota", m.cpu_quota);
  put(object, "governor", m.governor);
  return object;
}

json to_json(const record_dataset& d) {
  json object{{"path", d.path},
              {"n", d.rows},
              {"d", d.columns},
              {"nnz", d.nonzeros},
              {"Omega", d.omega},
              {"Delta", d.delta},
              {"index_bits", d.index_bits},
              {"value_bits", d.value_bits}};
  put(object, "rho", d.rho);
  put(object, "test_rows", d.test_rows);
  return object;
}

json to_json(const record_context& c) {
  json options = json::object();
  for (const auto& [name, value] : c.options) {
    std::visit([&, &key = name](const auto& v) { options[key] = v; }, value);
  }
  return {{"kind", "context"},
          {"schema", run_record::schema},
          {"version", c.version},
          {"commit", c.commit},
          {"build_type", c.build_type},
          {"compiler", c.compiler},
          {"machine", to_json(c.machine)},
          {"options", std::move(options)},
          {"dataset", to_json(c.dataset)}};
}

json to_json(const epoch_report& e) {
  json line{{"kind", "epoch"},
            {"epoch", e.epoch},
            {"train_seconds", e.train_seconds},
            {"wall_seconds", e.wall_seconds},
            {"examples", e.examples},
            {"updates", e.updates},
            {"nonzeros", e.nonzeros},
            {"step", e.step},
            {"train_loss", e.train_loss},
            {"objective", e.objective}};
  put(line, "gap", e.gap);
  put(line, e.test, e.validation);
  if (e.staleness_p50 && e.staleness_p99) {
    line["staleness"] = {{"p50", static_cast<double>(*e.staleness_p50)},
                         {"p99", static_cast<double>(*e.staleness_p99)}};
  }
  put(line, "conflict_rate", e.conflict_rate);
  return line;
}

/// Nothing where a run that was stopped has measured nothing.
std::optional<double> measured(const train_result& r, double loss) {
  if (r.status == run_status::stopped && std::isnan(loss)) return std::nullopt;
  return loss;
}

std::string_view status_of(const train_result& r) {
  const auto lost = [&](double loss) { return !std::isfinite(measured(r, loss).value_or(0.0)); };
  return to_string(lost(r.train_loss) || lost(r.objective) ? run_status::diverged : r.status);
}

json to_json(const train_result& r, const std::optional<std::string>& advice) {
  json line{{"kind", "result"},
            {"status", status_of(r)},
            {"epochs", r.epochs},
            {"train_seconds", r.train_seconds},
            {"wall_seconds", r.wall_seconds}};
  if (r.stopped_by && status_of(r) == to_string(run_status::stopped)) line["stopped_by"] = to_string(*r.stopped_by);
  put(line, "seconds_to_target", r.seconds_to_target);
  put(line, "train_loss", measured(r, r.train_loss));
  put(line, "objective", measured(r, r.objective));
  put(line, "gap", r.gap);
  put(line, r.test, r.validation);
  line["search_seconds"] = r.search_seconds;
  line["cpu_seconds"] = r.cpu_seconds;
  put(line, "predicted_epoch_seconds", r.predicted_epoch_seconds);
  line["step"] = r.step;
  line["workers_replaced"] = r.workers_replaced;
  line["rows_lost"] = r.rows_lost;
  if (r.ring) {
    line["ring"] = {{"exchanges", r.ring->exchanges},       {"bytes", r.ring->bytes},
                    {"held_seconds", r.ring->held_seconds}, {"waits", r.ring->waits},
                    {"taken_over", r.ring->taken_over},     {"nodes", r.ring->nodes},
                    {"memory", to_string(r.ring->memory)}};
  }
  if (r.link) {
    line["link"] = {{"ranks", r.link->ranks},
                    {"exchanges", r.link->exchanges},
                    {"bytes", r.link->bytes},
                    {"held_seconds", r.link->held_seconds},
                    {"waited_seconds", r.link->waited_seconds}};
  }
  if (r.meetings) {
    line["meetings"] = {{"ranks", r.meetings->ranks},
                        {"dense", r.meetings->dense},
                        {"sparse", r.meetings->sparse},
                        {"bytes", r.meetings->bytes},
                        {"seconds", r.meetings->seconds}};
  }
  for (const device_report& d : r.devices)
    line["devices"].push_back({{"device", d.device},
                               {"name", d.name},
                               {"memory", d.memory},
                               {"storage", d.storage},
                               {"rows_in_flight", d.rows_in_flight},
                               {"block_bytes", d.block_bytes},
                               {"rows", d.rows},
                               {"measured_rows", d.measured_rows},
                               {"exchange", d.exchange}});
  line["peak_rss_bytes"] = r.peak_rss_bytes;
  if (r.disk_wait_seconds > 0.0) line["disk_wait_seconds"] = r.disk_wait_seconds;
  put(line, "advice", advice);
  return line;
}

}  // namespace

struct run_record::file {
  std::string path;
  detail::unique_fd fd;

  /// Half a line, from `begin` on. There is nothing to take back from a pipe; what others have appended since stays.
  void take_back(::off_t begin) const {
    const ::off_t end = ::lseek(fd.get(), 0, SEEK_CUR);
    struct ::stat state {};
    if (begin < 0 || end <= begin || ::fstat(fd.get(), &state) != 0 || state.st_size != end) return;
    if (::ftruncate(fd.get(), begin) == 0) ::lseek(fd.get(), begin, SEEK_SET);
  }

  void append(const json& line) {
    // Paths may hold any bytes; what is not UTF-8 becomes U+FFFD instead of an exception at the end of a long run.
    const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
    const bool appends = (::fcntl(fd.get(), F_GETFL) & O_APPEND) != 0;
    const ::off_t begin = ::lseek(fd.get(), 0, appends ? SEEK_END : SEEK_CUR);
    try {
      write_all(fd.get(), std::as_bytes(std::span(text)), "the run record " + path);
    } catch (...) {
      take_back(begin);
      throw;
    }
  }
};

run_record::run_record(const std::string& path) {
  if (path.empty() || path == "-") throw input_error("a run record needs a file of its own: name a path");
  const detail::output_target target = detail::find_output(path);
  detail::unique_fd fd =
      target.kind == detail::output_target::standing::file
          ? detail::unique_fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666))
          : detail::open_stream(target);
  if (!fd) detail::throw_file_error("cannot create the run record", path, errno);
  file_ = std::make_unique<file>(file{path, std::move(fd)});
}

run_record::run_record(run_record&&) noexcept = default;
run_record& run_record::operator=(run_record&&) noexcept = default;
run_record::~run_record() = default;

void run_record::write(const record_context& line) {
  file_->append(to_json(line));
}
void run_record::write(const epoch_report& line) {
  file_->append(to_json(line));
}
void run_record::write(const train_result& line, const std::optional<std::string>& advice) {
  file_->append(to_json(line, advice));
}

}  // namespace hogwild
