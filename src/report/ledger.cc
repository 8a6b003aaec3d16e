#include <fmt/format.h>

#include <algorithm>

#include "base/digest.h"
#include "report/pieces.h"
#include "report/sections.h"

namespace dppl {
namespace {

constexpr size_t kOpenEntries = 30;  // more of them wait behind a click

double used(const Ledger::Balance& balance) {
  const Rational &limit = balance.limit.value, &spent = balance.spent.value;
  return limit > 0 ? Rational(spent / limit).get_d() : 1;
}

void write_balance(HtmlWriter& out, const Ledger::Balance& balance) {
  out.element("dl", {{"class", "balance"}}, [&] {
    const auto entry = [&](std::string_view name, const Ledger::Amount& amount, Rounding rounding) {
      out.element("div", {}, [&] {
        out.text_element("dt", name);
        out.text_element("dd", describe(balance.unit, amount, rounding));
      });
    };
    entry("may be spent", balance.limit, Rounding::down);
    entry("is spent", balance.spent, Rounding::up);
    entry("remains", balance.remaining, Rounding::down);
  });
  bar(out, used(balance));
}

std::string entry_words(const Ledger::Entry& entry) {
  switch (entry.kind) {
    case Ledger::Kind::dataset:
      return "total of " + entry.budget.describe();
    case Ledger::Kind::reserve:
      return fmt::format("reserved {} for '{}'", entry.budget.describe(), entry.purpose);
    case Ledger::Kind::record:
      break;
  }
  return fmt::format("model of row {} released", entry.reservation);
}

// A model file names its reservation itself; that it is the one which was released for it, the ledger says.
bool is_recorded(const Ledger::Entry& reserved, const std::vector<Ledger::Entry>& entries, const Model& model) {
  const std::string bytes = serialise_model(model);
  const std::string digest = to_hex(digest_of(std::as_bytes(std::span(bytes.data(), bytes.size()))));
  return std::any_of(entries.begin(), entries.end(), [&](const Ledger::Entry& entry) {
    return entry.kind == Ledger::Kind::record && entry.reservation == reserved.sequence && entry.model_digest == digest;
  });
}

// The model on this page that a reservation was for.
std::string model_of(const Report& report, const Ledger::Entry& entry) {
  for (const ReportedModel& one : report.models) {
    if (entry.kind == Ledger::Kind::reserve && one.model.ledger_entry == entry.digest &&
        is_recorded(entry, report.ledger->entries, one.model)) {
      return one.name;
    }
  }
  return "";
}

void write_entry(HtmlWriter& out, const Report& report, const Ledger::Entry& entry) {
  out.element("tr", {}, [&] {
    row_heading(out, std::to_string(entry.sequence));
    out.text_element("td", entry.time);
    out.element("td", {}, [&] {
      out.text(entry_words(entry));
      if (!entry.guarantee.is_private) not_private_mark(out);
    });
    out.text_element("td", model_of(report, entry));
  });
}

void write_entries(HtmlWriter& out, const Report& report) {
  table(out, "Entries of the ledger", {"row", "time (UTC)", "entry", "model on this page"}, [&] {
    for (const Ledger::Entry& entry : report.ledger->entries) write_entry(out, report, entry);
  });
}

// Models that no entry was for.
std::string missing(const Report& report) {
  std::string names;
  for (const ReportedModel& one : report.models) {
    const auto& entries = report.ledger->entries;
    const bool entered =
        !one.model.ledger_entry.empty() && std::any_of(entries.begin(), entries.end(), [&](const Ledger::Entry& entry) {
          return entry.digest == one.model.ledger_entry && is_recorded(entry, entries, one.model);
        });
    if (!entered) names += (names.empty() ? "" : ", ") + one.name;
  }
  return names;
}

}  // namespace

void write_ledger(HtmlWriter& out, const Report& report) {
  if (!report.ledger) return;
  const ReportedLedger& ledger = *report.ledger;
  section(out, "ledger", "The ledger", [&] {
    out.text_element("p",
                     fmt::format("What the data set '{}' may cost in all, and what it has cost so far. A release is "
                                 "written down here before a mechanism runs, and is refused where it "
                                 "would go beyond the total. The total cannot be changed.",
                                 ledger.status.dataset));
    write_balance(out, ledger.status.balance);
    if (const std::string names = missing(report); !names.empty())
      out.text_element("p", fmt::format("Not entered for this data set: {}.", names), {{"class", "warning"}});
    if (ledger.entries.size() <= kOpenEntries) {
      write_entries(out, report);
    } else {
      out.element("details", {}, [&] {
        out.text_element("summary", fmt::format("All {} entries", ledger.entries.size()));
        write_entries(out, report);
      });
    }
    out.element("p", {{"class", "note"}}, [&] {
      out.text("Rows form a chain; its head is ");
      out.text_element("code", ledger.head);
      out.text(". Note it elsewhere: 'dppl ledger verify --head' then finds any later change to the past.");
    });
  });
}

}  // namespace dppl
