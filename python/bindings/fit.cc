#include "dppl/fit.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "dppl/ledger.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/shared_model.h"

namespace dppl::python {
namespace {

struct Account {
  std::string ledger, dataset;
};

// Everything but the private data.
struct Request {
  ClassSet classes;
  std::string method;
  std::map<std::string, std::string> settings;
  std::optional<PublicData> pool;
  std::shared_ptr<const ClassKnowledge> knowledge;
  unsigned threads;
};

std::shared_ptr<const ClassKnowledge> knowledge_of(const ClassSet& classes, const std::optional<PublicData>& examples,
                                                   const std::optional<py::array_t<int64_t>>& labels,
                                                   const std::optional<py::array>& prior) {
  if (!examples && !prior) return nullptr;
  std::optional<Embeddings> vectors;
  if (prior) vectors = Embeddings::view(matrix_of(*prior), keep_alive(*prior), "class_prior");
  return std::make_shared<ClassKnowledge>(classes, examples, labels ? integers_of(*labels) : std::vector<int64_t>{},
                                          vectors);
}

// The same order as on the command line: what can be refused is refused before anything private is read, what costs is
// reserved before it is spent, and a model that the ledger does not know never leaves.
Model spend(const PrivateData& data, const Request& request, const BudgetSpec& budget,
            const std::optional<Account>& account, const std::optional<uint64_t>& seed, Work& work) {
  FitOptions options{.settings = choose_settings(request.method, request.settings, budget, request.pool,
                                                 request.classes.size(), request.threads),
                     .threads = request.threads,
                     .progress = [&](double fraction) { work.progress(fraction); },
                     .knowledge = request.knowledge};
  const FitPlan plan(data, request.pool, options, budget);
  const auto random = seed ? std::unique_ptr<Random>(std::make_unique<SeededRandom>(*seed))
                           : std::unique_ptr<Random>(std::make_unique<SecureRandom>());
  work.check();
  if (!account) {
    work.say_when_interrupted("no model was made; without a ledger, count this budget as spent");
    return plan.run(Budget::unledgered(budget), *random);
  }
  Ledger ledger(account->ledger);
  Guarantee cost = plan.price();
  cost.is_private = random->is_private();
  Reservation reservation =
      ledger.reserve(account->dataset, budget, cost, fmt::format("fit {}", method_name(plan.settings())));
  work.say_when_interrupted(fmt::format("{} stays reserved for {} in {}; no model was made", budget.describe(),
                                        account->dataset, account->ledger));
  Model model = plan.run(reservation.take_budget(), *random);
  model.ledger_entry = reservation.digest();
  ledger.record(reservation, model.guarantee, model_digest(model));
  return model;
}

py::tuple fit_private(const py::array& rows, const py::array_t<int64_t>& labels, const py::object& classes,
                      const std::string& method, const std::map<std::string, std::string>& settings,
                      const std::map<std::string, std::string>& amounts, const std::optional<PublicData>& pool,
                      const std::optional<PublicData>& examples,
                      const std::optional<py::array_t<int64_t>>& example_labels, const std::optional<py::array>& prior,
                      const std::optional<py::array_t<int64_t>>& people,
                      const std::optional<std::pair<std::string, std::string>>& account,
                      const std::optional<uint64_t>& seed, unsigned threads, const py::object& progress) {
  Request request{classes_of(classes), method, settings, pool, nullptr, threads};
  request.knowledge = knowledge_of(request.classes, examples, example_labels, prior);
  const BudgetSpec budget = budget_of(amounts, people ? Relation::add_remove_person : Relation::add_remove);
  std::optional<Account> ledger;
  if (account) {
    ledger = {account->first, account->second};
    // Asked before a private record is read: with no budget left every answer is the same.
    const Settings asked = choose_settings(method, settings, budget, pool, request.classes.size(), threads);
    Ledger(ledger->ledger).check_affordable(ledger->dataset, budget, price(resolve(asked, budget, pool), budget));
  }
  const MatrixView matrix = matrix_of(rows);
  const std::vector<int64_t> truth = integers_of(labels);
  const auto ids = people ? std::optional(integers_of(*people)) : std::nullopt;
  auto finished = interruptible(progress, [&](Work& work) {
    work.say_when_interrupted("nothing was spent");
    PrivateData data = PrivateData::view(matrix, truth, request.classes, nullptr, threads);
    if (ids) data = std::move(data).with_people(*ids);
    return std::make_shared<ModelInUse>(spend(data, request, budget, ledger, seed, work));
  });
  return py::make_tuple(finished.value, finished.interrupted);
}

SharedModel fit_public(const py::object& classes, const std::string& method,
                       const std::map<std::string, std::string>& settings, const std::optional<PublicData>& pool,
                       const std::optional<PublicData>& examples,
                       const std::optional<py::array_t<int64_t>>& example_labels, const std::optional<py::array>& prior,
                       unsigned threads) {
  const auto knowledge = knowledge_of(classes_of(classes), examples, example_labels, prior);
  if (knowledge == nullptr) throw InvalidInput("public_only needs examples or a class_prior");
  std::map<std::string, SettingValue, std::less<>> given;
  for (const auto& [name, text] : settings) given[name] = parse_setting(setting_field(name), text);
  const py::gil_scoped_release unlocked;
  return std::make_shared<ModelInUse>(fit_public_only(*knowledge, pool, read_settings(method, given), threads));
}

}  // namespace

void bind_fit(py::module_& module) {
  module.def("fit", fit_private, py::kw_only(), py::arg("rows"), py::arg("labels"), py::arg("classes"),
             py::arg("method"), py::arg("settings"), py::arg("budget"), py::arg("pool"), py::arg("examples"),
             py::arg("example_labels"), py::arg("class_prior"), py::arg("people"), py::arg("account"), py::arg("seed"),
             py::arg("threads"), py::arg("progress"));
  module.def("fit_public_only", fit_public, py::kw_only(), py::arg("classes"), py::arg("method"), py::arg("settings"),
             py::arg("pool"), py::arg("examples"), py::arg("example_labels"), py::arg("class_prior"),
             py::arg("threads"));
}

}  // namespace dppl::python
