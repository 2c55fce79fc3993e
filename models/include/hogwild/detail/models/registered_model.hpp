// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include <hogwild/detail/results/saved_form.hpp>
#include <hogwild/model.hpp>

// Models of programs among the named ones (<hogwild/command.hpp>): the library knows only their names.

namespace hogwild {

class model_descriptor;

/// A model whose type only its program knows.
class registered_object {
 public:
  virtual ~registered_object() = default;
  virtual const model_descriptor& descriptor() const = 0;
  virtual label_kind labels() const = 0;
  /// The groups of the model on so many columns, with so many parameters.
  virtual std::vector<parameter_group> groups(std::size_t columns, std::size_t parameters) const = 0;
};

/// Such a model, as an alternative of named_model.
struct registered_model {
  std::shared_ptr<const registered_object> object;
};
inline label_kind labels_of(const registered_model& m) {
  return m.object->labels();
}

template <model M>
class registered_object_of final : public registered_object {
 public:
  registered_object_of(const M& m, const model_descriptor& descriptor) : model_(m), descriptor_(descriptor) {}

  const M& model() const { return model_; }
  const model_descriptor& descriptor() const override { return descriptor_; }
  label_kind labels() const override { return labels_of(model_); }
  std::vector<parameter_group> groups(std::size_t columns, std::size_t parameters) const override {
    return detail::groups_on(model_, columns, parameters);
  }

 private:
  M model_;
  const model_descriptor& descriptor_;
};

}  // namespace hogwild
