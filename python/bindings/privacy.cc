#include "dppl/privacy.h"

#include <fmt/format.h>

#include "dppl/error.h"
#include "python/bindings/bindings.h"
#include "python/bindings/convert.h"

namespace dppl::python {
namespace {

py::object fraction(const std::optional<Rational>& value) {
  if (!value) return py::none();
  return py::module_::import("fractions").attr("Fraction")(value->get_str());
}

py::dict exact(const Guarantee& guarantee) {
  py::dict result;
  result["epsilon"] = fraction(guarantee.epsilon);
  result["bounded_range"] = fraction(guarantee.bounded_range);
  result["rho"] = fraction(guarantee.rho);
  result["mu_squared"] = fraction(guarantee.mu_squared);
  if (guarantee.approximate) {
    result["approximate"] =
        py::make_tuple(fraction(guarantee.approximate->epsilon), fraction(guarantee.approximate->delta));
  } else {
    result["approximate"] = py::none();
  }
  return result;
}

std::string describe(const Guarantee& guarantee) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, const std::optional<Rational>& value) {
    if (value) parts.push_back(fmt::format("{}={}", name, to_decimal(*value, 6, Rounding::up)));
  };
  add("epsilon", guarantee.epsilon);
  add("rho", guarantee.rho);
  add("mu", guarantee.mu());
  if (guarantee.approximate) {
    parts.push_back(fmt::format("approximate=({}, {})", to_decimal(guarantee.approximate->epsilon, 6, Rounding::up),
                                to_decimal(guarantee.approximate->delta, 6, Rounding::up)));
  }
  return fmt::format("Guarantee({}, relation='{}'{})", fmt::join(parts, ", "), to_string(guarantee.relation),
                     guarantee.is_private ? "" : ", NOT PRIVATE: made with a fixed seed");
}

Guarantee account(const std::map<std::string, std::string>& amounts, const std::string& mechanism, unsigned releases,
                  const std::string& unit) {
  const Relation relation = parse_unit(unit);
  const auto one = [&] {
    if (amounts.contains("mu")) {
      if (!mechanism.empty())
        throw InvalidInput("mechanism: no budget is in mu; give epsilon, epsilon and delta, or rho");
      return Guarantee::gdp(parse_positive(amounts.at("mu"), "mu"), relation);
    }
    const BudgetSpec budget = budget_of(amounts, relation);
    return mechanism.empty() ? budget.as_guarantee() : use_budget(mechanism, budget).guarantee;
  };
  return compose(one(), releases);
}

}  // namespace

void bind_privacy(py::module_& module) {
  py::class_<Guarantee>(module, "Guarantee",
                        "What a release costs, in every notion in which a bound is known. Floats are rounded up, so "
                        "that none of them claims too little; `exact` has fractions. None: no bound in this notion.")
      .def_property_readonly(
          "relation", [](const Guarantee& g) { return to_string(g.relation); },
          "Which data sets count as neighbours: 'add-remove' (a record) or 'add-remove-person'.")
      .def_property_readonly(
          "is_private", [](const Guarantee& g) { return g.is_private; },
          "False for what was made with a fixed seed: then nothing here protects anybody.")
      .def_property_readonly(
          "epsilon", [](const Guarantee& g) { return rounded_up(g.epsilon); }, "Of pure DP.")
      .def_property_readonly(
          "rho", [](const Guarantee& g) { return rounded_up(g.rho); }, "Of zCDP.")
      .def_property_readonly(
          "mu", [](const Guarantee& g) { return rounded_up(g.mu()); }, "Of Gaussian DP.")
      .def_property_readonly(
          "approximate",
          [](const Guarantee& g) -> py::object {
            if (!g.approximate) return py::none();
            return py::make_tuple(rounded_up(g.approximate->epsilon), rounded_up(g.approximate->delta));
          },
          "(epsilon, delta) where it was stated as such; others by epsilon_at().")
      .def_property_readonly("exact", exact, "All of it as fractions.")
      .def(
          "epsilon_at",
          [](const Guarantee& g, const py::object& delta) {
            return rounded_up(g.epsilon_at(parse_positive(std::string(py::str(delta)), "delta")));
          },
          py::arg("delta"))
      .def(
          "delta_at",
          [](const Guarantee& g, const py::object& epsilon) {
            return rounded_up(g.delta_at(parse_positive(std::string(py::str(epsilon)), "epsilon")));
          },
          py::arg("epsilon"))
      .def(
          "rdp_at",
          [](const Guarantee& g, const py::object& order) {
            return rounded_up(g.rdp_at(parse_positive(std::string(py::str(order)), "order")));
          },
          py::arg("order"))
      .def("replace_one", &Guarantee::replace_one, "The price when one record is replaced by another.")
      .def("for_person_with", &Guarantee::for_person_with, py::arg("records"),
           "What it means for a person with so many records.")
      .def(
          "__add__", [](const Guarantee& a, const Guarantee& b) { return compose(a, b); }, py::is_operator())
      .def(
          "__eq__", [](const Guarantee& a, const Guarantee& b) { return a == b; }, py::is_operator())
      .def("__repr__", describe);
  module.def("account", account, py::arg("amounts"), py::arg("mechanism"), py::arg("releases"), py::arg("unit"));
}

}  // namespace dppl::python
