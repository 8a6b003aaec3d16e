// Private rows in memory, a model that may be published, and predictions from it.
#include <dppl/classify.h>
#include <dppl/fit.h>

#include <iostream>

int main() {
  const std::vector<float> rows{-1, 0.1f, -2, 0.3f, 1, 0.2f, 3, -0.1f};
  const std::vector<int64_t> labels{0, 0, 1, 1};
  const auto classes = dppl::ClassSet::named({"left", "right"});
  const auto data = dppl::PrivateData::view(dppl::MatrixView::of(rows, 2), labels, classes);

  const dppl::FitOptions options{.settings = dppl::MeanSettings{}};
  dppl::SecureRandom random;
  auto budget = dppl::Budget::unledgered(dppl::BudgetSpec::zcdp(8));
  const dppl::Model model = dppl::fit(data, {}, options, std::move(budget), random);
  std::cout << dppl::describe_model(model);

  const std::vector<float> unseen{5, 0, -4, 1};
  for (const int32_t label : dppl::Classifier(model).predict(dppl::Embeddings::view(dppl::MatrixView::of(unseen, 2)))) {
    std::cout << "a new row is nearest to: " << classes.name(static_cast<size_t>(label)) << "\n";
  }
}
