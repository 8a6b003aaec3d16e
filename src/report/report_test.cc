#include "dppl/report.h"

#include <gtest/gtest.h>

#include "dppl/error.h"
#include "dppl/fit.h"
#include "dppl/pool.h"
#include "report/html.h"
#include "report/png.h"
#include "report/vega.h"
#include "support/counted_images.h"
#include "support/expect_error.h"
#include "support/html_checks.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using testing::count_of;
using testing::CountedImages;
using testing::expect_error;
using testing::expect_sound_page;
using testing::expect_words;

const std::string kHostile = "<script>alert('x')</script> \"onerror=\" & 🐿";

Report report_of(Model model, std::string name = "scans") {
  Report report{.title = "A report", .models = {}};
  report.models.push_back({std::move(name), "", std::move(model)});
  return report;
}

// Every class but the last gets all its records right.
Evaluation evaluation_of(const ClassSet& classes, bool with_minority = true) {
  std::vector<int64_t> truth, predicted;
  std::vector<uint64_t> counts;
  for (size_t c = 0; c < classes.size(); ++c) {
    truth.push_back(static_cast<int64_t>(c));
    predicted.push_back(c + 1 < classes.size() ? truth.back() : 0);
    counts.push_back(c + 1);
  }
  return evaluate(predicted, truth, classes, with_minority ? std::optional(counts) : std::nullopt);
}

TEST(Report, TellsTheGuaranteeOfEveryKindOfModel) {
  for (const auto& [name, model] : testing::all_sample_models()) {
    const std::string page = report_html(report_of(model, name));
    expect_sound_page(page);
    expect_words(page, {"What is promised", "one person&#39;s record", "So this protects",
                        "A person with several records", "How it was made", "No private record"});
    EXPECT_EQ(page.find("NOT PRIVATE") != std::string::npos, name == "seeded") << name;
    EXPECT_EQ(page.find("Nothing: it was made with a fixed seed") != std::string::npos, name == "seeded") << name;
    EXPECT_EQ(page.find("a coin is right") == std::string::npos, name == "seeded") << name;
    EXPECT_EQ(page.find("id=\"plots\""), std::string::npos);
    EXPECT_EQ(page.find("id=\"recalls\""), std::string::npos);
    EXPECT_EQ(page.find("id=\"ledger\""), std::string::npos);
    EXPECT_EQ(page.find("id=\"prototypes\""), std::string::npos);
    EXPECT_EQ(report_html(report_of(model, name)), page);
  }
}

