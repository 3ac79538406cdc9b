// SPDX-License-Identifier: MIT
#include "client/report/items/item_json.h"
#include "client/report/items/report_format.h"

namespace filecall::client {
namespace {

class JsonFormat final : public ReportFormat {
 public:
  std::string item(const ReportItem& item) override {
    std::string text = is_first_ ? "\n" : ",\n";
    is_first_ = false;
    return text + dump_json(item_json(item));
  }
  std::string head(const ReportTally& tally) override {
    std::string text = dump_json(report_json(tally), 1);
    text.resize(text.size() - 2);  // The object is continued: without "\n}".
    return text + ",\n \"items\": [";
  }
  std::string tail(const ReportTally&) override { return "\n]}\n"; }

 private:
  bool is_first_ = true;
};

}  // namespace

std::unique_ptr<ReportFormat> json_format() { return std::make_unique<JsonFormat>(); }

}  // namespace filecall::client
