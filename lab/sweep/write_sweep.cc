#include <filesystem>

#include "base/atomic_file.h"
#include "base/system_error.h"
#include "dppl/sweep.h"
#include "lab/figures/drawings.h"
#include "report/style.h"
#include "report/vega.h"

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
  const std::vector<Figure> figures = sweep_drawings(results);
  for (const Figure& figure : figures) {
    if (figure.panels.empty()) continue;
    // Other programs than browsers do not know colours by our names.
    files.figures.push_back(
        write(directory + "/figures/" + figure.name + ".vl.json", in_light_colours(vega_lite(figure)) + "\n"));
  }
  files.report = write(directory + "/report.html", sweep_html(results, figures));
  return files;
}

}  // namespace dppl
