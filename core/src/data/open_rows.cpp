// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include <hogwild/dataset.hpp>
#include <hogwild/detail/platform/memory_grant.hpp>
#include <hogwild/detail/platform/printable.hpp>
#include <hogwild/error.hpp>
#include <hogwild/notes.hpp>

#include "data/cache_place.hpp"
#include "data/dataset_mapping.hpp"
#include "data/dataset_writer.hpp"
#include "data/ingest.hpp"
#include "data/memory_budget.hpp"
#include "data/parsed_text.hpp"
#include "data/row_format.hpp"
#include "platform/tbb_arena.hpp"
#include "text/input_stream.hpp"

namespace hogwild {
namespace {

using detail::row_format;

class rows_opening {
 public:
  rows_opening(const std::string& path, const open_options& options, const row_format& format)
      : path_(path), options_(options), format_(format) {}

  sparse_dataset run() {
    choose_isa(options_.isa);  // throws if it is not available
    if (options_.memory && *options_.memory < detail::memory_budget::least)
      throw config_error("parsing takes at least " + detail::in_mebibytes(detail::memory_budget::least) +
                         " of memory; it was given " + std::to_string(*options_.memory) + " bytes");
    if (path_ != "-" && options_.cache != open_options::cache_use::none)
      if (const auto stamp = detail::stamp_of(path_)) places_ = detail::cache_places(path_, options_, format_.kind);
    if (options_.cache == open_options::cache_use::automatic)
      if (auto found = find()) return *std::move(found);
    return detail::with_tbb_threads(options_.threads, [&] { return build(); });
  }

 private:
  std::optional<sparse_dataset> find() const {
    if (places_.empty()) return std::nullopt;
    std::string stale;
    const auto stamp = detail::stamp_of(path_);
    if (!stamp) return std::nullopt;
    for (const auto& place : places_) {
      detail::cache_finding finding = detail::find_cache(
          place, {*stamp, options_digest(), format_.kind, options_.numbering != nullptr}, options_.memory);
      if (finding.dataset) return std::move(finding.dataset);
      if (stale.empty() && !finding.reason.empty())
        stale = "the cache " + place.string() + " " + finding.reason + "; the data are read again";
    }
    if (!stale.empty()) note(stale);
    return std::nullopt;
  }

  sparse_dataset build() const {
    const auto [text, stamp] = read();
    const detail::row_plan plan = detail::plan_rows(*text, options_.numbering, options_.values, path_, format_);
    detail::cache_header header = detail::sizes_of(*text, plan);
    header.options = options_digest();
    header.kind = format_.kind;
    header.numbered = options_.numbering != nullptr ? 1 : 0;
    if (stamp) {
      header.source_bytes = stamp->bytes;
      header.source_times = stamp->times();
    }
    std::string refused;
    for (const auto& place : places_) {
      if (const std::string keep = detail::reason_to_keep(place); !keep.empty()) {
        refused += (refused.empty() ? "" : " and ") + place.string() + " " + keep;
        continue;
      }
      try {
        if (place != places_.front()) std::filesystem::create_directories(place.parent_path());
        sparse_dataset made = write(*text, plan, detail::dataset_writer::at(place, header, source_permissions()));
        if (!refused.empty()) note("the cache goes to " + place.string() + ", because " + refused);
        return made;
      } catch (const std::system_error& fault) {
        refused += (refused.empty() ? "" : " and ") + std::string(fault.what());
      }
    }
    if (plan.ranges != nullptr) {
      if (!refused.empty()) note("no cache is written and the data stay in a file without a name, because " + refused);
      return write(*text, plan, detail::dataset_writer::nameless(plan.ranges->folder(), header));
    }
    if (!refused.empty()) note("no cache is written and the data stay in memory, because " + refused);
    return write(*text, plan, detail::dataset_writer::in_memory(header));
  }

  std::pair<std::unique_ptr<detail::parsed_text>, std::optional<detail::source_stamp>> read() const {
    if (format_.whole) {
      // Taken before reading: a change of the file meanwhile is noticed at the end of reading.
      const auto stamp = path_ == "-" ? std::nullopt : detail::stamp_of(path_);
      return {format_.whole(path_), stamp};
    }
    const auto input = detail::open_input(path_, {.quoted = format_.quoted});
    const detail::spill_options spill = spilling();
    return {detail::parse_all(*input, format_,
                              {.labels_optional = options_.labels_optional,
                               .empty_lists = options_.empty_lists,
                               .set = options_.isa,
                               .spill = spill.memory > 0 ? &spill : nullptr,
                               .note = [this](const std::string& sentence) { note(sentence); }}),
            input->stamp()};
  }

  /// `memory` is 0 if there is no limit.
  detail::spill_options spilling() const {
    detail::spill_options spill{
        .numbering = options_.numbering, .first_number = format_.first_number, .values = options_.values};
    const std::uint64_t usable = options_.memory ? 0 : detail::usable_memory();
    spill.memory =
        options_.memory.value_or(usable == 0 ? 0 : std::max<std::uint64_t>(usable / 4, detail::memory_budget::least));
    const auto add = [&](const std::filesystem::path& folder) {
      spill.folders.push_back(folder.empty() ? "." : folder);
    };
    for (const auto& place : places_) add(place.parent_path());
    if (places_.empty() && !options_.cache_folder.empty()) add(options_.cache_folder);
    if (places_.empty() && path_ != "-") add(std::filesystem::path(path_).parent_path());
    spill.refused = [this](const std::string& why) {
      if (options_.memory)
        throw resource_error(path_ + ": its rows take more than " + detail::in_mebibytes(*options_.memory) +
                             " of memory, and there is no file for them: " + why +
                             "; give a folder for caches, or more memory");
      note(path_ + ": its rows take more than a quarter of the memory, because there is no file for them: " + why);
    };
    return spill;
  }

  sparse_dataset write(const detail::parsed_text& text, const detail::row_plan& plan,
                       detail::dataset_writer file) const {
    detail::write_rows(text, plan, file);
    return std::move(file).finish(options_.memory);
  }

  /// Users who may read the source may read its cache, and nobody else.
  unsigned source_permissions() const {
    struct ::stat state {};
    return ::stat(path_.c_str(), &state) == 0 ? (state.st_mode & 0444u) | 0600u : 0600u;
  }

  std::uint64_t options_digest() const { return detail::options_digest(options_, format_.kind) ^ format_.companions; }

  void note(const std::string& sentence) const {
    const std::string told = printable(sentence);
    options_.note ? options_.note(told) : note_by_default(told);
  }

  const std::string& path_;
  const open_options& options_;
  const row_format& format_;
  std::vector<std::filesystem::path> places_;  ///< empty if no cache is kept
};

}  // namespace

namespace detail {

sparse_dataset open_rows(const std::string& path, const open_options& options, const row_format& format) {
  try {
    return dataset_access::in_order(rows_opening(path, options, format).run(), options.numbering == nullptr);
  } catch (const std::bad_alloc&) {
    throw resource_error(path + ": there is not enough memory to read it");
  }
}

}  // namespace detail

}  // namespace hogwild
