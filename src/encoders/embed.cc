#include "dppl/embed.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "base/digest.h"
#include "base/float16.h"
#include "base/mapped_file.h"
#include "base/parallel.h"
#include "dppl/invalid_record.h"
#include "encoders/label_files.h"
#include "encoders/partial_file.h"
#include "encoders/people_file.h"
#include "encoders/prepared_images.h"
#include "encoders/shard_record.h"
#include "rows/npy.h"

namespace dppl {
namespace {

std::vector<uint64_t> all_rows_of(const ImageSource& source, const EmbedOptions& options) {
  if (options.rows) {
    for (const uint64_t row : *options.rows) {
      if (row >= source.size()) {
        throw InvalidRecord("rows: one is not the number of an image",
                            fmt::format("{} where there are {} images", row, source.size()));
      }
    }
    return *options.rows;
  }
  std::vector<uint64_t> rows(source.size());
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// What a model makes of an image may depend, in the last bit, on the images of its batch: parts have whole batches.
std::vector<uint64_t> rows_of(const ImageSource& source, const EmbedOptions& options) {
  std::vector<uint64_t> rows = all_rows_of(source, options);
  const Slice::Range part = options.shard.value_or(Slice{}).of(rows.size(), options.batch, "images");
  const auto at = [&](size_t place) { return rows.begin() + static_cast<std::ptrdiff_t>(place); };
  return {at(part.begin), at(part.end)};
}

std::string identity_of(const ImageSource& source, const Encoder& encoder, const EmbedOptions& options,
                        std::span<const uint64_t> rows) {
  return fmt::format("{}\n{}\n{} {} {}\n", source.fingerprint(), encoder.description(), to_string(options.dtype),
                     options.batch, to_hex(digest_of(std::as_bytes(rows))));
}

class Embedding {
 public:
  Embedding(const ImageSource& source, Encoder& encoder, const EmbedOptions& options)
      : source_(source),
        encoder_(encoder),
        options_(options),
        rows_(rows_of(source, options)),
        row_size_(encoder.dim() * item_size(options.dtype)),
        labels_(source, rows_, options),
        people_(source, rows_, options),
        file_(options.output, identity_of(source, encoder, options, rows_), rows_.size(), kNpyHeaderSize, row_size_) {
    if (!options.people.empty() && options.people == labels_.names_path()) {
      throw InvalidInput(
          fmt::format("{}: the names of the classes go there; name another file for people's ids", options.people));
    }
    if (file_.replaced()) {
      note(fmt::format("{}.partial is of other images, another encoder or other options; starting anew",
                       options.output));
    }
    if (!encoder.note().empty()) note(encoder.note());
  }

  EmbedResult run() {
    if (std::optional<EmbedResult> done = found()) return *done;
    const size_t begin = file_.state().images;
    if (begin > 0) note(fmt::format("going on after {} of {} images", begin, rows_.size()));
    if (!options_.skip_bad && !file_.state().bad.empty()) refuse_bad();
    try {
      encode_from(begin);
    } catch (...) {
      if (file_.state().images > begin) file_.checkpoint();
      throw;
    }
    return finish(begin);
  }

 private:
  void note(const std::string& what) const {
    if (options_.note) options_.note(what);
  }

  // The shard that an earlier run has finished.
  std::optional<EmbedResult> found() {
    if (!options_.shard || !std::filesystem::is_regular_file(options_.output)) return std::nullopt;
    const std::optional<ShardRecord> record = read_record();
    if (!record || record->identity != identity() || !record->fits(rows_.size()) ||
        (!options_.skip_bad && !record->bad.empty()))
      return std::nullopt;
    if (to_hex(digest_of(MappedFile(options_.output).bytes())) != record->output) return std::nullopt;
    if (!labels_.are_written(record->bad)) labels_.commit(record->bad);
    if (!people_.is_written(record->bad)) people_.commit(record->bad);
    note(fmt::format("{}: is there already, whole and made of the same images", options_.output));
    return result_of(rows_.size(), record->rows, record->bad);
  }

  std::optional<ShardRecord> read_record() const {
    const std::string path = ShardRecord::path_for(options_.output);
    if (!std::filesystem::is_regular_file(path)) return std::nullopt;
    return ShardRecord::parse(MappedFile(path).text());
  }

  std::string identity() const { return to_hex(digest_of(identity_of(source_, encoder_, options_, rows_))); }

  EmbedResult result_of(size_t resumed_at, size_t rows, const std::vector<uint64_t>& bad) const {
    EmbedResult result{rows_.size(), rows, encoder_.dim(), resumed_at, {}, labels_.names_path()};
    for (const uint64_t image : bad) result.skipped.push_back(source_.name(rows_[image]));
    return result;
  }

  void encode_from(size_t begin) {
    PreparedImages images(source_, encoder_, rows_, begin, options_.batch, options_.threads);
    auto saved = std::chrono::steady_clock::now();
    while (PreparedImages::Batch* batch = images.next()) {
      const std::vector<uint64_t> bad = close_gaps(*batch);
      if (!bad.empty() && !options_.skip_bad) refuse_bad(batch->first + batch->count);
      append(*batch, bad);
      if (options_.progress) options_.progress(file_.state().images - begin, rows_.size() - begin);
      const auto now = std::chrono::steady_clock::now();
      if (std::chrono::duration<double>(now - saved).count() < options_.checkpoint_seconds) continue;
      file_.checkpoint();
      saved = now;
    }
  }

  // Moves the inputs that could be prepared together, and tells of the others.
  std::vector<uint64_t> close_gaps(PreparedImages::Batch& batch) {
    const size_t size = encoder_.input_size();
    std::vector<uint64_t> bad;
    for (size_t i = 0; i < batch.count; ++i) {
      if (!batch.refusal[i].empty()) {
        bad.push_back(batch.first + i);
        tell(batch.refusal[i]);
      } else if (!bad.empty()) {
        std::memmove(batch.inputs.data() + (i - bad.size()) * size, batch.inputs.data() + i * size,
                     size * sizeof(float));
      }
    }
    return bad;
  }

  void tell(const std::string& refusal) {
    if (told_++ == 0) first_refusal_ = refusal;
    if (options_.bad_image) options_.bad_image(refusal);
  }

  void append(const PreparedImages::Batch& batch, const std::vector<uint64_t>& bad) {
    const size_t good = batch.count - bad.size();
    values_.resize(good * encoder_.dim());
    if (good > 0) encoder_.encode(std::span(batch.inputs).first(good * encoder_.input_size()), good, values_);
    check_finite();
    file_.append(stored(), batch.count, bad);
  }

  void check_finite() const {
    const auto limit = options_.dtype == DType::float16 ? 65504.0f : std::numeric_limits<float>::max();
    const bool all = std::all_of(values_.begin(), values_.end(), [=](float value) { return std::abs(value) <= limit; });
    if (all) return;
    throw InvalidInput(
        fmt::format("{}: the encoder gave a value that is not finite{}", options_.output,
                    options_.dtype == DType::float16 ? " as float16; use float32" : "; check its preprocessing"));
  }

  std::span<const std::byte> stored() {
    if (options_.dtype == DType::float32) return std::as_bytes(std::span(values_));
    halves_.resize(values_.size());
    std::transform(values_.begin(), values_.end(), halves_.begin(), float_to_half);
    return std::as_bytes(std::span(halves_));
  }

  // Reads the rest too, so that all that cannot be read is known at once.
  [[noreturn]] void refuse_bad(size_t from) {
    std::vector<std::string> refusals(rows_.size() - from);
    parallel_blocks(refusals.size(), 16, options_.threads, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        try {
          source_.read_at_least(rows_[from + i], encoder_.least_size());
        } catch (const Error& error) {
          refusals[i] = error.what();
        }
      }
    });
    for (const std::string& refusal : refusals) {
      if (!refusal.empty()) tell(refusal);
    }
    const bool kept = file_.state().images > 0;
    throw InvalidRecord(
        fmt::format("{}: {} of {} images cannot be read; mend or remove them, or skip what "
                    "cannot be read{}",
                    options_.output, told_, rows_.size(),
                    kept ? fmt::format(" (rows before them are kept in {}.partial)", options_.output) : ""),
        "the first is " + first_refusal_);
  }

