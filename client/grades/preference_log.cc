// SPDX-License-Identifier: MIT
#include "client/grades/preference_log.h"

#include <utility>

#include "client/grades/line_file.h"

namespace filecall::client {

Result<PreferenceLog> PreferenceLog::open(const spool::Layout& layout, std::string_view evaluation,
                                          const TokenPrices& prices) {
  PreferenceLog log;
  DamagedLines damaged;
  const auto take = [&](std::string_view text, std::int64_t offset) -> Result<void> {
    auto record = parse_pair_record(text);
    if (!record) {
      damaged.add(offset);
    } else if (evaluation.empty() || record->evaluation == evaluation) {
      record->questions = pair_questions(record->verdict.judges, prices);
      record->verdict.judges = Json::array();
      log.records_.push_back(std::move(*record));
    }
    return {};
  };
  TRY(each_line_of(layout.preferences(), take));
  log.damage_ = damaged.sentence(layout.preferences());
  return log;
}

}  // namespace filecall::client
