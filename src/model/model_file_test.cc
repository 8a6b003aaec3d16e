#include "model/model_file.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "dppl/error.h"
#include "support/expect_error.h"
#include "support/sample_models.h"
#include "support/temp_dir.h"

namespace dppl {
namespace {

using Json = nlohmann::ordered_json;
using testing::all_sample_models;
using testing::expect_error;
using testing::public_model;

const std::string kVersion1 = DPPL_SOURCE_DIR "/tests/data/model_v1.dppl";

template <typename T>
std::vector<T> list(std::span<const T> values) {
  return {values.begin(), values.end()};
}

std::string named(const ClassSet& classes) {
  std::string result = classes.has_names() ? "named" : "numbered";
  for (size_t i = 0; i < classes.size(); ++i) result.append("\n").append(classes.name(i));
  return result;
}

void expect_equal(const Model& a, const Model& b) {
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.settings, b.settings);
  EXPECT_EQ(a.size_share, b.size_share);
  EXPECT_EQ(named(a.classes), named(b.classes));
  EXPECT_EQ(a.transform.spec(), b.transform.spec());
  EXPECT_EQ(a.input_dim(), b.input_dim());
  EXPECT_EQ(list(a.transform.mean()), list(b.transform.mean()));
  EXPECT_EQ(list(a.transform.basis()), list(b.transform.basis()));
  EXPECT_EQ(a.budget, b.budget);
  EXPECT_EQ(a.guarantee, b.guarantee);
  EXPECT_EQ(a.pool, b.pool);
  EXPECT_EQ(a.ledger_entry, b.ledger_entry);
  EXPECT_EQ(a.prototypes, b.prototypes);
  EXPECT_EQ(a.prototypes_per_class, b.prototypes_per_class);
  EXPECT_EQ(a.score_scale, b.score_scale);
  EXPECT_EQ(a.sums, b.sums);
  EXPECT_EQ(a.unit, b.unit);
  EXPECT_EQ(a.noise_variance, b.noise_variance);
  EXPECT_EQ(a.pool_indices, b.pool_indices);
}

struct Parts {
  std::string header, data;
};

Parts parts_of(const std::string& file) {
  uint64_t length = 0;
  std::memcpy(&length, file.data() + kModelPrefix - sizeof length, sizeof length);
  const size_t start = kModelPrefix + length;
  return {file.substr(kModelPrefix, length), file.substr(start, file.size() - start - kModelChecksum)};
}

std::string padded(std::string header) {
  while ((kModelPrefix + header.size()) % kModelAlignment != 0) header += ' ';
  return header;
}

using Change = std::function<void(Json&)>;

// The model's file with another header and the right checksum.
std::string with_header(const Model& model, const Change& change) {
  const Parts parts = parts_of(serialise_model(model));
  Json header = Json::parse(parts.header);
  change(header);
  return assemble_model_file(padded(header.dump()), parts.data);
}

void expect_refused(const std::string& file, std::initializer_list<std::string_view> words) {
  expect_error<InvalidInput>([&] { parse_model(file, "x.dppl"); }, {"x.dppl: "});
  expect_error<InvalidInput>([&] { parse_model(file, "x.dppl"); }, words);
}

// ---- What is kept

TEST(ModelFile, EveryKindOfModelComesBack) {
  for (const auto& [name, model] : all_sample_models()) {
    SCOPED_TRACE(name);
    const std::string bytes = serialise_model(model);
    const Model again = parse_model(bytes, name);
    expect_equal(model, again);
    EXPECT_EQ(serialise_model(again), bytes);
  }
}

TEST(ModelFile, EveryTransformComesBack) {
  using Kind = TransformSpec::Kind;
  for (const Kind kind : {Kind::none, Kind::center, Kind::pca, Kind::whiten}) {
    Model model = public_model();
    const bool has_basis = kind == Kind::pca || kind == Kind::whiten;
    const TransformSpec spec{.kind = kind, .directions = has_basis ? size_t{2} : 0};
    SCOPED_TRACE(spec.to_string());
    const std::vector<float> mean(spec.needs_pool() ? 4 : 0, 0.5f), basis(has_basis ? 8 : 0, 0.25f);
    model.transform = PublicTransform::restore(spec, 4, mean, basis);
    model.settings = with_transform(model.settings, spec);
    model.prototypes.assign(3 * model.output_dim(), 1.5f);
    expect_equal(model, parse_model(serialise_model(model), "x"));
  }
}

// What a seeded model is written as does not change with the release that makes it.
TEST(ModelFile, SettingsAreWrittenAsTheFirstFilesHadThem) {
  const auto settings = [](const Model& model) {
    return Json::parse(parts_of(serialise_model(model)).header).at("hyperparameters").dump();
  };
  EXPECT_EQ(settings(testing::refined_model()),
            R"({"method":"mean","transform":"pca:1","average_pool":1,"distance":"dot","estimator":"noisy-sum",)"
            R"("norm":null,"count_share":"1/10","coinpress_steps":3,"selection":"exponential","clip_min":"0",)"
            R"("clip_max":"2","k":1,"shrink":true,"spread":"3/2","lift":"1/5","metric_share":"0",)"
            R"("size_share":"1/100","refine_steps":12,"refine_share":"1/3","refine_rate":"1/7","balance":"1/20"})");
  EXPECT_EQ(settings(testing::public_k_model()),
            R"({"method":"public-k","transform":"center","average_pool":2,"distance":"cosine",)"
            R"("estimator":"noisy-sum","norm":null,"count_share":"1/10","coinpress_steps":3,)"
            R"("selection":"exponential","clip_min":"1/3","clip_max":"2","k":2})");
}

TEST(ModelFile, EstimatorsThatAreGoneAreNamed) {
  for (const auto& gone :
       {std::pair<const char*, Json>{"estimator", "coinpress"}, {"norm", "3/2"}, {"distance", "euclidean"}}) {
    const auto name = [&](Json& header) { header["hyperparameters"][gone.first] = gone.second; };
    expect_refused(with_header(testing::mean_model(), name), {"no longer has"});
  }
}

TEST(ModelFile, EveryNotionComesBack) {
  for (const BudgetSpec& budget : {BudgetSpec::pure(Rational(1, 3)), BudgetSpec::zcdp(Rational(1, 3)),
                                   BudgetSpec::approximate(2, Rational(1, 7))}) {
    Model model = public_model();
    model.budget = budget;
    model.guarantee = budget.as_guarantee();
    expect_equal(model, parse_model(serialise_model(model), "x"));
  }
}

TEST(ModelFile, ModelsForPeopleComeBack) {
  for (const auto& [name, sample] : all_sample_models()) {
    const Model model = testing::for_people(sample);
    const std::string bytes = serialise_model(model);
    EXPECT_EQ(Json::parse(parts_of(bytes).header).at("relation"), "add-remove-person") << name;
    expect_equal(model, parse_model(bytes, "x"));
  }
}

TEST(ModelFile, AmountsThatTakeManyDigitsComeBack) {
  Model model = public_model();
  const Rational tiny = parse_rational("1e-300", "ε");
  model.budget = BudgetSpec::pure(tiny);
  model.guarantee = Guarantee::of_bounded_range(tiny);
  expect_equal(model, parse_model(serialise_model(model), "x"));
}

TEST(ModelFile, RationalsThatWereNotReducedAreWrittenReduced) {
  Model model = testing::metric_model();
  std::get<MeanSettings>(model.settings).extra = SecondMomentMetric{Rational(5, 100)};
  EXPECT_EQ(std::get<MeanSettings>(parse_model(serialise_model(model), "x").settings).metric()->share, Rational(1, 20));
}

TEST(ModelFile, AScoreScaleIsWrittenWhereItIsTold) {
  for (const double scale : {12.5, 0.1, 15.0, 1.0 / 3, std::numeric_limits<double>::denorm_min(), kMaxScoreScale}) {
    Model model = public_model();
    model.score_scale = scale;
    const std::string bytes = serialise_model(model);
    EXPECT_EQ(Json::parse(parts_of(bytes).header).at("score_scale").get<double>(), scale);
    const Model again = parse_model(bytes, "x");
    expect_equal(model, again);
    EXPECT_EQ(again.used_score_scale(), scale);
    EXPECT_EQ(serialise_model(again), bytes);
  }
  const Model silent = public_model();
  EXPECT_FALSE(Json::parse(parts_of(serialise_model(silent)).header).contains("score_scale"));
  EXPECT_EQ(silent.used_score_scale(), kDefaultScoreScale);
}

TEST(ModelFile, SectionsAreAligned) {
  for (const auto& [name, model] : all_sample_models()) {
    const Parts parts = parts_of(serialise_model(model));
    EXPECT_EQ((kModelPrefix + parts.header.size()) % kModelAlignment, 0u);
    const Json header = Json::parse(parts.header);
    for (const auto& section : header.at("sections")) {
      EXPECT_EQ(section.at("offset").get<size_t>() % kModelAlignment, 0u) << section;
    }
  }
}

TEST(ModelFile, SavedAndLoaded) {
  const testing::TempDir dir;
  const Model model = public_model();
  const std::string digest = save_model(model, dir.path("m.dppl"));
  EXPECT_EQ(testing::read_text(dir.path("m.dppl")), serialise_model(model));
  EXPECT_EQ(dir.entries(), 1u);
  expect_equal(load_model(dir.path("m.dppl")), model);

  std::string expected;
  for (const char byte : model_checksum(serialise_model(model))) {
    constexpr char kHex[] = "0123456789abcdef";
    expected += kHex[static_cast<unsigned char>(byte) >> 4];
    expected += kHex[static_cast<unsigned char>(byte) & 15];
  }
  EXPECT_EQ(digest, expected);
  EXPECT_EQ(digest.size(), 64u);
}

TEST(ModelFile, WhatCannotBeReadIsNotWritten) {
  const testing::TempDir dir;
  const std::vector<std::pair<std::function<void(Model&)>, const char*>> cases = {
      {[](Model& m) { m.prototypes[2] = std::nanf(""); }, "prototypes hold a value that is not finite"},
      {[](Model& m) { m.prototypes.pop_back(); }, "5 prototype values where 3 × 2 belong"},
      {[](Model& m) { m.pool_indices[0] = 1000; }, "a row that its pool does not have"},
      {[](Model& m) { m.pool.reset(); }, "a pool that it does not name"},
      {[](Model& m) { m.pool->dim = 5; }, "its pool has dimension 5, the model 4"},
      {[](Model& m) { m.settings = AutoSettings{}; }, "'auto'"},
      {[](Model& m) { std::get<PublicSettings>(m.settings).transform.directions = 3; }, "not that of its settings"},
      {[](Model& m) {
         std::get<PublicSettings>(m.settings).clip = {1, 1};
       },
       "clip-min"},
      {[](Model& m) { m.guarantee.relation = Relation::replace_in_class; }, "no longer made for"},
      {[](Model& m) { m.guarantee.relation = Relation::add_remove_person; }, "for different neighbours"},
      {[](Model& m) { m.guarantee.epsilon = Rational(1, 5); }, "spends 0.2, more than its budget of 0.1"},
      {[](Model& m) { m.guarantee.epsilon.reset(); }, "no guarantee in the notion of its budget"},
      {[](Model& m) { m.sums = {1}; }, "it has sums"},
      {[](Model& m) { m.unit = std::numeric_limits<double>::infinity(); }, "unit"},
      {[](Model& m) { m.score_scale = -1; }, "score scale is -1; above 0 and at most 1000000"},
      {[](Model& m) { m.score_scale = 1000001; }, "score scale"},
      {[](Model& m) { m.score_scale = std::nan(""); }, "score scale"},
      {[](Model& m) { m.score_scale = std::numeric_limits<double>::infinity(); }, "score scale"},
      {[](Model& m) { m.ledger_entry = "\x1b[2J"; }, "ledger entry"},
      {[](Model& m) { m.prototypes_per_class = 2; }, "2 prototypes per class"},
  };
  for (const auto& [change, message] : cases) {
    Model model = public_model();
    change(model);
    expect_error<InvalidInput>([&] { save_model(model, dir.path("m.dppl")); }, {"cannot be written", message});
  }
  EXPECT_EQ(dir.entries(), 0u);
}

// ---- Version 1 stays readable

// Run once, with --gtest_also_run_disabled_tests; the file never changes afterwards.
TEST(ModelFile, DISABLED_WriteVersion1) { save_model(public_model(), kVersion1); }

TEST(ModelFile, Version1IsStillRead) {
  const Model model = load_model(kVersion1);
  EXPECT_EQ(model.version, 1u);
  EXPECT_EQ(model.settings, Settings(PublicSettings{.transform = TransformSpec::parse("whiten:2")}));
  EXPECT_EQ(named(model.classes), "numbered\n0\n1\n2");
  EXPECT_EQ(model.transform.spec().to_string(), "whiten:2");
  EXPECT_EQ(model.input_dim(), 4u);
  EXPECT_EQ(model.output_dim(), 2u);
  EXPECT_EQ(list(model.transform.mean()), (std::vector<float>{0.5f, 0.25f, 0, -0.25f}));
  EXPECT_EQ(list(model.transform.basis()), (std::vector<float>{1, 0, 0, 2, 0.5f, 0, 0, -1}));
  EXPECT_EQ(model.budget, BudgetSpec::pure(Rational(1, 10)));
  EXPECT_EQ(model.guarantee, Guarantee::of_bounded_range(Rational(1, 10)));
  EXPECT_EQ(model.pool, (Model::PoolIdentity{std::string(64, 'a'), 1000, 4}));
  EXPECT_EQ(model.ledger_entry, "");
  EXPECT_EQ(model.prototypes_per_class, 1u);
  EXPECT_EQ(model.score_scale, 0) << "not told";
  EXPECT_EQ(model.prototypes, (std::vector<float>{1, -1, 0.5f, 2, 0.125f, -3}));
  EXPECT_EQ(model.pool_indices, (std::vector<uint64_t>{17, 4, 999}));
  EXPECT_TRUE(model.sums.empty());
  EXPECT_EQ(serialise_model(model), testing::read_text(kVersion1)) << "and written the same";
  EXPECT_EQ(model.unit, 0);
  EXPECT_EQ(model.noise_variance, 0);
}

// ---- What is refused

TEST(ModelFile, EveryChangedByteIsRefused) {
  const std::string good = serialise_model(public_model());
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int mask : {0x01, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ mask);
      EXPECT_THROW(parse_model(bad, "x"), InvalidInput) << "byte " << i << " changed by " << mask;
    }
  }
}

