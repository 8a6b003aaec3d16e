#pragma once

#include "dppl/export.h"
#include "export/onnx_graph.h"

namespace dppl::onnx {

// What goes with a model wherever it goes: classes, guarantee, digest, ledger entry.
Metadata metadata_of(const PublishedModel& published);

}  // namespace dppl::onnx
