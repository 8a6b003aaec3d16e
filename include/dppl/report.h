#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dppl/images.h"
#include "dppl/ledger.h"
#include "dppl/metrics.h"
#include "dppl/model.h"

// One HTML page about one or more models, for people who decide whether to publish them. It needs no other file and
// forbids the browser to load any. It holds what models hold, public images, a ledger's entries and figures on test
// data: no private record, and nothing computed from one beyond the models, except for minority_accuracy where an
// evaluation has it (the page says so).
namespace dppl {

struct ReportedModel {
  std::string name;    // for people, e.g. the file's name
  std::string series;  // models of one series share a line of the plots; empty: the method's name
  Model model;
  std::optional<Evaluation> evaluation = {};
};

// The images of the pool: row i of the pool was made of image first + i of the source.
struct PoolImages {
  std::reference_wrapper<const ImageSource> source;
  uint64_t first = 0, count = 0;
};

struct ReportedLedger {
  Ledger::Status status;
  std::vector<Ledger::Entry> entries;  // of this data set alone
  std::string head;                    // of the whole ledger
};

struct Report {
  std::string title;
  std::vector<ReportedModel> models;  // at least one
  std::optional<PoolImages> images = {};
  // Beside images: models of noisy means are illustrated by the public images nearest to them.
  std::optional<PublicData> pool = {};
  std::optional<ReportedLedger> ledger = {};
  unsigned threads = kDefaultThreads;
};

// Throws InvalidInput where images or pool are not the ones a model was made with. The same report gives the same page.
std::string report_html(const Report& report);
// The file appears complete or not at all.
void write_report(const Report& report, const std::string& path);

}  // namespace dppl