TEST(ModelFile, EveryTruncationIsRefused) {
  const std::string good = serialise_model(public_model());
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(parse_model(std::string_view(good).substr(0, size), "x"), InvalidInput) << size << " bytes";
  }
  EXPECT_THROW(parse_model(good + '\0', "x"), InvalidInput);
}

TEST(ModelFile, TheMessageSaysWhatHappened) {
  const std::string good = serialise_model(public_model());
  expect_refused("", {"not a dppl model"});
  expect_refused("PK\x03\x04", {"not a dppl model", "dppl fit"});
  expect_refused(good.substr(0, 5), {"cut short"});
  expect_refused(good.substr(0, 40), {"cut short"});
  expect_refused(good.substr(0, 200), {"cut short"});
  expect_refused(good.substr(0, good.size() - 1), {"was changed or damaged"});
  std::string bad = good;
  bad[300] ^= 1;
  expect_refused(bad, {"was changed or damaged", "copy it again"});
}

TEST(ModelFile, OtherVersionsAreRefused) {
  const Parts parts = parts_of(serialise_model(public_model()));
  expect_refused(assemble_model_file(parts.header, parts.data, Model::kVersion + 1),
                 {"newer dppl (model version 2, this program reads up to 1)", "upgrade"});
  expect_refused(assemble_model_file(parts.header, parts.data, UINT32_MAX), {"newer"});
  expect_refused(assemble_model_file(parts.header, parts.data, 0), {"version 0"});
}

