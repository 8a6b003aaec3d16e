#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>

#include "dppl/error.h"
#include "dppl/model.h"

namespace dppl {
namespace {

template <typename E>
struct Word {
  E value;
  std::string_view text;
};

constexpr Word<Method> kMethods[] = {{Method::mean, "mean"},
                                     {Method::public_one, "public"},
                                     {Method::public_k, "public-k"},
                                     {Method::automatic, "auto"}};
constexpr Word<Distance> kDistances[] = {
    {Distance::cosine, "cosine"}, {Distance::euclidean, "euclidean"}, {Distance::dot, "dot"}};
constexpr Word<Selection> kSelections[] = {{Selection::exponential, "exponential"},
                                           {Selection::permute_and_flip, "permute-and-flip"},
                                           {Selection::laplace, "laplace"}};
constexpr Word<Estimator> kEstimators[] = {
    {Estimator::noisy_sum, "noisy-sum"}, {Estimator::naive, "naive"}, {Estimator::coinpress, "coinpress"}};

template <typename E, size_t N>
std::string_view text_of(const Word<E> (&words)[N], E value) {
  return std::ranges::find(words, value, &Word<E>::value)->text;
}

template <typename E, size_t N>
E value_of(const Word<E> (&words)[N], std::string_view text, std::string_view what) {
  const auto found = std::ranges::find(words, text, &Word<E>::text);
  if (found != std::end(words)) return found->value;
  std::string_view known[N];
  std::ranges::transform(words, known, &Word<E>::text);
  throw InvalidInput(fmt::format("{} '{}': unknown; give one of {}", what, text.substr(0, 40), fmt::join(known, ", ")));
}

}  // namespace

std::string_view to_string(Method method) { return text_of(kMethods, method); }
std::string_view to_string(Distance distance) { return text_of(kDistances, distance); }
std::string_view to_string(Selection selection) { return text_of(kSelections, selection); }
std::string_view to_string(Estimator estimator) { return text_of(kEstimators, estimator); }

Method parse_method(std::string_view text) { return value_of(kMethods, text, "method"); }
Distance parse_distance(std::string_view text) { return value_of(kDistances, text, "distance"); }
Selection parse_selection(std::string_view text) { return value_of(kSelections, text, "mechanism"); }
Estimator parse_estimator(std::string_view text) { return value_of(kEstimators, text, "estimator"); }

}  // namespace dppl
