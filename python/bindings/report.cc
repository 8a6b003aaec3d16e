#include "dppl/report.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/predictions.h"
#include "python/bindings/shared_model.h"

namespace dppl::python {
namespace {

// A model, its name, the line of the plots that it belongs to, and how it was measured, where it was.
using Entry = std::tuple<SharedModel, std::string, std::string, std::optional<Predictions>>;

ReportedModel reported(const Entry& entry) {
  const auto& [used, name, series, predictions] = entry;
  ReportedModel one{name, series, used->model};
  if (predictions) one.evaluation = evaluate(*predictions, used->model.classes);
  return one;
}

ReportedLedger open_ledger(const std::string& path, const std::string& dataset) {
  const Ledger ledger(path);
  Ledger::Contents contents = ledger.contents();
  std::erase_if(contents.entries, [&](const auto& entry) { return entry.dataset != dataset; });
  return {ledger.status(dataset), std::move(contents.entries), contents.head};
}

PoolImages choose(const ImageSource& source, const std::optional<std::pair<uint64_t, uint64_t>>& rows) {
  if (!rows) return {source, 0, source.size()};
  const auto [first, end] = *rows;
  if (end <= first || end > source.size()) {
    throw InvalidInput(fmt::format("image_rows: there are {} images; give (first, end) with first < end ≤ {}",
                                   source.size(), source.size()));
  }
  return {source, first, end - first};
}

void write(const std::vector<Entry>& models, const std::string& path, const std::string& title,
           const std::string& images, const std::optional<std::pair<uint64_t, uint64_t>>& image_rows,
           const std::optional<PublicData>& pool, const std::optional<std::pair<std::string, std::string>>& account,
           unsigned threads) {
  Report report{.title = title, .models = {}, .pool = pool, .threads = threads};
  for (const Entry& entry : models) report.models.push_back(reported(entry));
  unless_interrupted(interruptible(py::none(), [&](Work&) {
    if (account) report.ledger = open_ledger(account->first, account->second);
    const auto source = images.empty() ? nullptr : open_images(images);
    if (source) report.images = choose(*source, image_rows);
    write_report(report, path);
    return true;
  }));
}

}  // namespace

void bind_report(py::module_& module) {
  module.def("write_report", write, py::kw_only(), py::arg("models"), py::arg("path"), py::arg("title"),
             py::arg("images"), py::arg("image_rows"), py::arg("pool"), py::arg("account"), py::arg("threads"));
}

}  // namespace dppl::python
