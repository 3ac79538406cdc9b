// SPDX-License-Identifier: MIT
#include "client/grades/label_log.h"

#include <algorithm>
#include <utility>

#include "client/grades/line_file.h"

namespace filecall::client {

Result<LabelLog> LabelLog::open(const spool::Layout& layout, std::string_view evaluation) {
  LabelLog log;
  if (evaluation.empty()) return log;
  DamagedLines damaged;
  TRY(each_line_of(layout.labels(),
                   [&](std::string_view text, std::int64_t offset) -> Result<void> {
                     auto label = parse_human_label(text);
                     if (!label) {
                       damaged.add(offset);
                     } else if (label->evaluation == evaluation) {
                       log.take(std::move(*label));
                     }
                     return {};
                   }));
  log.damage_ = damaged.sentence(layout.labels());
  return log;
}

std::span<const HumanLabel> LabelLog::of(std::string_view request_id) const {
  const auto found = labels_.find(request_id);
  if (found == labels_.end()) return {};
  return found->second;
}

void LabelLog::take(HumanLabel label) {
  std::vector<HumanLabel>& all = labels_[label.request_id];
  const auto earlier = std::find_if(all.begin(), all.end(), [&](const HumanLabel& other) {
    return other.grader == label.grader && other.by == label.by;
  });
  if (earlier == all.end()) {
    all.push_back(std::move(label));
  } else {
    *earlier = std::move(label);
  }
}

}  // namespace filecall::client
