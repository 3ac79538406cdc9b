// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "client/report/items/report_item.h"
#include "client/report/items/report_tally.h"

namespace filecall::client {

/// One way to write a report: item() for every item, then head(), what item() returned, tail().
/// So the numbers can stand before the items although the items are read once and not held. Pure;
/// not thread-safe.
class ReportFormat {
 public:
  virtual ~ReportFormat() = default;
  virtual std::string item(const ReportItem& item) = 0;
  virtual std::string head(const ReportTally& tally) = 0;
  virtual std::string tail(const ReportTally& tally) = 0;
};

/// RFC 4180, a line an item; texts through csv_text().
std::unique_ptr<ReportFormat> csv_format();
/// One object, an item a line; `filecall schema report` describes it.
std::unique_ptr<ReportFormat> json_format();
/// JUnit XML: one suite, a case an item. Given up: error. Graded and not passed: failure. Refused,
/// cut, ungraded, pending: skipped. `host`: the suite's hostname.
std::unique_ptr<ReportFormat> junit_format(std::string host);

struct TextFormatOptions {
  bool colour = false;
  std::size_t columns = 100;
  std::size_t items_max = 20;  ///< Items named one by one; those that most need a look.
};
/// For a terminal: tables, and the items that were given up or did worst.
std::unique_ptr<ReportFormat> text_format(const TextFormatOptions& options);

/// One self-contained page: tables as plain HTML, charts by the embedded Chart.js, every item in a
/// table that is searched and paged. It needs no network, and its Content-Security-Policy lets
/// nothing run but its own scripts. `items`: how many there will be; the more, the shorter their
/// texts are cut. `root_link`: the root as seen from the page, for links to files.
std::unique_ptr<ReportFormat> html_format(std::int64_t items, std::string root_link);

}  // namespace filecall::client
