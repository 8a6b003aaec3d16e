#pragma once

#include <memory>
#include <mutex>

#include "dppl/classify.h"
#include "dppl/model.h"

namespace dppl::python {

// A model as Python holds it, with the classifier that is made of it once, at the first prediction.
struct ModelInUse {
  explicit ModelInUse(Model what) : model(std::move(what)) {}

  const Model model;
  std::shared_ptr<const Classifier> classifier(unsigned threads) const;

 private:
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Classifier> classifier_;
  mutable unsigned threads_ = 0;
};
using SharedModel = std::shared_ptr<ModelInUse>;

}  // namespace dppl::python
