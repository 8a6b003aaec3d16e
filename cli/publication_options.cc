#include "cli/publication_options.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <regex>

#include "cli/command.h"

namespace dppl::cli {
namespace {

std::string today() {
  return fmt::format("{:%Y-%m-%d}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string check_date(const std::string& text) {
  static const std::regex kDate("[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])");
  return std::regex_match(text, kDate) ? "" : fmt::format("'{}' is not a date like 2026-12-31", text);
}

}  // namespace

void PublicationOptions::add_to(CLI::App& command) {
  test_.add_records_to(command, false);
  const AdvancedGroup group(command, "The model card and the registry entry");
  group.add_option("--name", facts_.title, "What the model is called (default: its file's name)")->type_name("TEXT");
  group.add_option("--license", facts_.licence, "The licence under which it is published, e.g. apache-2.0")
      ->type_name("ID");
  group.add_option("--base-model", facts_.base_model, "The encoder's name where it was published")->type_name("ID");
  group.add_option("--intended-use", facts_.intended_use, "What it is for, in a sentence")->type_name("TEXT");
  group.add_option("--curator", facts_.curator, "Who publishes it")->type_name("NAME");
  group.add_option("--region", facts_.region, "Where the records come from, or whose laws apply")->type_name("TEXT");
  group.add_option("--sector", facts_.sector, "e.g. Healthcare, Finance, Education, Technology")->type_name("TEXT");
  group.add_option("--date", facts_.date, "When it is published (default: today)")
      ->check(check_date)
      ->type_name("YYYY-MM-DD");
  group.add_option("--test-name", facts_.test_data, "What the test data are called")->type_name("TEXT");
}

void PublicationOptions::check(bool wanted) const {
  test_.check();
  if (wanted) return;
  if (test_.given()) throw CLI::ValidationError("--in", "goes with --card");
  for (const std::string* fact : {&facts_.title, &facts_.licence, &facts_.base_model, &facts_.intended_use,
                                  &facts_.curator, &facts_.region, &facts_.sector, &facts_.date, &facts_.test_data}) {
    if (!fact->empty()) throw CLI::ValidationError("--name, --license and the like", "go with --card or --registry");
  }
}

PublicationFacts PublicationOptions::facts(const PublishedModel& published, bool takes_images, unsigned threads) const {
  PublicationFacts facts = facts_;
  facts.takes_images = takes_images;
  if (facts.date.empty()) facts.date = today();
  if (test_.given()) facts.evaluation = test_.measure(published.model, threads);
  return facts;
}

std::vector<std::string> PublicationOptions::missing_in_registry() const {
  std::vector<std::string> missing;
  if (facts_.curator.empty()) missing.emplace_back("--curator");
  if (facts_.intended_use.empty()) missing.emplace_back("--intended-use");
  if (facts_.region.empty()) missing.emplace_back("--region");
  return missing;
}

}  // namespace dppl::cli
