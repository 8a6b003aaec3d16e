#include "audit/neighbours.h"

#include "random/simulation.h"

namespace dppl {
namespace {

constexpr size_t kDim = 8, kClasses = 3;

void add(Neighbours& to, const std::vector<float>& row, int64_t label) {
  to.values.insert(to.values.end(), row.begin(), row.end());
  to.labels.push_back(label);
}

std::vector<float> around_axis(size_t dim, size_t axis, float length, double width, Random& random) {
  std::vector<float> row(dim);
  for (float& value : row) value = static_cast<float>(width * normal(random));
  row[axis] += length;
  return row;
}

std::vector<float> along_axis(size_t axis, float length) {
  std::vector<float> row(kDim);
  row[axis] = length;
  return row;
}

Neighbours empty(std::string words) {
  return {.words = std::move(words), .dim = kDim, .classes = kClasses, .values = {}, .labels = {}};
}

}  // namespace

PrivateData Neighbours::data(int world) const {
  const size_t records = labels.size() - (world == 0 ? joining : 0);
  const auto end = [](const auto& all, size_t count) { return all.begin() + static_cast<std::ptrdiff_t>(count); };
  PrivateData data = PrivateData::from_memory({values.begin(), end(values, records * dim)}, dim,
                                              {labels.begin(), end(labels, records)}, ClassSet::numbered(classes), 1);
  return people.empty() ? std::move(data) : std::move(data).with_people(std::span(people).first(records));
}

Neighbours at_the_rim(size_t others_of_class) {
  Neighbours result =
      empty("a record at the rim joins " + (others_of_class == 0   ? std::string("an empty class")
                                            : others_of_class == 1 ? std::string("a class of one")
                                                                   : "a class of " + std::to_string(others_of_class)));
  SeededRandom random(1);
  for (size_t i = 0; i < others_of_class; ++i) add(result, around_axis(kDim, 2, 1, 0.3, random), 0);
  for (size_t i = 0; i < 30; ++i) add(result, around_axis(kDim, 1, 1, 0.1, random), 1);
  // Long enough that a fit which forgets to clip shows it.
  add(result, along_axis(0, 1000), 0);
  return result;
}

Neighbours first_of_all() {
  Neighbours result = empty("the first record of all joins an empty data set");
  result.classes = 1;
  add(result, along_axis(0, 1), 0);
  return result;
}

Neighbours among_others() {
  Neighbours result = empty("a record of a small class joins in the midst of a large one");
  SeededRandom random(2);
  for (size_t i = 0; i < 10; ++i) add(result, around_axis(kDim, 0, 1, 0.1, random), 0);
  for (size_t i = 0; i < 60; ++i) add(result, around_axis(kDim, 1, 1, 0.05, random), 1);
  add(result, along_axis(1, 1), 0);
  return result;
}

Neighbours anywhere(uint64_t seed) {
  Neighbours result = empty("a random record joins a random class");
  SeededRandom random(seed);
  for (size_t i = 0; i < 41; ++i) {
    add(result, around_axis(kDim, random.next64() % kDim, 1, 0.5, random),
        static_cast<int64_t>(random.next64() % kClasses));
  }
  return result;
}

namespace {

// Two records to a person, and the last `joining` to one of their own.
Neighbours with_people(Neighbours records, size_t joining) {
  const size_t others = records.labels.size() - joining;
  for (size_t i = 0; i < records.labels.size(); ++i) {
    records.people.push_back(static_cast<int64_t>(std::min(i, others) / 2 + (i >= others ? 1 : 0)));
  }
  records.joining = joining;
  return records;
}

}  // namespace

Neighbours person_at_the_rim() {
  Neighbours result = at_the_rim(0);
  const std::vector<float> record(result.record().begin(), result.record().end());
  add(result, record, 0);
  add(result, record, 2);
  result.words = "a person with three records at the rim joins two empty classes";
  return with_people(std::move(result), 3);
}

Neighbours first_person_of_all() {
  Neighbours result = first_of_all();
  result.classes = 2;
  const std::vector<float> record(result.record().begin(), result.record().end());
  add(result, record, 1);
  result.words = "the first person of all has a record in each of two classes";
  return with_people(std::move(result), 2);
}

Neighbours person_among_others() {
  Neighbours result = among_others();
  const std::vector<float> record(result.record().begin(), result.record().end());
  for (int i = 0; i < 2; ++i) add(result, record, 0);
  result.words = "a person with three records of a small class joins in the midst of a large one";
  return with_people(std::move(result), 3);
}

std::vector<float> rows_around_axes(size_t dim, size_t each, uint64_t seed) {
  SeededRandom random(seed);
  std::vector<float> rows;
  for (size_t i = 0; i < 2 * dim * each; ++i) {
    const auto row = around_axis(dim, i / 2 % dim, i % 2 == 0 ? 1.0f : -1.0f, 0.2, random);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  return rows;
}

}  // namespace dppl
