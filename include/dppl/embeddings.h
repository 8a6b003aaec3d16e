#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// Embeddings, labels and class sets: how data comes in from files (NumPy's .npy) or from the caller's memory, and how
// arrays go out. Every reader throws IoError when the operating system refuses and InvalidInput when the contents
// cannot be used; the message names the file. Files are memory-mapped and memory is looked at where it is, never copied
// whole: so a file may be larger than memory, and neither may be changed while it is in use.
namespace dppl {

enum class DType : uint8_t {
  float16,
  float32,
  float64,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  boolean
};
std::string_view to_string(DType dtype);  // as NumPy says it: "float32"
size_t item_size(DType dtype);

inline constexpr unsigned kDefaultThreads = 2;

// A matrix in memory that is somebody else's: row i begins i·row_stride bytes after `data`, and its values lie side by
// side in the machine's byte order. Strides are in bytes, as NumPy counts them. A transposed or reversed matrix, and
// rows that overlap, are refused where the matrix is used.
struct MatrixView {
  const void* data = nullptr;
  size_t rows = 0, dim = 0;
  DType dtype = DType::float32;
  std::optional<ptrdiff_t> row_stride = {};    // empty: the rows lie side by side
  std::optional<ptrdiff_t> value_stride = {};  // empty: the values do; anything else is refused

  // All of `values`, in rows of `dim`. Throws InvalidInput when they do not make whole rows.
  static MatrixView of(std::span<const float> values, size_t dim);
};

class MappedFile;

// A matrix of embeddings, one per row: float16, float32, float64, int8 or uint8. Values are not checked here; see
// PrivateData and PublicData.
class Embeddings {
 public:
  // A .npy file of version 1, 2 or 3: two dimensions, C order, little endian.
  static Embeddings open(const std::string& path);
  // Several of them, one after the other; at least one.
  static Embeddings open_all(const std::vector<std::string>& paths);
  // Matrices of one type and dimension, one after the other; at least one. `name` stands for them in messages.
  static Embeddings joined(std::vector<Embeddings> parts, std::string name);
  static Embeddings from_memory(std::vector<float> values, size_t dim);
  // Rows that are elsewhere and are not copied. `owner` keeps them alive; without one the caller does, for as long as
  // these embeddings live. `name` stands for them in messages.
  static Embeddings view(const MatrixView& matrix, std::shared_ptr<const void> owner = nullptr,
                         std::string name = "embeddings in memory");

  Embeddings(Embeddings&&) noexcept = default;
  Embeddings& operator=(Embeddings&&) noexcept = default;
  Embeddings(const Embeddings&) = delete;
  Embeddings& operator=(const Embeddings&) = delete;

  size_t rows() const { return rows_; }
  size_t dim() const { return dim_; }
  DType dtype() const { return dtype_; }
  const std::string& path() const { return path_; }

  // A row as stored. Not aligned to the item size if the file's header, or the memory, is not.
  std::span<const std::byte> row_bytes(size_t i) const { return {start_of(i), row_size_}; }

  // Row i as float32: exact for every type but float64, which is rounded to nearest. `out` holds dim() values.
  void row(size_t i, std::span<float> out) const;
  // The same without a copy where aligned float32 is stored; otherwise converted into `scratch`.
  std::span<const float> row_view(size_t i, std::span<float> scratch) const;

  // Advice to the system, which changes no value: rows of files that will soon be read, and rows that were read. The
  // latter's memory is given back where the files in use are larger than what should stay in memory.
  void expect(size_t begin, size_t end) const;
  void give_back(size_t begin, size_t end) const;

 private:
  friend class PublicData;
  Embeddings(std::shared_ptr<const void> owner, const std::byte* data, size_t rows, size_t dim, size_t row_stride,
             DType dtype, std::string path);

  struct Parts;
  const std::byte* start_of(size_t i) const { return parts_ ? start_in_parts(i) : data_ + i * row_stride_; }
  const std::byte* start_in_parts(size_t i) const;
  template <typename Advise>
  void advise(size_t begin, size_t end, Advise advise) const;

  std::shared_ptr<const void> owner_;   // keeps data_ alive; null: the caller does
  const MappedFile* file_ = nullptr;    // where data_ is, if it is a file
  std::shared_ptr<const Parts> parts_;  // where there are several; data_ is null then
  const std::byte* data_;
  size_t rows_, dim_, row_size_, row_stride_;
  DType dtype_;
  std::string path_;
};

// The declared set of labels. Public, and never derived from private data.
class ClassSet {
 public:
  static constexpr size_t kMaxSize = 1'000'000;

  static ClassSet numbered(size_t size);                     // classes "0" … "size−1"
  static ClassSet named(std::vector<std::string> names);     // UTF-8; no blank name, duplicate or control character
  static ClassSet read(const std::string& path);             // one name per line
  static ClassSet parse(const std::string& number_or_path);  // numbered(), or read() where it is no number

  size_t size() const { return size_; }
  std::string name(size_t i) const;
  std::vector<std::string> names() const;  // of all, in order
  bool has_names() const { return names_ != nullptr; }
  std::optional<int64_t> find(std::string_view name) const;
  bool contains(int64_t label) const { return label >= 0 && static_cast<uint64_t>(label) < size_; }

