#include "dppl/pool.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/command.h"
#include "cli/paths.h"
#include "cli/progress.h"
#include "dppl/invalid_record.h"

namespace dppl::cli {
namespace {

struct Options {
  std::vector<std::string> inputs;
  std::string input, output, transform = "none", rows, shard;
  unsigned threads = kDefaultThreads;
  bool json = false;
};

nlohmann::ordered_json to_json(const PoolInfo& info, const std::string& path) {
  nlohmann::ordered_json json{
      {"pool", path},        {"version", info.version},     {"rows", info.rows},
      {"dim", info.dim},     {"input_dim", info.input_dim}, {"transform", info.transform.to_string()},
      {"bytes", info.bytes}, {"digest", info.digest}};
  if (!info.is_whole()) {
    json["first_row"] = info.first_row;
    json["total_rows"] = info.total_rows;
  }
  if (info.shards.empty()) {
    json["source_digest"] = info.source_digest;
    return json;
  }
  json["shards"] = nlohmann::ordered_json::array();
  for (const PoolManifest::Shard& shard : info.shards) {
    json["shards"].push_back({{"file", shard.file}, {"rows", shard.rows}, {"digest", shard.digest}});
  }
  return json;
}

void print(const PoolInfo& info, const std::string& path, bool json) {
  if (json) return print_json(to_json(info, path));
  std::cout << fmt::format("{}: {} public rows of {} values as 8-bit integers, for embeddings of {} values\n", path,
                           info.rows, info.dim, info.input_dim);
  if (!info.is_whole()) {
    std::cout << fmt::format("shard      rows {} to {} of {}\n", info.first_row, info.first_row + info.rows,
                             info.total_rows);
  }
  std::cout << fmt::format(
      "transform  {}\nsize       {:.1f} MB{}, pool version {}\ndigest     {}\n", info.transform.to_string(),
      static_cast<double>(info.bytes) / 1e6,
      info.shards.empty() ? ""
                          : fmt::format(" in {} {}", info.shards.size(), info.shards.size() == 1 ? "shard" : "shards"),
      info.version, info.digest);
  if (!info.source_digest.empty()) std::cout << fmt::format("made of    {}\n", info.source_digest);
}

void build(const Options& options) {
  std::vector<std::string> read = options.inputs;
  read.push_back(options.rows);
  refuse_overwriting({options.output}, read);
  PoolOptions pool;
  pool.transform = TransformSpec::parse(options.transform);
  if (!options.rows.empty()) pool.rows = options.rows;
  if (!options.shard.empty()) pool.shard = Slice::parse(options.shard);
  pool.threads = options.threads;
  ProgressBar progress("pool build");
  pool.progress = [&progress](double fraction) { progress.update(fraction); };
  pool.note = [](const std::string& what) { std::cerr << "dppl: " << what << "\n"; };
  print(build_pool(options.inputs, pool, options.output), options.output, options.json);
}

void commit(const Options& options) {
  refuse_overwriting({options.output}, options.inputs);
  print(commit_pool(options.inputs, options.output, options.threads), options.output, options.json);
}

void add_common(CLI::App& command, const std::shared_ptr<Options>& options) {
  add_json(command, options->json);
  add_threads(command, options->threads);
}

void add_build(CLI::App& pool) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(pool, "build", "Write a pool file, or one shard of a pool",
                  "  dppl pool build public-x.npy -o public.pool --transform whiten:64\n"
                  "computes the transform from the pool, and stores it together with the transformed rows. A fit\n"
                  "with this pool uses the stored transform without being told.\n"
                  "  dppl pool build x-*.npy -o part-3.pool --shard 3/8\n"
                  "writes the third of eight parts of the rows of all these files; run the other seven anywhere,\n"
                  "then 'dppl pool commit'. Every part has the same transform: it is computed from the same rows,\n"
                  "16,384 of them, evenly spaced, where there are more. A file that is there already and is what\n"
                  "would be written is left alone, so that a list of such commands can simply be run again.");
  command
      ->add_option("inputs", options->inputs,
                   "Public embeddings; of several files the rows follow each other in the order given")
      ->required()
      ->type_name("P.npy");
  command->add_option("-o,--output", options->output, "The pool file to write")->required()->type_name("P.pool");
  command
      ->add_option("--transform", options->transform,
                   "Public transform: none, center, average:W, pca:K, whiten:K or whiten:K:POWER")
      ->capture_default_str();
  command->add_option("--shard", options->shard, "Only the I-th of N parts of the rows, I from 1 to N")
      ->type_name("I/N");
  command->add_option("--rows", options->rows, "Only these rows, in this order")->type_name("ROWS.npy");
  add_common(*command, options);
  command->callback([options] { with_public_records([&] { build(*options); }); });
}

void add_commit(CLI::App& pool) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(pool, "commit", "Make one pool of shards: check them and write the manifest",
                  "  for i in $(seq 8); do dppl pool build x.npy -o part-$i.pool --shard $i/8; done\n"
                  "  dppl pool commit part-*.pool -o public.pools\n"
                  "  dppl fit --method public --pool public.pools …\n"
                  "The manifest lists the shards, relative to its own folder, with their digests; keep them together.\n"
                  "It has the digest that one pool file of the same rows would have, and a fit with it gives the\n"
                  "same bits. Shards that are missing, named twice or of another pool are refused.");
  command->add_option("shards", options->inputs, "All shards, in any order")->required()->type_name("PART.pool");
  command->add_option("-o,--output", options->output, "The manifest to write")->required()->type_name("P.pools");
  add_common(*command, options);
  command->callback([options] { commit(*options); });
}

void add_info(CLI::App& pool) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(pool, "info", "Say what a pool file or a manifest holds; fails if it was changed or damaged",
                  "  dppl pool info public.pool");
  command->add_option("input", options->input, "The pool file, shard or manifest")
      ->required()
      ->type_name("P.pool|P.pools");
  add_common(*command, options);
  command->callback(
      [options] { print(read_pool_info(options->input, options->threads), options->input, options->json); });
}

}  // namespace

void add_pool(CLI::App& app) {
  CLI::App* command =
      add_command(app, "pool", "Make a public pool ready for many fits",
                  "  dppl pool build public-x.npy -o public.pool\n"
                  "  dppl fit --method public --pool public.pool …\n"
                  "A pool file holds the rows as 8-bit integers, a quarter of the size of float32, ready for\n"
                  "comparisons. The whole file is checked whenever it is opened. A pool may be built in shards, on\n"
                  "several machines: 'dppl pool commit --help' shows how.");
  command->require_subcommand(1);
  add_build(*command);
  add_commit(*command);
  add_info(*command);
}

}  // namespace dppl::cli
