#include <filesystem>

#include "base/atomic_file.h"
#include "base/system_error.h"
#include "dppl/sweep.h"

namespace dppl {
namespace {

std::string write(const std::string& path, const std::string& text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
  return path;
}

}  // namespace

SweepFiles write_sweep(const SweepResults& results, const std::string& directory) {
  std::error_code error;
  std::filesystem::create_directories(directory + "/figures", error);
  if (error) throw system_error(directory + "/figures", "cannot make the directory", error.value());
  SweepFiles files;
  files.results = write(directory + "/results.csv", results_csv(results.rows));
  for (const SweepFigure& figure : draw_figures(results)) {
    if (figure.svg.empty()) continue;
    const std::string path = directory + "/figures/" + figure.name;
    files.figures.push_back(write(path + ".svg", figure.svg));
    write(path + ".vl.json", figure.vega);
  }
  files.report = write(directory + "/report.html", sweep_html(results));
  return files;
}

}  // namespace dppl
