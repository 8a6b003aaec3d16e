#include "rows/pool_shards.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/atomic_file.h"
#include "base/file_steps.h"
#include "base/mapped_file.h"
#include "dppl/error.h"
#include "rows/pool_manifest.h"

namespace dppl {
namespace {

namespace fs = std::filesystem;

struct NamedFile {
  std::string path;
  std::shared_ptr<const PoolFile> file;

  size_t first() const { return file->info().first_row; }
  size_t end() const { return file->info().first_row + file->info().rows; }
};

bool is_manifest(const std::string& path) { return begins_with(path, kManifestTitle); }

std::string rows_of(const NamedFile& part) { return fmt::format("rows {} to {}", part.first(), part.end()); }

// That `part` is of the same pool as `first`.
void check_kin(const NamedFile& first, const NamedFile& part) {
  const PoolInfo &a = first.file->info(), &b = part.file->info();
  const auto refuse = [&](const std::string& what) {
    throw InvalidInput(fmt::format("{}: {}; build all shards of one source with the same options", part.path, what));
  };
  if (b.version == 1) refuse("is a pool file of version 1, which cannot be a shard");
  if (a.total_rows != b.total_rows) {
    refuse(fmt::format("is a shard of a pool of {} rows, and {} of one of {}", b.total_rows, first.path, a.total_rows));
  }
  if (a.input_dim != b.input_dim) {
    refuse(fmt::format("is of embeddings of {} values, and {} of {}", b.input_dim, first.path, a.input_dim));
  }
  if (a.transform != b.transform) {
    refuse(fmt::format("holds rows after {}, and {} after {}", b.transform.to_string(), first.path,
                       a.transform.to_string()));
  }
  if (content_frame(first.file->header()) != content_frame(part.file->header())) {
    refuse(fmt::format("its {} was computed from other rows than that of {}", b.transform.to_string(), first.path));
  }
}

// Sorts the parts and checks that they are all of one pool, each row once.
void check_parts(std::vector<NamedFile>& parts) {
  for (const NamedFile& part : parts) check_kin(parts.front(), part);
  // A shell's * sorts 10 before 2.
  std::stable_sort(parts.begin(), parts.end(),
                   [](const NamedFile& a, const NamedFile& b) { return a.first() < b.first(); });
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const NamedFile& part = parts[i];
    if (part.first() < next) {
      throw InvalidInput(fmt::format("{}: holds {}, some of which {} holds too ({}); name every shard once", part.path,
                                     rows_of(part), parts[i - 1].path, rows_of(parts[i - 1])));
    }
    if (part.first() > next) {
      throw InvalidInput(fmt::format("rows {} to {} are missing before {}; build that shard and name it too", next,
                                     part.first(), part.path));
    }
    next = part.end();
  }
  const size_t total = parts.front().file->info().total_rows;
  if (next < total) {
    throw InvalidInput(fmt::format("rows {} to {} are missing behind {}; build that shard and name it too", next, total,
                                   parts.back().path));
  }
}

std::string content_of(std::span<const NamedFile> parts) {
  ContentDigest content(content_frame(parts.front().file->header()));
  for (const NamedFile& part : parts) content.add(part.file->leaves());
  return to_hex(content.finish());
}

// Of the whole pool that these parts make.
PoolInfo whole_info(std::span<const NamedFile> parts, const PoolManifest& manifest) {
  PoolInfo info = parts.front().file->info();
  info.rows = info.total_rows;
  info.first_row = 0;
  info.bytes = 0;
  for (const NamedFile& part : parts) info.bytes += part.file->info().bytes;
  info.digest = manifest.digest;
  info.source_digest.clear();
  info.shards = manifest.shards;
  return info;
}

// Relative to the manifest's folder; links to folders are resolved, those to files are not.
std::string name_in_manifest(const std::string& part, const std::string& manifest) {
  std::error_code error;
  const fs::path folder = fs::canonical(directory_of(resolve_target(manifest)), error);
  const fs::path own = fs::canonical(directory_of(part), error);
  if (error) return part;
  return (own / fs::path(part).filename()).lexically_relative(folder).string();
}

std::vector<NamedFile> open_shards(const PoolManifest& manifest, const std::string& path, unsigned threads) {
  std::vector<NamedFile> parts;
  const fs::path folder = fs::path(path).parent_path();
  for (const PoolManifest::Shard& shard : manifest.shards) {
    const std::string file = (folder / shard.file).string();
    parts.push_back({file, PoolFile::open(file, threads)});
    const PoolInfo& info = parts.back().file->info();
    if (info.digest != shard.digest || info.rows != shard.rows) {
      throw InvalidInput(fmt::format(
          "{}: is not the file that {} lists under this name; build it again, or commit the shards again", file, path));
    }
  }
  return parts;
}

}  // namespace