TEST(ModelFile, HeadersThatAreNoJsonAreRefused) {
  for (const std::string& header : {std::string(), std::string("{"), std::string("{\"a\": \xff}"), std::string("NaN"),
                                    std::string(200'000, '['), std::string("{}{}")}) {
    expect_refused(assemble_model_file(padded(header), ""), {"header is not JSON"});
  }
  expect_refused(assemble_model_file(padded("[]"), ""), {"header is not an object"});
  expect_refused(assemble_model_file(padded("{}"), ""), {"header/relation is missing"});
  expect_refused(with_header(public_model(), [](Json& header) { header["budget"]["notion"] = "gdp"; }), {"μ-GDP"});
}

TEST(ModelFile, AHeaderBeyondTheFileIsRefused) {
  for (const uint64_t length : {uint64_t{1} << 32, UINT64_MAX, UINT64_MAX - kModelPrefix - kModelChecksum + 1}) {
    std::string file = serialise_model(public_model());
    file.resize(file.size() - kModelChecksum);
    std::memcpy(file.data() + kModelPrefix - sizeof length, &length, sizeof length);
    file += model_checksum(file);
    expect_refused(file, {"longer than the file"});
  }
}

TEST(ModelFile, EveryKeyIsNeededAndHasItsType) {
  const Model model = testing::public_k_model();
  const Json header = Json::parse(parts_of(serialise_model(model)).header);
  const auto flat = header.flatten();
  for (const auto& [pointer, value] : flat.items()) {
    const Json::json_pointer path(pointer);
    const auto erase = [&](Json& h) {
      Json& parent = h[path.parent_pointer()];
      parent.is_array() ? parent.erase(std::stoul(path.back())) : static_cast<void>(parent.erase(path.back()));
    };
    expect_refused(with_header(model, erase), {"x.dppl: "});
    for (const Json& wrong : {Json::array({Json::object()}), Json(true), Json(-1), Json("1e9\n\x1b")}) {
      if (value != wrong) expect_refused(with_header(model, [&](Json& h) { h[path] = wrong; }), {"x.dppl: "});
    }
  }
}

TEST(ModelFile, HostileHeadersAreRefused) {
  const auto change = [](const char* pointer, Json value) {
    return [pointer, value = std::move(value)](Json& header) { header[Json::json_pointer(pointer)] = value; };
  };
  const std::string nested = std::string(1000, '[') + std::string(1000, ']');
  const std::vector<std::pair<Change, std::string_view>> cases = {
      {change("/sections/0/shape", {3, 1, -2}), "header/sections/0/shape"},
      {change("/sections/0/shape", {3, 1, 2.0}), "header/sections/0/shape"},
      {change("/sections/0/shape", {3, 1, UINT64_MAX}), "prototypes is not of shape 3 × 1 × 2"},
      {change("/sections/0/shape", {6}), "prototypes is not of shape 3 × 1 × 2"},
      {change("/sections/0/dtype", "f64"), "prototypes is not of type f32"},
      {change("/sections/0/name", "weights"), "header/sections/0 is unknown"},
      {change("/sections/1/name", "prototypes"), "header/sections/1 is unknown, repeated"},
      {change("/sections/1/offset", 0), "pool_indices starts at 0 where 64 belongs: sections overlap"},
      {change("/sections/1/offset", 128), "leave gaps"},
      {change("/sections/1/offset", UINT64_MAX), "leave gaps"},
      {change("/sections/0", nullptr), "header/sections/0 is not an object"},
      {[](Json& h) { h["sections"].erase(0); }, "pool_indices starts at 64 where 0 belongs"},
      {[](Json& h) { h["sections"].erase(3); }, "something follows its last section"},
      {[](Json& h) { std::swap(h["sections"][2], h["sections"][3]); },
       "transform_basis starts at 192 where 128 belongs"},
      {change("/classes", 0), "0 classes"},
      {change("/classes", ClassSet::kMaxSize + 1), "classes; between 1 and"},
      {change("/classes", {"a", "b"}), "prototypes is not of shape 2 × 1 × 2"},
      {change("/classes", {"a", "b", 3}), "header/classes"},
      {change("/classes", {"a", "b", "b"}), "name each class once"},
      {change("/classes", {"a", "b", "\x1b[2J"}), "class name 3"},
      {change("/input_dim", 0), "input_dim is 0"},
      {change("/input_dim", 1e30), "header/input_dim"},
      {change("/input_dim", UINT64_MAX), "header/input_dim"},
      {change("/prototypes_per_class", UINT64_MAX), "prototypes is not of shape"},
      {change("/hyperparameters/average_pool", 0), "average_pool is 0"},
      {change("/hyperparameters/average_pool", UINT64_MAX), "transform_mean is not of shape 0"},
      {change("/hyperparameters/transform", "whiten:0"), "transform"},
      {change("/hyperparameters/transform", "whiten:99999999999999999999"), "transform"},
      {change("/hyperparameters/transform", "pca:3"), "prototypes is not of shape 3 × 1 × 3"},
      {change("/hyperparameters/method", "auto"), "'auto'"},
      {change("/hyperparameters/method", "mean"), "pool indices, which its method does not make"},
      {change("/hyperparameters/coinpress_steps", uint64_t{1} << 32), "something that dppl does not write"},
      {change("/hyperparameters/norm", "x"), "no longer has"},
      {change("/hyperparameters/clip_min", "2"), "clip-min"},
      {change("/hyperparameters/clip_min", 2), "hyperparameters/clip_min"},
      {change("/hyperparameters/count_share", nullptr), "something that dppl does not write"},
      {change("/hyperparameters/k", 2), "something that dppl does not write"},
      {change("/hyperparameters/shrink", true), "something that dppl does not write"},
      {change("/budget/amount", "2/20"), "lowest terms"},
      {change("/budget/amount", "1/0"), "lowest terms"},
      {change("/budget/amount", " 1/10"), "lowest terms"},
      {change("/budget/amount", "0.1"), "lowest terms"},
      {change("/budget/amount", "nan"), "lowest terms"},
      {change("/budget/amount", std::string(20'000, '1')), "lowest terms"},
      {change("/budget/amount", "-1/10"), "below 0"},
      {change("/budget/amount", "1/20"), "more than its budget"},
      {change("/budget/delta", "1/10"), "has a δ"},
      {change("/budget/notion", "none"), "header/budget/notion is unknown"},
      {change("/budget/notion", "approximate"), "δ = 0"},
      {change("/guarantee/epsilon", nullptr), "no guarantee in the notion of its budget"},
      {change("/guarantee/rho", "-1"), "below 0"},
      {change("/guarantee/private", 1), "neither true nor false"},
      {change("/guarantee/approximate", {{"epsilon", "1"}, {"delta", "1"}}), "δ = 1"},
      {change("/relation", "nobody"), "neighbours 'nobody'"},
      {change("/pool", nullptr), "a pool that it does not name"},
      {change("/pool/rows", 0), "pool is empty"},
      {change("/pool/rows", 999), "a row that its pool does not have"},
      {change("/pool/digest", "A"), "digest of its pool"},
      {change("/ledger_entry", "x\n"), "ledger entry"},
      {change("/unit", nullptr), "header/unit"},
      {change("/unit", 0), "header/unit"},
      {change("/unit", -1.5), "unit of its sums"},
      {change("/noise_variance", "-1"), "noise variance"},
      {change("/score_scale", 0.0), "header/score_scale is 0"},
      {change("/score_scale", -0.0), "header/score_scale is 0"},
      {change("/score_scale", -15.5), "score scale is -15.5"},
      {change("/score_scale", 1000000.5), "score scale"},
      {change("/score_scale", 15), "header/score_scale is not a floating-point number"},
      {change("/score_scale", "15"), "header/score_scale is not a floating-point number"},
      {change("/score_scale", nullptr), "header/score_scale is not a floating-point number"},
      {change("/comment", "hidden"), "something that dppl does not write"},
      {change("/pool/comment", Json::parse(nested)), "something that dppl does not write"},
  };
  for (const auto& [make, message] : cases) {
    SCOPED_TRACE(message);
    expect_refused(with_header(public_model(), make), {message, "make the model again"});
  }
}

TEST(ModelFile, ClaimsOfHugeArraysAreRefusedWithoutMemoryForThem) {
  // 10^6 classes × 10^6 dimensions × 4 bytes would be 4 TB.
  const auto file = with_header(testing::mean_model(), [](Json& header) {
    header["classes"] = ClassSet::kMaxSize;
    header["input_dim"] = 1000000;
    header["sections"][0]["shape"] = {ClassSet::kMaxSize, 1, 1000000};
  });
  expect_refused(file, {"prototypes goes beyond the end"});
  const auto overflow = with_header(testing::mean_model(), [](Json& header) {
    header["prototypes_per_class"] = uint64_t{1} << 62;
    header["sections"][0]["shape"] = {2, uint64_t{1} << 62, 3};
  });
  expect_refused(overflow, {"prototypes goes beyond the end"});
}

TEST(ModelFile, RepeatedKeysAreRefused) {
  const Parts parts = parts_of(serialise_model(public_model()));
  std::string header = parts.header.substr(0, parts.header.find_last_of('}'));
  header += ",\"input_dim\":4}";
  expect_refused(assemble_model_file(padded(header), parts.data), {"something that dppl does not write"});
}

TEST(ModelFile, HiddenBytesAreRefused) {
  Parts parts = parts_of(serialise_model(public_model()));
  expect_refused(assemble_model_file(parts.header, parts.data + "x"), {"something follows"});
  parts.data[24] = 'x';  // behind the 6 values of the first section
  expect_refused(assemble_model_file(parts.header, parts.data), {"something else than zeros"});
}

TEST(ModelFile, ValuesThatAreNotFiniteAreRefused) {
  const Parts good = parts_of(serialise_model(public_model()));
  const Json header = Json::parse(good.header);
  for (const float value : {std::nanf(""), std::numeric_limits<float>::infinity()}) {
    for (const auto& section : header.at("sections")) {
      if (section.at("dtype") != "f32") continue;
      Parts bad = good;
      std::memcpy(bad.data.data() + section.at("offset").get<size_t>(), &value, sizeof value);
      expect_refused(assemble_model_file(bad.header, bad.data), {"not finite"});
    }
  }
}

TEST(ModelFile, MissingFilesAreNamed) {
  const testing::TempDir dir;
  expect_error<IoError>([&] { load_model(dir.path("none.dppl")); }, {"none.dppl"});
  expect_error<InvalidInput>([&] { load_model(dir.path(".")); }, {"directory"});
  expect_error<InvalidInput>([&] { load_model(dir.file("empty.dppl", "")); }, {"empty.dppl: is not a dppl model"});
}

}  // namespace
}  // namespace dppl
