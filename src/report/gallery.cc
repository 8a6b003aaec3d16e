#include "report/gallery.h"

#include <fmt/format.h>

#include <algorithm>

#include "dppl/error.h"
#include "report/nearest.h"
#include "rows/pool_file.h"
#include "rows/public_access.h"

namespace dppl {
namespace {

constexpr size_t kNearest = 4;

// A pool file made of some rows of its source knows which.
const PoolFile* pool_file(const Report& report) {
  return report.pool ? PublicAccess(*report.pool).pool_file() : nullptr;
}

void check_images(const Report& report, const ReportedModel& one) {
  const PoolImages& images = *report.images;
  const uint64_t there = images.source.get().size();
  if (images.first > there || images.count > there - images.first) {
    throw InvalidInput(fmt::format("images {} to {}: there are {}; give a range within them", images.first,
                                   images.first + images.count, there));
  }
  if (report.pool && report.pool->digest() != one.model.pool->digest) {
    throw InvalidInput(fmt::format("{}: is not the pool that {} was made with, or it was changed since",
                                   report.pool->embeddings().path(), one.name));
  }
  if (!pool_file(report) && images.count != one.model.pool->rows) {
    throw InvalidInput(
        fmt::format("{}: its pool has {} rows, but there are {} images; give the images of the pool, one a row, or "
                    "the range of images that is",
                    one.name, one.model.pool->rows, images.count));
  }
}

std::vector<uint64_t> images_of(const Report& report, std::vector<uint64_t> rows) {
  const PoolFile* file = pool_file(report);
  for (uint64_t& row : rows) {
    if (file) row = file->ids()[row];
    if (row >= report.images->count) {
      throw InvalidInput(fmt::format("pool: row {} has no image, there are {}; give the images of the whole pool", row,
                                     report.images->count));
    }
    row += report.images->first;
  }
  return rows;
}

}  // namespace

std::vector<Gallery> galleries(const Report& report) {
  std::vector<Gallery> result;
  if (!report.images) return result;
  for (const ReportedModel& one : report.models) {
    if (!one.model.pool) continue;
    check_images(report, one);
    if (!one.model.pool_indices.empty()) {
      result.push_back({&one, true, one.model.prototypes_per_class, images_of(report, one.model.pool_indices)});
    } else if (report.pool) {
      const size_t count = std::min(kNearest, report.pool->size());
      result.push_back(
          {&one, false, count, images_of(report, nearest_pool_rows(one.model, *report.pool, count, report.threads))});
    }
  }
  return result;
}

}  // namespace dppl
