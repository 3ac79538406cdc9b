// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/eval/pair_record.h"
#include "spool/layout.h"

namespace filecall::client {

/// What stands in `eval/preferences.jsonl`, of single judges only what they were asked and cost.
/// Some 700 bytes a line. Not thread-safe.
class PreferenceLog {
 public:
  PreferenceLog() = default;
  /// Those of `evaluation`; empty: of all. A file that is not there is an empty one. `prices`: of
  /// judges whose replies noted no cost. Failure: the file's.
  static Result<PreferenceLog> open(const spool::Layout& layout, std::string_view evaluation = {},
                                    const TokenPrices& prices = {});

  /// In the order in which they were written.
  const std::vector<PairRecord>& records() const { return records_; }
  bool empty() const { return records_.empty(); }
  /// For people; empty: every line can be read.
  const std::string& damage() const { return damage_; }

 private:
  std::vector<PairRecord> records_;
  std::string damage_;
};

}  // namespace filecall::client
