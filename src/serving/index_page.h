#pragma once

#include <span>

#include "serving/http.h"
#include "serving/model_store.h"

namespace dppl::serving {

// What stands at / where no page was given: the models, what they promise and how they are asked. Runs no script.
HttpResponse index_page(std::span<const ModelPointer> models, const Encoder* encoder);

}  // namespace dppl::serving