TEST(Report, TellsWhatAModelPromisesToPeople) {
  const std::string page = report_html(report_of(testing::for_people(testing::public_model())));
  expect_sound_page(page);
  expect_words(page,
               {"Adding or removing all records of one person", "So this protects whether any one person is there",
                "Somebody who knows the records of everybody else", "whether one person&#39;s records were used",
                "Somebody filed under two ids", "add-remove-person", "ε = 0.1 for people"});
  for (const char* word : {"A person with several records", "is replaced by any other"}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
}

TEST(Report, ComparesOnlyGuaranteesOfOneUnit) {
  Report report = report_of(testing::public_model(), "records");
  report.models.push_back({"people", "", testing::for_people(testing::public_model())});
  report.models[1].model.guarantee = Guarantee::of_bounded_range(2, Relation::add_remove_person);
  const std::string page = report_html(report);
  expect_sound_page(page);
  expect_words(page, {"others single records only. Of the latter records protects least.",
                      "A person with several records: m records together cost"});
  EXPECT_EQ(page.find("their costs would add up"), std::string::npos);
}

TEST(Report, SaysWhatAGuessCanDo) {
  // tanh(ε/4) is the total variation at bounded range ε = 0.1: 50% + 50%·tanh(0.025) = 51.2498…%.
  expect_words(report_html(report_of(testing::public_model())), {"is right at most 51.25% of the time"});
}

TEST(Report, ShowsTheChosenImages) {
  const CountedImages images(1007);
  Report report = report_of(testing::public_model());  // rows 17, 4 and 999 of 1000
  report.images = PoolImages{images, 7, 1000};
  const std::string page = report_html(report);
  expect_sound_page(page);
  EXPECT_EQ(count_of(page, "<img "), 3u);
  expect_words(page, {png_data_uri(images.read(24)), png_data_uri(images.read(11)), png_data_uri(images.read(1006)),
                      "alt=\"prototype of 0: public image 24\"", "class=\"crisp\""});
}

TEST(Report, ShowsSeveralImagesAClass) {
  const CountedImages images(10, 200);
  Report report = report_of(testing::public_k_model());
  report.images = PoolImages{images, 0, 10};
  const std::string page = report_html(report);
  EXPECT_EQ(count_of(page, "<img "), 4u);
  EXPECT_EQ(count_of(page, "width=\"96\" height=\"96\""), 4u);  // made smaller
  EXPECT_EQ(count_of(page, "class=\"crisp\""), 0u);
}

TEST(Report, ImagesOfAnotherPoolAreRefused) {
  const CountedImages images(999);
  Report report = report_of(testing::public_model());
  report.images = PoolImages{images, 0, 999};
  expect_error<InvalidInput>([&] { report_html(report); },
                             {"scans: its pool has 1000 rows", "999 images", "range of images"});
  report.images = PoolImages{images, 1, 1000};
  expect_error<InvalidInput>([&] { report_html(report); }, {"there are 999"});
  const PublicData pool = PublicData::from_memory({1, 2, 3, 4}, 4);
  const CountedImages enough(1000);
  report.images = PoolImages{enough, 0, 1000};
  report.pool = pool;
  expect_error<InvalidInput>([&] { report_html(report); }, {"is not the pool that scans was made with"});
}

TEST(Report, IllustratesMeansByTheNearestPublicImages) {
  // Five directions around a quarter of a circle; the prototypes are its two ends.
  const PublicData pool = PublicData::from_memory({0, 1, 1, 2, 1, 1, 2, 1, 1, 0}, 2);
  const CountedImages images(5);
  Report report = report_of(testing::mean_model());
  Model& model = report.models[0].model;
  model.transform = PublicTransform::restore({}, 2, {}, {});
  model.prototypes = {1, 0, 0, 1};
  model.pool = Model::PoolIdentity{pool.digest(), 5, 2};
  report.images = PoolImages{images, 0, 5};
  EXPECT_EQ(count_of(report_html(report), "<img "), 0u);  // without the pool nothing is known to be near
  report.pool = pool;
  const std::string page = report_html(report);
  expect_words(page, {"nearest public image of 0: public image 4", "Noisy means are not images"});
  EXPECT_EQ(count_of(page, "<img "), 8u);
  std::vector<size_t> places;
  for (const char* image : {"of 0: public image 4\"", "of 0: public image 3\"", "of 0: public image 2\"",
                            "of 0: public image 1\"", "of 1: public image 0\"", "of 1: public image 1\""}) {
    places.push_back(page.find(image));
    ASSERT_NE(places.back(), std::string::npos) << image;
  }
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

// The same of a pool in shards, whose rows know their numbers in the source.
TEST(Report, FindsTheImagesOfShards) {
  const testing::TempDir dir;
  const PublicData source = PublicData::from_memory({0, 1, 1, 2, 1, 1, 2, 1, 1, 0}, 2);
  write_npy(dir.path("rows.npy"), std::vector<int64_t>{4, 0, 2, 3});
  std::vector<std::string> shards;
  for (size_t i = 1; i <= 3; ++i) {
    shards.push_back(dir.path(std::to_string(i) + ".pool"));
    build_pool(source, {.rows = dir.path("rows.npy"), .shard = {i, 3}}, shards.back());
  }
  const PoolInfo info = commit_pool(shards, dir.path("p.pools"));
  const CountedImages images(5);
  Report report = report_of(testing::mean_model());
  Model& model = report.models[0].model;
  model.transform = PublicTransform::restore({}, 2, {}, {});
  model.prototypes = {1, 0, 0, 1};
  model.pool = Model::PoolIdentity{info.digest, 4, 2};
  report.images = PoolImages{images, 0, 5};
  report.pool = PublicData::open(dir.path("p.pools"));
  const std::string page = report_html(report);
  EXPECT_EQ(count_of(page, "<img "), 8u);
  std::vector<size_t> places;
  for (const char* image : {"of 0: public image 4\"", "of 0: public image 3\"", "of 0: public image 2\"",
                            "of 0: public image 0\"", "of 1: public image 0\"", "of 1: public image 2\""}) {
    places.push_back(page.find(image));
    ASSERT_NE(places.back(), std::string::npos) << image;
  }
  EXPECT_TRUE(std::is_sorted(places.begin(), places.end()));
}

TEST(Report, ComparesSeveralModels) {
  Report report = report_of(testing::public_model(), "small");
  report.models.push_back({"large", "tuned", testing::public_model()});
  report.models[1].model.guarantee = Guarantee::of_bounded_range(2);
  for (ReportedModel& one : report.models) one.evaluation = evaluation_of(one.model.classes);
  const std::string page = report_html(report);
  expect_sound_page(page);
  expect_words(page, {"Of the models here large protects least", "their costs would add up: pure ε: 2.1",
                      "They are not protected by the guarantee", "read from the training labels"});
  // One panel per measure, one column per method, one row per ρ.
  expect_words(page, {"<th scope=\"row\">Balanced accuracy</th><td class=\"number\">ρ = 0.00125</td>"
                      "<td class=\"number\">66.67% (small)</td><td class=\"number\">–</td>",
                      "<th scope=\"row\">Accuracy</th><td class=\"number\">ρ = 0.5</td><td class=\"number\">–</td>"
                      "<td class=\"number\">66.67% (large)</td>"});
  EXPECT_EQ(page.find("runs no script") == std::string::npos, !vega_library().empty());
  // Without training labels there is no minority, and not a word of it.
  for (ReportedModel& one : report.models) one.evaluation = evaluation_of(one.model.classes, false);
  const std::string without = report_html(report);
  EXPECT_EQ(without.find("inority"), std::string::npos);
}

TEST(Report, NamesThoseThatAreNotPrivate) {
  Report report = report_of(testing::mean_model(), "good");
  report.models.push_back({"bad", "", testing::seeded_model()});
  expect_words(report_html(report),
               {"role=\"alert\"", "NOT PRIVATE: do not publish.</strong> bad was made with a fixed seed"});
}

TEST(Report, NoNameBreaksOut) {
  Report report = report_of(testing::public_model(), kHostile);
  report.title = kHostile;
  report.models[0].model.classes = ClassSet::named({kHostile, "</title>", "'><img src=x>"});
  report.models[0].series = kHostile;
  report.models.push_back(report.models[0]);
  report.models[1].model.guarantee.is_private = false;
  for (ReportedModel& one : report.models) one.evaluation = evaluation_of(one.model.classes);
  const CountedImages images(1000);
  report.images = PoolImages{images, 0, 1000};
  const auto total = BudgetSpec::pure(1);
  report.ledger = {{kHostile, total, {Notion::pure, {1, 0}, {0, 0}, {1, 0}}}, {}, "head"};
  report.ledger->entries.push_back({1, Ledger::Kind::reserve, kHostile, 0, total, {}, kHostile, kHostile, "", "", "d"});
  const std::string page = report_html(report);
  expect_sound_page(page);
  EXPECT_GT(count_of(page, escape_html(kHostile)), 20u);
}

TEST(Report, AccountsForTheDataSet) {
  const testing::TempDir dir;
  Ledger::create_dataset(dir.path("ledger"), "flowers", BudgetSpec::pure(1));
  Ledger ledger(dir.path("ledger"));
  const auto reservation = ledger.reserve("flowers", BudgetSpec::pure(Rational(1, 10)), "fit public");
  Report report = report_of(testing::public_model());
  report.models[0].model.ledger_entry = reservation.digest();
  const std::string digest = save_model(report.models[0].model, dir.path("m.dppl"));
  ledger.record(reservation, Guarantee::pure(Rational(1, 10)), digest);
  report.models.push_back({"stray", "", testing::public_model()});
  // It names the other one's entry, but is not what was released for it.
  report.models.push_back({"forged", "", report.models[0].model});
  report.models.back().model.prototypes[0] += 1;
  // Made of public data alone: there is nothing to enter.
  const ClassKnowledge known(ClassSet::numbered(2), PublicData::from_memory({1, 0, 0, 1}, 2), {0, 1}, std::nullopt);
  report.models.push_back({"open", "", fit_public_only(known, std::nullopt, AutoSettings{})});
  report.ledger = {ledger.status("flowers"), ledger.contents().entries, ledger.contents().head};
  const std::string page = report_html(report);
  expect_sound_page(page);
  expect_words(page, {"the data set &#39;flowers&#39; may cost each record", "<dd>ε = 1</dd>", "<dd>ε = 0.1</dd>",
                      "<dd>ε = 0.9</dd>", "reserved ε = 0.1 for &#39;fit public&#39;</td><td>scans</td>",
                      "Not entered for this data set: stray, forged.", report.ledger->head});
}

TEST(Report, ManyClassesStayReadable) {
  for (const size_t classes : {size_t{1000}, size_t{5000}}) {
    Report report = report_of(testing::public_model());
    Model& model = report.models[0].model;
    model.classes = ClassSet::numbered(classes);
    model.pool_indices.assign(classes, 3);
    model.prototypes.assign(2 * classes, 1);
    report.models[0].evaluation = evaluation_of(model.classes);
    const CountedImages images(1000, 100);
    report.images = PoolImages{images, 0, 1000};
    const std::string page = report_html(report);
    expect_sound_page(page);
    EXPECT_LT(page.size(), 6'000'000u);
    EXPECT_EQ(count_of(page, "<img "), std::min<size_t>(classes, 3000));
    EXPECT_EQ(count_of(page, "<summary>"), 2u);
    expect_words(page, {"The 30 classes with the lowest recall, of"});
    EXPECT_EQ(page.find("further classes are not shown") != std::string::npos, classes == 5000);
  }
}

TEST(Report, IsWrittenWholeOrNotAtAll) {
  const testing::TempDir dir;
  const Report report = report_of(testing::mean_model());
  write_report(report, dir.path("r.html"));
  EXPECT_EQ(testing::read_text(dir.path("r.html")), report_html(report));
  EXPECT_THROW(write_report(report, dir.path("no/r.html")), IoError);
  expect_error<InvalidInput>([&] { write_report({}, dir.path("n.html")); }, {"there is no model"});
  EXPECT_EQ(dir.entries(), 1u);
}

}  // namespace
}  // namespace dppl
