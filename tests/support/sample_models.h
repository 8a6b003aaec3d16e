#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dppl/model.h"

// Small models of every kind, with values that are easy to recognise.
namespace dppl::testing {

Model public_model();    // 3 classes, dimension 4, whiten:2, pure ε = 1/10
Model public_k_model();  // 2 prototypes for each of 2 named classes, (ε, δ)
Model mean_model();      // cosine, ρ-zCDP, with a ledger entry
Model refined_model();   // mean with gradient steps, as auto chooses it
Model metric_model();    // mean with a second moment
Model seeded_model();    // mean_model() made with a seed

Model for_people(Model model);  // the same, with its budget and guarantee for people instead of records

std::vector<std::pair<std::string, Model>> all_sample_models();

}  // namespace dppl::testing
