#include <nlohmann/json.hpp>

#include "lab/sweep/result_tables.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;

void add(Json& json, const Measure& measure, const ResultTable::Cell& cell) {
  if (!cell.statistics) return;
  const std::string name(measure.name);
  json[name] = cell.statistics->mean;
  if (cell.statistics->error) json[name + "_error"] = *cell.statistics->error;
}

}  // namespace

std::string results_json(const std::vector<SweepRow>& rows) {
  Json result = Json::array();
  // For every place two tables, of the same lines and budgets.
  const std::vector<ResultTable> tables = result_tables(all_rows(rows));
  for (size_t t = 0; t + 1 < tables.size(); t += 2) {
    const ResultTable &balanced = tables[t], &minority = tables[t + 1];
    for (size_t m = 0; m < balanced.lines.size(); ++m) {
      for (size_t b = 0; b < balanced.budgets.size(); ++b) {
        const ResultTable::Cell& cell = balanced.lines[m].cells[b];
        if (!cell.statistics && cell.failed == 0) continue;
        const Place& place = balanced.place;
        Json one{
            {"data", place.data}, {"encoder", place.encoder}, {"pool", place.pool}, {"pool_rows", place.pool_rows}};
        if (place.ratio) one["ratio"] = *place.ratio;
        one["method"] = balanced.lines[m].method;
        if (balanced.budgets[b]) one["rho"] = *balanced.budgets[b];
        one["tuned_on_test"] = balanced.lines[m].tuned_on_test;
        one["runs"] = cell.statistics ? cell.statistics->count : 0;
        one["failed"] = cell.failed;
        add(one, balanced.measure, cell);
        add(one, minority.measure, minority.lines[m].cells[b]);
        result.push_back(std::move(one));
      }
    }
  }
  return result.dump();
}

}  // namespace dppl