 private:
  struct Names;
  ClassSet(size_t size, std::shared_ptr<const Names> names) : size_(size), names_(std::move(names)) {}
  size_t size_;
  std::shared_ptr<const Names> names_;  // null: numbered
};

// One-dimensional .npy of any integer type or bool, unchecked.
std::vector<int64_t> read_labels(const std::string& path);
// Labels within a class set: a .npy of class numbers, or a .txt of class names, one per line.
std::vector<int64_t> read_labels(const std::string& path, const ClassSet& classes);
// Whose record each row is, one number per person: a .npy of integers from 0 on or of names, or a .txt of names, one
// per line. A missing id (a number below 0, a blank line, "nan", "None") is refused, and so is a name with a blank at
// either end, which would make two people of one.
std::vector<int64_t> read_people(const std::string& path);
// Distinct row numbers below `limit`, in the file's order. A row named twice is refused: that record would count twice,
// and the noise is made for records that count once.
std::vector<uint64_t> read_rows(const std::string& path, uint64_t limit);

// Whole arrays out. A file appears complete or not at all, and replaces an older one of the same name.
void write_npy(const std::string& path, std::span<const float> values, size_t dim);
void write_npy(const std::string& path, std::span<const int32_t> values);
void write_npy(const std::string& path, std::span<const int64_t> values);

class AtomicFile;

// The same for a float32 matrix that comes row by row. Without commit() nothing is left behind.
class NpyRowsWriter {
 public:
  NpyRowsWriter(const std::string& path, size_t dim);
  ~NpyRowsWriter();
  NpyRowsWriter(NpyRowsWriter&&) noexcept;
  NpyRowsWriter& operator=(NpyRowsWriter&&) noexcept;

  void append(std::span<const float> rows);  // one or more whole rows
  void commit();

 private:
  std::unique_ptr<AtomicFile> file_;
  size_t dim_, rows_ = 0;
};

class People;

// The private records: embeddings, labels, and which of the rows take part. It cannot be copied, printed or serialised,
// and even the number of records is private: what it holds leaves only through a mechanism, which reads it through
// PrivateAccess (src/rows/private_access.h).
//
// Every maker checks everything that could fail later, so that bad records never cost budget: as many labels as rows,
// every label in the class set, every value of a chosen row finite as float32, no chosen row all zero. A data set
// without records is valid.
//
// With people, privacy is for all records of a person together (Relation::add_remove_person); without, for each record
// (Relation::add_remove). A budget for the other is refused.
class PrivateData {
 public:
  struct Files {
    std::string embeddings, labels;  // .npy; labels also .txt
    std::string rows = {};           // use only these rows (.npy); empty: all
    std::string people = {};         // whose record each row is (.npy or .txt); empty: privacy for records
  };
  static PrivateData open(const Files& files, ClassSet classes, unsigned threads = kDefaultThreads);
  static PrivateData from_memory(std::vector<float> values, size_t dim, std::vector<int64_t> labels, ClassSet classes,
                                 unsigned threads = kDefaultThreads);

  // Rows and labels of the caller's. The rows are not copied: they stay alive and unchanged as long as this does, by
  // `owner` where one is given. The labels are copied.
  static PrivateData view(const MatrixView& rows, std::span<const int64_t> labels, ClassSet classes,
                          std::shared_ptr<const void> owner = nullptr, unsigned threads = kDefaultThreads);

  // The same records, for privacy of people: one id per record, from 0 on, equal for records of one person.
  PrivateData with_people(std::span<const int64_t> ids) &&;

  PrivateData(PrivateData&&) noexcept;
  PrivateData& operator=(PrivateData&&) noexcept;
  PrivateData(const PrivateData&) = delete;
  PrivateData& operator=(const PrivateData&) = delete;
  ~PrivateData();

  size_t dim() const { return embeddings_.dim(); }
  const ClassSet& classes() const { return classes_; }

  template <typename Stream>
  friend Stream& operator<<(Stream&, const PrivateData&) = delete;

 private:
  friend class PrivateAccess;
  PrivateData(Embeddings embeddings, std::vector<int64_t> labels, std::optional<std::vector<uint64_t>> rows,
              ClassSet classes, unsigned threads);

  Embeddings embeddings_;
  std::vector<int64_t> labels_;                // of the rows that take part
  std::optional<std::vector<uint64_t>> rows_;  // empty: all
  ClassSet classes_;
  std::unique_ptr<const People> people_;  // null: every record is on its own
};

// The public pool: a .npy, with the same checks of its rows, a pool file or a manifest of several (dppl/pool.h); at
// least one row. Copies share the data.
class PublicData {
 public:
  static PublicData open(const std::string& path, unsigned threads = kDefaultThreads);
  static PublicData from_memory(std::vector<float> values, size_t dim, unsigned threads = kDefaultThreads);
  // Rows of the caller's, which are not copied: they stay alive and unchanged as long as this and its copies do, by
  // `owner` where one is given.
  static PublicData view(const MatrixView& rows, std::shared_ptr<const void> owner = nullptr,
                         unsigned threads = kDefaultThreads);

  size_t size() const;
  size_t dim() const;  // of the encoder, before any transform
  // The rows as they are stored: in a pool file after its transform.
  const Embeddings& embeddings() const;
  // BLAKE2b-256, in hex: of type, shape and values of a matrix, the same in a file as in memory, read whole the first
  // time; of a pool file or a manifest the digest that `dppl pool info` shows, the same however the rows are cut into
  // files. Safe from any thread.
  const std::string& digest() const;

 private:
  friend class PublicAccess;
  struct State;
  explicit PublicData(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace dppl
