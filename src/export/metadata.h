#pragma once

#include <nlohmann/json.hpp>

#include "dppl/export.h"
#include "export/onnx_graph.h"

namespace dppl::onnx {

// What is told of a graph's input.
OnnxPort port_of(const Tensor& tensor);

// What goes with a model wherever it goes: classes, guarantee, digest, ledger entry.
Metadata metadata_of(const PublishedModel& published);

// How images are prepared: which steps the graph does, and what is known of all of them.
std::string preprocessing_json(const std::vector<std::string>& in_graph, nlohmann::ordered_json facts);

}  // namespace dppl::onnx
