#include "dppl/fit.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "dppl/ledger.h"
#include "dppl/shards.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"
#include "python/bindings/interruptible.h"
#include "python/bindings/shared_model.h"

namespace dppl::python {
namespace {

std::shared_ptr<const ClassKnowledge> knowledge_of(const ClassSet& classes, const std::optional<PublicData>& examples,
                                                   const std::optional<py::array_t<int64_t>>& labels,
                                                   const std::optional<py::array>& prior) {
  if (!examples && !prior) return nullptr;
  std::optional<Embeddings> vectors;
  if (prior) vectors = Embeddings::view(matrix_of(*prior), keep_alive(*prior), "class_prior");
  return std::make_shared<ClassKnowledge>(classes, examples, labels ? integers_of(*labels) : std::vector<int64_t>{},
                                          vectors);
}

std::shared_ptr<RemotePool> remote_of(const py::object& pool) {
  return py::isinstance<RemotePool>(pool) ? pool.cast<std::shared_ptr<RemotePool>>() : nullptr;
}

// Of a pool on other machines, what is known of it here.
std::optional<PublicData> pool_of(const py::object& pool) {
  const auto remote = remote_of(pool);
  return remote ? std::optional(remote->description()) : pool.cast<std::optional<PublicData>>();
}

struct Account {
  std::string ledger, dataset;
};

// Everything but the private data, in the same order as on the command line: what can be refused without private data
// is refused when this is made, before any of it is read; with no budget left every answer is the same. What costs is
// reserved before it is spent, and a model that the ledger does not know never leaves.
class FitRequest {
 public:
  FitRequest(const py::object& classes, const std::string& method, const std::map<std::string, std::string>& settings,
             const std::map<std::string, std::string>& amounts, const py::object& pool,
             const std::optional<PublicData>& examples, const std::optional<py::array_t<int64_t>>& example_labels,
             const std::optional<py::array>& prior, bool for_people,
             const std::optional<std::pair<std::string, std::string>>& account, unsigned threads)
      : classes_(classes_of(classes)),
        budget_(budget_of(amounts, for_people ? Relation::add_remove_person : Relation::add_remove)),
        pool_(pool_of(pool)) {
    options_.threads = threads;
    options_.remote = remote_of(pool);
    options_.knowledge = knowledge_of(classes_, examples, example_labels, prior);
    if (account) account_ = {account->first, account->second};
    const py::gil_scoped_release unlocked;
    options_.settings = choose_settings(method, settings, budget_, pool_, classes_.size(), threads);
    if (options_.remote) check_remote(options_.settings);
    if (!account_) return;
    const Guarantee cost = price(resolve(options_.settings, budget_, pool_), budget_);
    Ledger(account_->ledger).check_affordable(account_->dataset, budget_, cost);
  }

  // The model, and whether an interruption came too late to stop it.
  py::tuple run(const py::array& rows, const py::array_t<int64_t>& labels,
                const std::optional<py::array_t<int64_t>>& people, const std::optional<uint64_t>& seed,
                const py::object& progress) const {
    const MatrixView matrix = matrix_of(rows);
    const std::vector<int64_t> truth = integers_of(labels);
    const auto ids = people ? std::optional(integers_of(*people)) : std::nullopt;
    auto finished = interruptible(progress, [&](Work& work) {
      work.say_when_interrupted("nothing was spent");
      PrivateData data = PrivateData::view(matrix, truth, classes_, nullptr, options_.threads);
      if (ids) data = std::move(data).with_people(*ids);
      return std::make_shared<ModelInUse>(spend(data, seed, work));
    });
    return py::make_tuple(finished.value, finished.interrupted);
  }

 private:
  Model spend(const PrivateData& data, const std::optional<uint64_t>& seed, Work& work) const {
    FitOptions options = options_;
    options.progress = [&](double fraction) { work.progress(fraction); };
    const FitPlan plan(data, pool_, options, budget_);
    const auto random = seed ? std::unique_ptr<Random>(std::make_unique<SeededRandom>(*seed))
                             : std::unique_ptr<Random>(std::make_unique<SecureRandom>());
    work.check();
    if (!account_) {
      work.say_when_interrupted("no model was made; without a ledger, count this budget as spent");
      return plan.run(Budget::unledgered(budget_), *random);
    }
    Ledger ledger(account_->ledger);
    Guarantee cost = plan.price();
    cost.is_private = random->is_private();
    Reservation reservation =
        ledger.reserve(account_->dataset, budget_, cost, fmt::format("fit {}", method_name(plan.settings())));
    work.say_when_interrupted(fmt::format("{} stays reserved for {} in {}; no model was made", budget_.describe(),
                                          account_->dataset, account_->ledger));
    Model model = plan.run(reservation.take_budget(), *random);
    model.ledger_entry = reservation.digest();
    ledger.record(reservation, model.guarantee, model_digest(model));
    return model;
  }

  ClassSet classes_;
  BudgetSpec budget_;
  std::optional<PublicData> pool_;
  std::optional<Account> account_;
  FitOptions options_;
};

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
  py::class_<FitRequest>(module, "FitRequest")
      .def(py::init<const py::object&, const std::string&, const std::map<std::string, std::string>&,
                    const std::map<std::string, std::string>&, const py::object&, const std::optional<PublicData>&,
                    const std::optional<py::array_t<int64_t>>&, const std::optional<py::array>&, bool,
                    const std::optional<std::pair<std::string, std::string>>&, unsigned>(),
           py::kw_only(), py::arg("classes"), py::arg("method"), py::arg("settings"), py::arg("budget"),
           py::arg("pool"), py::arg("examples"), py::arg("example_labels"), py::arg("class_prior"),
           py::arg("for_people"), py::arg("account"), py::arg("threads"))
      .def("run", &FitRequest::run, py::kw_only(), py::arg("rows"), py::arg("labels"), py::arg("people"),
           py::arg("seed"), py::arg("progress"));
  module.def("fit_public_only", fit_public, py::kw_only(), py::arg("classes"), py::arg("method"), py::arg("settings"),
             py::arg("pool"), py::arg("examples"), py::arg("example_labels"), py::arg("class_prior"),
             py::arg("threads"));
}

}  // namespace dppl::python
