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
  std::string input, output, transform = "none", rows;
  unsigned threads = kDefaultThreads;
  bool json = false;
};

void print(const PoolInfo& info, const std::string& path, bool json) {
  if (json) {
    print_json({{"pool", path},
                {"version", info.version},
                {"rows", info.rows},
                {"dim", info.dim},
                {"input_dim", info.input_dim},
                {"transform", info.transform.to_string()},
                {"bytes", info.bytes},
                {"digest", info.digest},
                {"source_digest", info.source_digest}});
    return;
  }
  std::cout << fmt::format(
      "{}: {} public rows of {} values as 8-bit integers, for embeddings of {} values\n"
      "transform  {}\n"
      "size       {:.1f} MB, pool version {}\n"
      "digest     {}\n"
      "made of    {}\n",
      path, info.rows, info.dim, info.input_dim, info.transform.to_string(), static_cast<double>(info.bytes) / 1e6,
      info.version, info.digest, info.source_digest);
}

void build(const Options& options) {
  refuse_overwriting({options.output}, {options.input, options.rows});
  PoolOptions how;
  how.transform = TransformSpec::parse(options.transform);
  if (!options.rows.empty()) how.rows = options.rows;
  how.threads = options.threads;
  const PublicData source = PublicData::open(options.input, options.threads);
  ProgressBar progress("pool build", "rows", source.size());
  how.progress = [&progress](double fraction) { progress.update(fraction); };
  print(build_pool(source, how, options.output), options.output, options.json);
}

void add_common(CLI::App& command, const std::shared_ptr<Options>& options) {
  command.add_flag("--json", options->json, "One JSON object on standard output");
  add_threads(command, options->threads);
}

}  // namespace

void add_pool(CLI::App& app) {
  CLI::App* command =
      add_command(app, "pool", "Make a public pool ready for many fits",
                  "  dppl pool build public-x.npy -o public.pool\n"
                  "  dppl fit --method public --pool public.pool …\n"
                  "A pool file holds the rows as 8-bit integers, a quarter of the size of float32, ready for\n"
                  "comparisons. The whole file is checked whenever it is opened.");
  command->require_subcommand(1);

  auto build_options = std::make_shared<Options>();
  CLI::App* builder =
      add_command(*command, "build", "Write a pool file",
                  "  dppl pool build public-x.npy -o public.pool --transform whiten:64\n"
                  "computes the transform from the pool, and stores it together with the transformed rows. A fit\n"
                  "with this pool uses the stored transform without being told.");
  builder->add_option("input", build_options->input, "Public embeddings")->required()->type_name("P.npy");
  builder->add_option("-o,--output", build_options->output, "The pool file to write")->required()->type_name("P.pool");
  builder
      ->add_option("--transform", build_options->transform,
                   "Public transform: none, center, average:W, pca:K, whiten:K or whiten:K:POWER")
      ->capture_default_str();
  builder->add_option("--rows", build_options->rows, "Only these rows, in this order")->type_name("ROWS.npy");
  add_common(*builder, build_options);
  builder->callback([build_options] { with_public_records([&] { build(*build_options); }); });

  auto info_options = std::make_shared<Options>();
  CLI::App* info = add_command(*command, "info", "Say what a pool file holds; fails if it was changed or damaged",
                               "  dppl pool info public.pool");
  info->add_option("input", info_options->input, "The pool file")->required()->type_name("P.pool");
  add_common(*info, info_options);
  info->callback([info_options] {
    print(read_pool_info(info_options->input, info_options->threads), info_options->input, info_options->json);
  });
}

}  // namespace dppl::cli
