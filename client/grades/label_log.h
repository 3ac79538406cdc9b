// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/eval/human_label.h"
#include "spool/layout.h"

namespace filecall::client {

/// What stands in `eval/labels.jsonl`: people's labels of one evaluation, by requests; of each
/// person's labels of a request and grader the last one. Some 300 bytes a label. Not thread-safe.
class LabelLog {
 public:
  /// `evaluation` empty: of none. A file that is not there is an empty one. Failure: the file's.
  static Result<LabelLog> open(const spool::Layout& layout, std::string_view evaluation);

  std::span<const HumanLabel> of(std::string_view request_id) const;
  bool empty() const { return labels_.empty(); }
  /// For people; empty: every line can be read.
  const std::string& damage() const { return damage_; }

 private:
  void take(HumanLabel label);

  std::map<std::string, std::vector<HumanLabel>, std::less<>> labels_;
  std::string damage_;
};

}  // namespace filecall::client
