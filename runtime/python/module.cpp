// gpx._gpx: runtime/python/calls.h for Python, by its stable C interface (3.10 and later), so that
// one wheel serves all of them. Each function returns its answer, or (status, text, problems) where
// there is an error; gpx/_native.py raises it. Covered by tests/python/.
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include <exception>
#include <new>
#include <optional>

#include "lang/c_locale.h"
#include "lang/float_environment.h"
#include "runtime/analysis/finding.h"
#include "runtime/device/select.h"
#include "runtime/python/calls.h"

namespace {

using gpx::Result;
using gpx::python::Answer;

// ---- From and to Python ------------------------------------------------------------------------

class Object {
 public:
  explicit Object(PyObject* object) : object_(object) {}
  ~Object() { Py_XDECREF(object_); }
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  PyObject* object_;
};

bool to_text(PyObject* object, std::string& out) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object, &size);
  if (text) out.assign(text, static_cast<std::size_t>(size));
  return text != nullptr;
}

/// `take` each item of a sequence; false with an exception set.
template <typename Take>
bool each(PyObject* sequence, Take take) {
  const Py_ssize_t count = PySequence_Size(sequence);
  for (Py_ssize_t i = 0; i < count; ++i) {
    const Object item(PySequence_GetItem(sequence, i));
    if (!item || !take(item.get())) return false;
  }
  return count >= 0;
}

bool to_texts(PyObject* sequence, std::vector<std::string>& out) {
  return each(sequence, [&](PyObject* item) { return to_text(item, out.emplace_back()); });
}

/// A sequence of pairs of texts.
template <typename Pair>
bool to_pairs(PyObject* sequence, std::vector<Pair>& out) {
  return each(sequence, [&](PyObject* item) {
    std::vector<std::string> two;
    if (!to_texts(item, two)) return false;
    if (two.size() != 2) return PyErr_SetString(PyExc_TypeError, "a pair is needed"), false;
    out.push_back(Pair{two[0], two[1]});
    return true;
  });
}

/// (stdlib, experiments, program)
bool to_paths(PyObject* sequence, gpx::Paths& out) {
  std::vector<std::string> three;
  if (!to_texts(sequence, three)) return false;
  if (three.size() != 3) return PyErr_SetString(PyExc_TypeError, "three paths"), false;
  out = {three[0], three[1], three[2]};
  return true;
}

