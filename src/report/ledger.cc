#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/constants.h"
#include "report/page.h"
#include "report/sections.h"
#include "report/table.h"

namespace dppl {
namespace {

void write_balance(HtmlWriter& out, const Ledger::Balance& balance) {
  out.element("dl", {{"class", "balance"}}, [&] {
    write_fact(out, "may be spent", describe(balance.unit, balance.limit, Rounding::down));
    write_fact(out, "is spent", describe(balance.unit, balance.spent, Rounding::up));
    write_fact(out, "remains", describe(balance.unit, balance.remaining, Rounding::down));
  });
  const Rational &limit = balance.limit.value, &spent = balance.spent.value;
  write_bar(out, limit > 0 ? Rational(spent / limit).get_d() : 1);
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

// What a model was released under. Its file names the reservation; that it is the one which was released for it, the
// ledger says.
const Ledger::Entry* reservation_of(const Model& model, const std::vector<Ledger::Entry>& entries) {
  const std::string digest = model_digest(model);
  for (const Ledger::Entry& reserved : entries) {
    if (reserved.kind != Ledger::Kind::reserve || reserved.digest != model.ledger_entry) continue;
    const auto is_release = [&](const Ledger::Entry& entry) {
      return entry.kind == Ledger::Kind::record && entry.reservation == reserved.sequence &&
             entry.model_digest == digest;
    };
    if (std::any_of(entries.begin(), entries.end(), is_release)) return &reserved;
  }
  return nullptr;
}

using Models = std::map<const Ledger::Entry*, std::string>;  // on this page, by their reservations

void write_entries(HtmlWriter& out, const std::vector<Ledger::Entry>& entries, const Models& models) {
  Table table{{"row", "time (UTC)", "entry", "model on this page"}};
  for (const Ledger::Entry& entry : entries) {
    const auto model = models.find(&entry);
    table.rows.push_back({{std::to_string(entry.sequence)},
                          {entry.time, ""},
                          {entry_words(entry), "", {}, entry.guarantee.is_private ? "" : kNotPrivate},
                          {model == models.end() ? "" : model->second, ""}});
  }
  write_table(out, "Entries of the ledger", table);
}

}  // namespace

void write_ledger(HtmlWriter& out, const Report& report) {
  if (!report.ledger) return;
  const ReportedLedger& ledger = *report.ledger;
  Models models;
  std::string missing;
  for (const ReportedModel& one : report.models) {
    const Ledger::Entry* reservation = reservation_of(one.model, ledger.entries);
    if (reservation) {
      models.emplace(reservation, one.name);
    } else if (!one.model.public_only()) {
      missing += (missing.empty() ? "" : ", ") + one.name;
    }
  }
  section(out, "ledger", "The ledger", [&] {
    out.paragraph(
        fmt::format("What the data set '{}' may cost each {} in all, and what it has cost so far. A release is "
                    "written down here before a mechanism runs, and is refused where it "
                    "would go beyond the total. The total cannot be changed.",
                    ledger.status.dataset, unit_of(ledger.status.total.relation)));
    write_balance(out, ledger.status.balance);
    if (!missing.empty()) out.paragraph(fmt::format("Not entered for this data set: {}.", missing), "warning");
    if (ledger.entries.size() <= kOpenEntries) {
      write_entries(out, ledger.entries, models);
    } else {
      out.element("details", {}, [&] {
        out.text_element("summary", fmt::format("All {} entries", ledger.entries.size()));
        write_entries(out, ledger.entries, models);
      });
    }
    out.element("p", {{"class", "note"}}, [&] {
      out.text("Rows form a chain; its head is ");
      out.text_element("code", ledger.head);
      out.text(". Noted elsewhere, it shows any later change to the past: the ledger is verified against it.");
    });
  });
}

}  // namespace dppl