bool PoolShards::is_prepared(const std::string& path) { return begins_with(path, kPoolMagic) || is_manifest(path); }

std::shared_ptr<const PoolShards> PoolShards::open(const std::string& path, unsigned threads) {
  if (!is_manifest(path)) {
    auto file = PoolFile::open(path, threads);
    PoolInfo info = file->info();
    if (!info.is_whole()) {
      throw InvalidInput(
          fmt::format("{}: is a shard, rows {} to {} of {}; put all shards together with dppl pool commit and give the "
                      "manifest",
                      path, info.first_row, info.first_row + info.rows, info.total_rows));
    }
    return std::shared_ptr<const PoolShards>(new PoolShards({std::move(file)}, std::move(info)));
  }
  const PoolManifest manifest = read_pool_manifest(path);
  std::vector<NamedFile> parts = open_shards(manifest, path, threads);
  check_parts(parts);
  if (content_of(parts) != manifest.digest) {
    throw InvalidInput(
        fmt::format("{}: its shards do not make the pool that it was written for; write it again with "
                    "dppl pool commit",
                    path));
  }
  PoolInfo info = whole_info(parts, manifest);
  Files files;
  for (NamedFile& part : parts) files.push_back(std::move(part.file));
  return std::shared_ptr<const PoolShards>(new PoolShards(std::move(files), std::move(info)));
}

std::pair<const PoolFile*, size_t> PoolShards::find(size_t row) const {
  const auto after = std::upper_bound(files_.begin(), files_.end(), row,
                                      [](size_t wanted, const auto& file) { return wanted < file->info().first_row; });
  const PoolFile* file = std::prev(after)->get();
  return {file, row - file->info().first_row};
}

float PoolShards::scale(size_t row) const {
  const auto [file, i] = find(row);
  return file->scales()[i];
}

uint64_t PoolShards::id(size_t row) const {
  const auto [file, i] = find(row);
  return file->ids()[i];
}

PoolInfo commit_pool(const std::vector<std::string>& shards, const std::string& path, unsigned threads) {
  if (shards.empty()) throw InvalidInput(fmt::format("{}: a manifest needs at least one shard", path));
  std::vector<NamedFile> parts;
  for (const std::string& shard : shards) parts.push_back({shard, PoolFile::open(shard, threads)});
  check_parts(parts);
  PoolManifest manifest{.digest = content_of(parts), .rows = parts.front().file->info().total_rows, .shards = {}};
  for (const NamedFile& part : parts) {
    manifest.shards.push_back({name_in_manifest(part.path, path), part.file->info().rows, part.file->info().digest});
  }
  AtomicFile(path).commit(to_text(manifest));
  return whole_info(parts, manifest);
}

PoolManifest read_pool_manifest(const std::string& path) { return parse_manifest(MappedFile(path).text(), path); }

PoolInfo read_pool_info(const std::string& path, unsigned threads) {
  if (is_manifest(path)) return PoolShards::open(path, threads)->info();
  return PoolFile::open(path, threads)->info();
}

}  // namespace dppl