PyObject* from_text(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

PyObject* from(const std::string& text) {
  return from_text(text);
}
PyObject* from(const Answer& answer) {
  return Py_BuildValue("[NN]", from_text(answer.first), from_text(answer.second));
}

template <typename T>
PyObject* from(const Result<T>& result) {
  if (result) return from(*result);
  return Py_BuildValue("(iNN)", static_cast<int>(result.error().fault),
                       from_text(gpx::render(result.error())),
                       from_text(gpx::python::problems(result.error())));
}

// ---- Calls -------------------------------------------------------------------------------------

/// Calls without Python's lock or its locale. What is thrown becomes an error of the machine.
template <typename Call>
auto unlocked(Call call) -> decltype(call()) {
  std::optional<decltype(call())> result;
  std::string thrown;
  Py_BEGIN_ALLOW_THREADS;
  try {
    const gpx::CLocale numbers_have_points;
    const gpx::FloatEnvironment plain_numbers;
    result = call();
  } catch (const std::bad_alloc&) {
    thrown = "out of memory";
  } catch (const std::exception& error) {
    thrown = std::string("internal error: ") + error.what();
  }
  Py_END_ALLOW_THREADS;
  if (result) return std::move(*result);
  return gpx::fail(gpx::Fault::device, thrown);
}

/// Tells a function of Python, and stops where it raises or where Ctrl-C came.
class Told {
 public:
  explicit Told(PyObject* function) : function_(function == Py_None ? nullptr : function) {}

  bool operator()(std::uint64_t done, std::uint64_t total) {
    if (raised_) return false;
    const PyGILState_STATE state = PyGILState_Ensure();
    raised_ = PyErr_CheckSignals() != 0;
    if (!raised_ && function_) {
      const Object result(PyObject_CallFunction(function_, "KK",
                                                static_cast<unsigned long long>(done),
                                                static_cast<unsigned long long>(total)));
      raised_ = !result;
    }
    if (raised_) PyErr_Fetch(&type_, &value_, &trace_);
    PyGILState_Release(state);
    return !raised_;
  }

  /// What was raised is raised again: nullptr. Else the object.
  PyObject* end(PyObject* object) {
    if (!raised_) return object;
    Py_XDECREF(object);
    PyErr_Restore(type_, value_, trace_);
    return nullptr;
  }

 private:
  PyObject* function_;
  bool raised_ = false;
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

PyObject* run(PyObject*, PyObject* arguments) {
  PyObject *places, *text, *name, *device, *settings, *progress;
  unsigned long long seed = 1;
  gpx::Paths paths;
  gpx::python::RunCall call;
  if (!PyArg_ParseTuple(arguments, "OUUUOKO", &places, &text, &name, &device, &settings, &seed,
                        &progress) ||
      !to_paths(places, paths) || !to_text(text, call.text) || !to_text(name, call.name) ||
      !to_text(device, call.device) || !to_pairs(settings, call.settings))
    return nullptr;
  call.seed = seed;
  Told told(progress);
  const auto result = unlocked([&] { return gpx::python::run(paths, call, std::ref(told)); });
  return told.end(from(result));
}

PyObject* characterize(PyObject*, PyObject* arguments) {
  PyObject *places, *device, *only, *progress;
  gpx::Paths paths;
  gpx::python::CharacterizeCall call;
  unsigned long long seed = 1;
  if (!PyArg_ParseTuple(arguments, "OUOdKO", &places, &device, &only, &call.budget_s, &seed,
                        &progress) ||
      !to_paths(places, paths) || !to_text(device, call.device) || !to_texts(only, call.only))
    return nullptr;
  call.seed = seed;
  Told told(progress);
  const auto result =
      unlocked([&] { return gpx::python::characterize(paths, call, std::ref(told)); });
  return told.end(from(result));
}

PyObject* predict(PyObject*, PyObject* arguments) {
  PyObject *places, *file, *entry, *grid, *block, *scalars, *buffers, *shared, *registers, *machine,
      *device;
  int measure = 0, fit = 0;
  gpx::Paths paths;
  gpx::PredictRequest request;
  if (!PyArg_ParseTuple(arguments, "OUUOOOOUUOUpp", &places, &file, &entry, &grid, &block, &scalars,
                        &buffers, &shared, &registers, &machine, &device, &measure, &fit) ||
      !to_paths(places, paths) || !to_text(file, request.file) || !to_text(entry, request.entry) ||
      !to_texts(grid, request.grid) || !to_texts(block, request.block) ||
      !to_texts(scalars, request.arguments) || !to_texts(buffers, request.buffers) ||
      !to_text(shared, request.shared_bytes) || !to_text(registers, request.registers) ||
      !to_texts(machine, request.machine) || !to_text(device, request.device))
    return nullptr;
  request.measure = measure != 0;
  request.fit_anew = fit != 0;
  return from(unlocked([&] { return gpx::python::predict(paths, request); }));
}

PyObject* page(PyObject*, PyObject* documents) {
  std::vector<gpx::python::NamedDocument> all;
  if (!to_pairs(documents, all)) return nullptr;
  return from(unlocked([&] { return gpx::python::page(all); }));
}

PyObject* report(PyObject*, PyObject* arguments) {
  PyObject* json;
  int width = 100;
  std::string text;
  if (!PyArg_ParseTuple(arguments, "Ui", &json, &width) || !to_text(json, text)) return nullptr;
  return from(unlocked([&] { return gpx::python::report(text, width); }));
}

PyObject* figures(PyObject*, PyObject* json) {
  std::string text;
  if (!to_text(json, text)) return nullptr;
  return from(unlocked([&] { return gpx::python::figures(text); }));
}

PyObject* format(PyObject*, PyObject* arguments) {
  PyObject *text, *name;
  std::string read, called;
  if (!PyArg_ParseTuple(arguments, "UU", &text, &name) || !to_text(text, read) ||
      !to_text(name, called))
    return nullptr;
  return from(unlocked([&] { return gpx::python::format(read, called); }));
}

PyObject* devices(PyObject*, PyObject* places) {
  gpx::Paths paths;
  if (!to_paths(places, paths)) return nullptr;
  PyObject* list = PyList_New(0);
  for (const std::string& name : gpx::virtual_devices(paths)) {
    const Object text(from_text(name));
    PyList_Append(list, text.get());
  }
  return list;
}

PyMethodDef methods[] = {
    {"run", run, METH_VARARGS, nullptr},
    {"characterize", characterize, METH_VARARGS, nullptr},
    {"predict", predict, METH_VARARGS, nullptr},
    {"page", page, METH_O, nullptr},
    {"report", report, METH_VARARGS, nullptr},
    {"figures", figures, METH_O, nullptr},
    {"format", format, METH_VARARGS, nullptr},
    {"devices", devices, METH_O, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_gpx", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit__gpx() {
  PyObject* module = PyModule_Create(&definition);
  if (!module) return nullptr;
  PyModule_AddStringConstant(module, "version", GPX_VERSION);
  const std::vector<std::string> keys = gpx::finding_keys();
  PyObject* fields = PyTuple_New(static_cast<Py_ssize_t>(keys.size()));
  for (std::size_t i = 0; i < keys.size(); ++i)
    PyTuple_SetItem(fields, static_cast<Py_ssize_t>(i), from_text(keys[i]));
  PyModule_AddObject(module, "finding_fields", fields);
  return module;
}
