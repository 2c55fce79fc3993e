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
#include <hogwild/detail/results/result_json.hpp>
#include <hogwild/error.hpp>
#include <hogwild/measures.hpp>

#include "platform/file_error.hpp"
#include "platform/output_target.hpp"
#include "platform/unique_fd.hpp"

namespace hogwild {
namespace {

using json = nlohmann::ordered_json;  // keys stay in the order of writing

template <class T>
void put(json& line, const char* key, const std::optional<T>& value) {
  if (value) line[key] = *value;
}

void put_measured(json& line, const std::string& rows, const std::optional<measurement>& measured) {
  if (!measured) return;
  line[rows + "_loss"] = measured->loss;
  for_each_measure(*measured, [&](const measure& m, double value) { line[rows + "_" + std::string(m.name)] = value; });
}

void put(json& line, const std::optional<measurement>& test, const std::optional<measurement>& validation) {
  put_measured(line, "test", test);
  put_measured(line, "validation", validation);
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

/// Two runs have equal values here if one can continue the other.
std::string what_is_trained(const json& context) {
  const json& data = context.at("dataset");
  return context.at("options").at("model").dump() + " of " + data.at("n").dump() + " rows and " + data.at("d").dump() +
         " columns";
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

/// Nothing if a run that was stopped has measured nothing.
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
  if (r.stopped_by && status_of(r) == to_string(r.status)) line["stopped_by"] = to_string(*r.stopped_by);
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
  detail::put_usage(line, r);
  put(line, "advice", advice);
  return line;
}

}  // namespace

struct run_record::file {
  std::string path;
  detail::unique_fd fd;
  json context = nullptr;  ///< of a continued record

  /// Reads the existing record: its first line, and removes an incomplete last one.
  void go_on() {
    struct ::stat state {};
    if (::fstat(fd.get(), &state) != 0 || !S_ISREG(state.st_mode) || state.st_size == 0) return;
    std::string text(static_cast<std::size_t>(state.st_size), '\0');
    for (std::size_t done = 0; done < text.size();) {
      const ::ssize_t n = ::pread(fd.get(), text.data() + done, text.size() - done, static_cast<::off_t>(done));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) detail::throw_file_error("cannot read the run record", path, n < 0 ? errno : EIO);
      done += static_cast<std::size_t>(n);
    }
    const std::size_t end = text.find('\n');
    if (end == std::string::npos && text.starts_with(R"({"kind":"context")")) {  // a killed writer's first line
      if (::ftruncate(fd.get(), 0) != 0) detail::throw_file_error("cannot write the run record", path, errno);
      return;
    }
    const json first = json::parse(text.substr(0, end), nullptr, false);
    const bool is_context = first.is_object() && first.value("kind", json()) == "context" &&
                            first.contains("options") && first["options"].contains("model") &&
                            first.contains("dataset") && first["dataset"].contains("n") &&
                            first["dataset"].contains("d");
    if (!is_context || end == std::string::npos)
      throw input_error(path + " is no run record that could be gone on with: name another file, or remove it");
    context = first;
    if (::ftruncate(fd.get(), static_cast<::off_t>(text.rfind('\n') + 1)) != 0)
      detail::throw_file_error("cannot write the run record", path, errno);
  }

  /// Removes half a line, from `begin` on. Nothing can be removed from a pipe; what others have appended since stays.
  void take_back(::off_t begin) const {
    const ::off_t end = ::lseek(fd.get(), 0, SEEK_CUR);
    struct ::stat state {};
    if (begin < 0 || end <= begin || ::fstat(fd.get(), &state) != 0 || state.st_size != end) return;
    if (::ftruncate(fd.get(), begin) == 0) ::lseek(fd.get(), begin, SEEK_SET);
  }

  void append(const json& line) {
    // Paths may hold any bytes; invalid UTF-8 becomes U+FFFD rather than an exception at the end of a long run.
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

namespace {

detail::unique_fd open_record(const std::string& path, int how) {
  if (path.empty() || path == "-") throw input_error("a run record needs a file of its own: name a path");
  const detail::output_target target = detail::find_output(path);
  detail::unique_fd fd = target.kind == detail::output_target::standing::file
                             ? detail::unique_fd(::open(path.c_str(), how | O_CREAT | O_APPEND | O_CLOEXEC, 0666))
                             : detail::open_stream(target);
  if (!fd) detail::throw_file_error("cannot create the run record", path, errno);
  return fd;
}

}  // namespace

run_record::run_record(const std::string& path)
    : file_(std::make_unique<file>(file{path, open_record(path, O_WRONLY | O_TRUNC)})) {}

run_record::run_record(std::unique_ptr<file> opened) : file_(std::move(opened)) {}

run_record run_record::go_on(const std::string& path) {
  auto opened = std::make_unique<file>(file{path, open_record(path, O_RDWR)});
  opened->go_on();
  return run_record(std::move(opened));
}

bool run_record::goes_on() const noexcept {
  return !file_->context.is_null();
}

run_record::run_record(run_record&&) noexcept = default;
run_record& run_record::operator=(run_record&&) noexcept = default;
run_record::~run_record() = default;

void run_record::write(const record_context& line) {
  file_->append(to_json(line));
}
void run_record::write_resumed(const record_context& line, std::uint64_t epoch) {
  json resumed = to_json(line);
  const std::string was = what_is_trained(file_->context), is = what_is_trained(resumed);
  if (was != is)
    throw input_error(file_->path + " is the record of another run (" + was + ", where " + is +
                      " are resumed): name another file, or remove it");
  resumed["kind"] = "resumed";
  resumed["epoch"] = epoch;
  file_->append(resumed);
}
void run_record::write(const epoch_report& line) {
  file_->append(to_json(line));
}
void run_record::write(const train_result& line, const std::optional<std::string>& advice) {
  file_->append(to_json(line, advice));
}

}  // namespace hogwild
