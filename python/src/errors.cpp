// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cctype>
#include <exception>
#include <new>
#include <string>

#include <hogwild/error.hpp>

#include "bindings.hpp"

namespace hogwild::python {
namespace {

/// Python's classes, which live as long as the process.
struct error_types {
  PyObject *base, *config, *input, *resource, *worker, *note;
};
error_types types{};

PyObject* make_type(nb::module_& m, const char* name, const char* doc, PyObject* first, PyObject* second) {
  const nb::tuple bases =
      second == nullptr ? nb::make_tuple(nb::handle(first)) : nb::make_tuple(nb::handle(first), nb::handle(second));
  PyObject* const made = PyErr_NewExceptionWithDoc((std::string("hogwild.") + name).c_str(), doc, bases.ptr(), nullptr);
  if (made == nullptr) nb::raise_python_error();
  m.attr(name) = nb::handle(made);
  return made;
}

/// Messages name options as on the command line, --step-search; in Python they are step_search.
std::string in_python(const std::string& message) {
  std::string said;
  for (std::size_t at = 0; at < message.size();) {
    const bool begins = at == 0 || message[at - 1] == ' ' || message[at - 1] == '(';
    if (!begins || message.compare(at, 2, "--") != 0 ||
        std::isalpha(static_cast<unsigned char>(message[at + 2])) == 0) {
      said += message[at++];
      continue;
    }
    for (at += 2;
         at < message.size() && (message[at] == '-' || std::isalnum(static_cast<unsigned char>(message[at])) != 0);
         ++at)
      said += message[at] == '-' ? '_' : message[at];
  }
  return said;
}

void translate(const std::exception_ptr& thrown, void*) {
  const auto raise = [](PyObject* type, const error& e) { PyErr_SetString(type, in_python(e.what()).c_str()); };
  try {
    std::rethrow_exception(thrown);
  } catch (const config_error& e) {
    raise(types.config, e);
  } catch (const input_error& e) {
    raise(types.input, e);
  } catch (const resource_error& e) {
    raise(types.resource, e);
  } catch (const worker_error& e) {
    raise(types.worker, e);
  } catch (const error& e) {
    raise(types.base, e);
  } catch (const std::bad_alloc&) {
    PyErr_SetString(
        types.resource,
        "there is not enough memory for this: a run has some fifty bytes for each column that occurs, and for "
        "each of its factors or classes more; take fewer of them, or a machine with more memory");
  }
}

}  // namespace

void warn_of(const std::vector<std::string>& notes) {
  if (notes.empty()) return;
  const auto level = nb::cast<Py_ssize_t>(nb::module_::import_("hogwild._train").attr("outside")());
  for (const std::string& note : notes)
    if (PyErr_WarnEx(types.note, note.c_str(), level) != 0) throw nb::python_error();
}

void bind_errors(nb::module_& m) {
  types.base =
      make_type(m, "Error", "Base of what the engine raises; the message says what to do.", PyExc_Exception, nullptr);
  types.config = make_type(m, "ConfigError", "Options that do not go together, or lie outside their range.", types.base,
                           PyExc_ValueError);
  types.input = make_type(m, "InputError", "A file that cannot be read, or data that do not suit the model.",
                          types.base, PyExc_ValueError);
  types.resource =
      make_type(m, "ResourceError", "Memory, disk or threads that the system refuses.", types.base, PyExc_OSError);
  types.worker = make_type(m, "WorkerError", "A worker that cannot be kept alive.", types.base, PyExc_RuntimeError);
  types.note =
      make_type(m, "Note", "A warning: what the engine notes about data, a file or a run.", PyExc_UserWarning, nullptr);
  nb::register_exception_translator(translate);
}

}  // namespace hogwild::python
