#include "model/stated.h"

namespace dppl {

std::optional<Rational> stated_amount(const Model& model) {
  switch (model.budget.notion) {
    case Notion::zcdp:
      return model.guarantee.rho;
    case Notion::approximate:
      return model.guarantee.epsilon_at(model.budget.delta);
    case Notion::pure:
      break;
  }
  return model.guarantee.epsilon;
}

std::optional<Guarantee> replace_one_price(const Guarantee& guarantee) {
  if (guarantee.relation != Relation::add_remove) return std::nullopt;
  return guarantee.replace_one();
}

}  // namespace dppl
