// SPDX-License-Identifier: MIT
#include "client/runs/batch_members.h"

#include <utility>

#include "client/runs/run_files.h"
#include "client/runs/run_items.h"

namespace filecall::client {

Result<BatchMembers> BatchMembers::of(const spool::Layout& layout, std::string batch) {
  BatchMembers members;
  members.batch_ = std::move(batch);
  if (members.batch_.empty()) return members;
  TRY_ASSIGN(const auto records, RunFiles(layout).list());
  for (const RunRecord& record : records) {
    if (record.plan.name != members.batch_) continue;
    TRY(RunItems(layout, record).each([&](const RunItem& item) -> Result<bool> {
      members.listed_.insert(item.request_id);
      return true;
    }));
  }
  return members;
}

}  // namespace filecall::client
