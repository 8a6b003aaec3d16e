#include "dppl/model.h"

#include <fmt/format.h>

#include <mutex>

#include "dppl/classify.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/shared_model.h"

namespace dppl::python {
namespace {

SharedModel parse(const py::bytes& bytes) {
  return std::make_shared<ModelInUse>(parse_model(std::string_view(bytes), "model in memory"));
}

py::bytes serialise(const ModelInUse& used) { return serialise_model(used.model); }

Embeddings rows_of(const py::array& rows) { return Embeddings::view(matrix_of(rows), keep_alive(rows)); }

py::array_t<int32_t> predict(const ModelInUse& used, const py::array& array, unsigned threads) {
  const Embeddings rows = rows_of(array);
  std::vector<int32_t> labels = unless_interrupted(interruptible(py::none(), [&](Work& work) {
    const auto classifier = used.classifier(threads);
    return classifier->predict(rows, [&](uint64_t) { work.check(); });
  }));
  const auto count = static_cast<py::ssize_t>(labels.size());
  return array_of(std::move(labels), {count});
}

// Similarities, or probabilities made of them: a row of as many as there are classes for each row.
py::array_t<float> score(const ModelInUse& used, const py::array& array, bool probabilities, unsigned threads) {
  const Embeddings rows = rows_of(array);
  const size_t classes = used.model.classes.size();
  py::array_t<float> result({static_cast<py::ssize_t>(rows.rows()), static_cast<py::ssize_t>(classes)});
  float* out = result.mutable_data();
  unless_interrupted(interruptible(py::none(), [&](Work& work) {
    const auto classifier = used.classifier(threads);
    classifier->score(rows, [&](uint64_t first, std::span<const float> scores, std::span<const int32_t>) {
      work.check();
      float* to = out + first * classes;
      if (probabilities) {
        std::ranges::copy(classifier->probabilities(scores), to);
      } else {
        std::ranges::copy(scores, to);
      }
    });
    return true;
  }));
  return result;
}

py::array_t<float> prototypes(const ModelInUse& used) {
  const Model& model = used.model;
  return array_of(model.prototypes,
                  {static_cast<py::ssize_t>(model.classes.size()), static_cast<py::ssize_t>(model.prototypes_per_class),
                   static_cast<py::ssize_t>(model.output_dim())});
}

py::object pool_indices(const ModelInUse& used) {
  const Model& model = used.model;
  if (model.pool_indices.empty()) return py::none();
  return array_of(std::vector<int64_t>(model.pool_indices.begin(), model.pool_indices.end()),
                  {static_cast<py::ssize_t>(model.classes.size()),
                   static_cast<py::ssize_t>(model.pool_indices.size() / model.classes.size())});
}

std::optional<std::vector<std::string>> class_names(const ModelInUse& used) {
  const ClassSet& classes = used.model.classes;
  return classes.has_names() ? std::optional(classes.names()) : std::nullopt;
}

}  // namespace

std::shared_ptr<const Classifier> ModelInUse::classifier(unsigned threads) const {
  const std::lock_guard lock(mutex_);
  if (classifier_ == nullptr || threads_ != threads) {
    classifier_ = std::make_shared<const Classifier>(model, threads);
    threads_ = threads;
  }
  return classifier_;
}

void bind_model(py::module_& module) {
  py::class_<ModelInUse, SharedModel>(module, "Model", "A classifier that can be published, and what it cost.")
      .def_static(
          "load", [](const std::string& path) { return std::make_shared<ModelInUse>(load_model(path)); },
          py::arg("path"))
      .def_static("parse", parse, py::arg("bytes"))
      .def(
          "save", [](const ModelInUse& used, const std::string& path) { return save_model(used.model, path); },
          py::arg("path"))
      .def("to_bytes", serialise)
      .def_property_readonly("digest", [](const ModelInUse& used) { return model_digest(used.model); })
      .def_property_readonly("method", [](const ModelInUse& used) { return method_name(used.model.settings); })
      .def_property_readonly("guarantee", [](const ModelInUse& used) { return used.model.guarantee; })
      .def_property_readonly("class_names", class_names)
      .def_property_readonly("n_classes", [](const ModelInUse& used) { return used.model.classes.size(); })
      .def_property_readonly("n_features", [](const ModelInUse& used) { return used.model.input_dim(); })
      .def_property_readonly("prototypes", prototypes)
      .def_property_readonly("pool_indices", pool_indices)
      .def("describe", [](const ModelInUse& used) { return describe_model(used.model); })
      .def("inspect", [](const ModelInUse& used) { return parse_json(model_json(used.model)); })
      .def("predict", predict, py::arg("rows"), py::arg("threads"))
      .def("score", score, py::arg("rows"), py::arg("probabilities"), py::arg("threads"))
      .def("__repr__",
           [](const ModelInUse& used) {
             const Model& model = used.model;
             return fmt::format("<dppl.Model: {}, {} classes, {}>", method_name(model.settings), model.classes.size(),
                                model.guarantee.is_private ? model.budget.describe() : "NOT PRIVATE");
           })
      .def(py::pickle([](const ModelInUse& used) { return serialise(used); },
                      [](const py::bytes& bytes) { return parse(bytes); }));
}

}  // namespace dppl::python
