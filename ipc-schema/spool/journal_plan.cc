// SPDX-License-Identifier: MIT
#include "spool/journal_plan.h"

namespace filecall::spool {
namespace {

using Found = RepairFacts::Response;
using ResponseRepair = RepairPlan::Response;
using Start = RepairPlan::Start;

ResponseRepair restore_response(const RepairFacts& facts) {
  switch (facts.response) {
    case Found::kMissing:
      // Who removed the request has no use for an answer.
      return facts.has_request ? ResponseRepair::kPublish : ResponseRepair::kLeave;
    case Found::kSame:
      return facts.is_suspect ? ResponseRepair::kReplace : ResponseRepair::kLeave;
    case Found::kTorn:
      return ResponseRepair::kReplace;
    case Found::kOlder:
      // A publication never replaces, so the name was free: the older one had been deleted, and
      // only its deletion was lost.
      return ResponseRepair::kDisplace;
    case Found::kOther:
      return ResponseRepair::kLeave;
  }
  return ResponseRepair::kLeave;
}

/// Every name is as it was left; only bytes may not have reached the disk.
RepairPlan complete(const RepairFacts& facts) {
  if (facts.last != RecordKind::kAnswer) return {};
  if (facts.response == Found::kMissing && facts.is_unpublished && facts.has_request) {
    return {ResponseRepair::kPublish, Start::kRemove};
  }
  const bool is_ours = facts.response == Found::kSame || facts.response == Found::kTorn;
  if (!facts.is_suspect || !is_ours) return {};
  return {ResponseRepair::kReplace, Start::kLeave};
}

}  // namespace

RepairPlan plan_repair(const RepairFacts& facts) {
  if (!facts.is_cache_lost) return complete(facts);
  if (facts.last == RecordKind::kAnswer) return {restore_response(facts), Start::kRemove};
  RepairPlan plan;
  // Withdrawn or started again: the response had been deleted. Whole, it is the deleter's to know
  // again; torn, it is of no use to anybody.
  if (facts.response == Found::kTorn) plan.response = ResponseRepair::kRemove;
  const bool is_answered = facts.response != Found::kTorn && facts.response != Found::kMissing;
  if (facts.last == RecordKind::kWithdrawn) {
    plan.start = Start::kRemove;
  } else if (!is_answered && facts.has_request) {
    plan.start = Start::kWrite;
  }
  return plan;
}

}  // namespace filecall::spool
