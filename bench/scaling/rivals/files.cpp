// SPDX-License-Identifier: Apache-2.0
#include "rivals/files.hpp"

namespace hogwild::bench {

rival_files::rival_files(const workload& data) : data_(data), columns_(data.train().numbering().original()) {}

std::filesystem::path rival_files::train(export_format format) {
  return written("train", data_.train().view(), format);
}

std::filesystem::path rival_files::test(export_format format) {
  return written("test", data_.test().value(), format);
}

std::filesystem::path rival_files::written(const std::string& name, const sparse_view& rows, export_format format) {
  std::filesystem::path file = folder_ / (name + "." + std::string(name_of(format)));
  if (ready_.insert(file).second) {
    if (labels_.values().empty()) {
      labels_ = label_map::learn(label_kind::binary, data_.train().view().label, data_.name());
    }
    export_rows(rows, columns_, labels_, format, file);
  }
  return file;
}

}  // namespace hogwild::bench
