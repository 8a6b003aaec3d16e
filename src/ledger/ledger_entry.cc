#include "ledger/ledger_entry.h"

#include <fmt/format.h>

#include "base/digest.h"

namespace dppl {
namespace {

// Writes or reads the columns of one entry in order, so that a field and its column cannot drift apart.
class Writer {
 public:
  void text(std::string value) { fields_.at(next_++) = std::move(value); }
  void number(const std::optional<Rational>& value) {
    std::string exact = value ? to_string(*value) : "";
    // What could not be read back must not be written.
    if (value) parse_rational(exact, kEntryColumns.at(next_));
    text(std::move(exact));
  }
  EntryFields take() { return std::move(fields_); }

 private:
  EntryFields fields_;
  size_t next_ = 0;
};

class Reader {
 public:
  explicit Reader(const EntryFields& fields) : fields_(fields) {}
  const std::string& peek() const { return fields_.at(next_); }
  const std::string& text() { return fields_.at(next_++); }
  std::optional<Rational> number() {
    const std::string_view column = kEntryColumns.at(next_);
    const std::string& value = text();
    if (value.empty()) return {};
    return parse_rational(value, column);
  }
  template <typename T, size_t N>
  T one_of(const std::array<T, N>& choices) {
    const std::string_view column = kEntryColumns.at(next_);
    const std::string& value = text();
    for (const T choice : choices) {
      if (to_string(choice) == value) return choice;
    }
    throw InvalidInput(fmt::format("column {} holds an unknown word", column));
  }
  bool flag() {
    const std::string_view column = kEntryColumns.at(next_);
    const std::string& value = text();
    if (value != "true" && value != "false") throw InvalidInput(fmt::format("column {} holds an unknown word", column));
    return value == "true";
  }
  uint64_t row() {
    const std::optional<Rational> value = number();
    if (!value) return 0;
    if (value->get_den() != 1 || *value <= 0 || !value->get_num().fits_ulong_p()) {
      throw InvalidInput("column reservation does not hold the number of a row");
    }
    return value->get_num().get_ui();
  }

 private:
  const EntryFields& fields_;
  size_t next_ = 0;
};

void write_guarantee(Writer& out, const Guarantee& guarantee) {
  out.number(guarantee.epsilon);
  out.number(guarantee.bounded_range);
  out.number(guarantee.rho);
  out.number(guarantee.mu_squared);
  const auto& pair = guarantee.approximate;
  out.number(pair ? std::optional(pair->epsilon) : std::nullopt);
  out.number(pair ? std::optional(pair->delta) : std::nullopt);
  out.text(guarantee.is_private ? "true" : "false");
}

Guarantee read_guarantee(Reader& in, Relation relation) {
  Guarantee guarantee;
  guarantee.relation = relation;
  guarantee.epsilon = in.number();
  guarantee.bounded_range = in.number();
  guarantee.rho = in.number();
  guarantee.mu_squared = in.number();
  const std::optional<Rational> epsilon = in.number(), delta = in.number();
  if (epsilon && delta) guarantee.approximate = {*epsilon, *delta};
  guarantee.is_private = in.flag();
  return guarantee;
}

void append_sized(std::string& encoded, std::string_view field) {
  for (int i = 0; i < 8; ++i) encoded.push_back(static_cast<char>(field.size() >> (8 * i) & 0xff));
  encoded.append(field);
}

}  // namespace

std::string_view to_string(Ledger::Kind kind) {
  switch (kind) {
    case Ledger::Kind::dataset:
      return "dataset";
    case Ledger::Kind::reserve:
      return "reserve";
    case Ledger::Kind::record:
      return "record";
  }
  return "";
}

EntryFields to_fields(const Ledger::Entry& entry) {
  Writer out;
  out.text(std::string(to_string(entry.kind)));
  out.text(entry.dataset);
  out.text(entry.reservation == 0 ? "" : std::to_string(entry.reservation));
  out.text(std::string(to_string(entry.budget.notion)));
  out.number(entry.budget.amount);
  out.number(entry.budget.delta);
  out.text(std::string(to_string(entry.budget.relation)));
  write_guarantee(out, entry.guarantee);
  out.text(entry.purpose);
  out.text(entry.time);
  out.text(entry.model_digest);
  out.text(entry.previous);
  return out.take();
}

Ledger::Entry from_fields(const EntryFields& fields) {
  using Kind = Ledger::Kind;
  Reader in(fields);
  Ledger::Entry entry;
  entry.kind = in.one_of(std::array{Kind::dataset, Kind::reserve, Kind::record});
  entry.dataset = in.text();
  entry.reservation = in.row();
  if (in.peek() == "gdp") throw RetiredNotion();
  entry.budget.notion = in.one_of(std::array{Notion::pure, Notion::zcdp, Notion::approximate});
  entry.budget.amount = in.number().value_or(0);
  entry.budget.delta = in.number().value_or(0);
  entry.budget.relation =
      in.one_of(std::array{Relation::add_remove, Relation::replace_in_class, Relation::add_remove_person});
  entry.guarantee = read_guarantee(in, entry.budget.relation);
  entry.purpose = in.text();
  entry.time = in.text();
  entry.model_digest = in.text();
  entry.previous = in.text();
  return entry;
}

std::string entry_digest(uint64_t sequence, const EntryFields& fields) {
  std::string encoded;
  append_sized(encoded, "dppl ledger entry 1");
  append_sized(encoded, std::to_string(sequence));
  for (const std::string& field : fields) append_sized(encoded, field);
  return to_hex(digest_of(encoded));
}

std::string first_previous() { return to_hex(Digest{}); }

}  // namespace dppl