  // An earlier run skipped images; this one must not.
  [[noreturn]] void refuse_bad() {
    for (const uint64_t image : file_.state().bad) tell(source_.name(rows_[image]) + ": could not be read before");
    throw InvalidRecord(
        fmt::format("{}: an earlier run left out {} images that cannot be read; skip them again, or mend "
                    "them and remove {}.partial",
                    options_.output, told_, options_.output),
        "the first is " + first_refusal_);
  }

  EmbedResult finish(size_t begin) {
    const PartialState& state = file_.state();
    if (state.rows == 0) throw InvalidInput(fmt::format("{}: no image could be read", options_.output));
    EmbedResult result = result_of(begin, state.rows, state.bad);
    const std::string header = npy_header(options_.dtype, std::vector<uint64_t>{state.rows, encoder_.dim()});
    labels_.commit(state.bad);
    people_.commit(state.bad);
    // Before the rows: without them the record means nothing, and they without it would be encoded again.
    if (options_.shard) write_record(header);
    file_.commit(header);
    return result;
  }

  void write_record(const std::string& header) {
    const PartialState& state = file_.state();
    const ShardRecord record{identity(), to_hex(file_.digest(header)), state.rows, state.bad};
    AtomicFile(ShardRecord::path_for(options_.output)).commit(record.to_text());
  }

  const ImageSource& source_;
  Encoder& encoder_;
  const EmbedOptions& options_;
  const std::vector<uint64_t> rows_;
  const size_t row_size_;
  LabelFiles labels_;
  PeopleFile people_;
  PartialFile file_;
  std::vector<float> values_;
  std::vector<uint16_t> halves_;
  size_t told_ = 0;
  std::string first_refusal_;
};

}  // namespace

EmbedResult embed(const ImageSource& source, Encoder& encoder, const EmbedOptions& options) {
  if (options.dtype != DType::float32 && options.dtype != DType::float16) {
    throw InvalidInput("embeddings are written as float32 or float16");
  }
  if (options.batch == 0) throw InvalidInput("batch: must be at least 1");
  const size_t images = options.rows ? options.rows->size() : source.size();
  if (images == 0) throw InvalidInput(fmt::format("{}: there are no images to encode", options.output));
  return Embedding(source, encoder, options).run();
}

}  // namespace dppl
