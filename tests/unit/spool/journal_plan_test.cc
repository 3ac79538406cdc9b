// SPDX-License-Identifier: MIT
#include "spool/journal_plan.h"

#include <gtest/gtest.h>

namespace filecall::spool {
namespace {

using Found = RepairFacts::Response;
using Response = RepairPlan::Response;
using Start = RepairPlan::Start;
using enum RecordKind;

struct PlanRow {
  RecordKind last;
  Found found;
  bool has_request;
  RepairPlan plan;
};

RepairFacts facts_of(const PlanRow& row) {
  RepairFacts facts;
  facts.last = row.last;
  facts.response = row.found;
  facts.has_request = row.has_request;
  return facts;
}

constexpr Found kAllFound[] = {Found::kMissing, Found::kSame, Found::kTorn, Found::kOlder,
                               Found::kOther};

TEST(PlanRepair, AfterAPowerCut) {
  const PlanRow rows[] = {
      {kAnswer, Found::kMissing, true, {Response::kPublish, Start::kRemove}},
      {kAnswer, Found::kMissing, false, {Response::kLeave, Start::kRemove}},
      {kAnswer, Found::kSame, true, {Response::kLeave, Start::kRemove}},
      {kAnswer, Found::kTorn, true, {Response::kReplace, Start::kRemove}},
      {kAnswer, Found::kTorn, false, {Response::kReplace, Start::kRemove}},
      {kAnswer, Found::kOlder, true, {Response::kDisplace, Start::kRemove}},
      {kAnswer, Found::kOther, true, {Response::kLeave, Start::kRemove}},
      {kStart, Found::kMissing, true, {Response::kLeave, Start::kWrite}},
      {kStart, Found::kMissing, false, {Response::kLeave, Start::kLeave}},
      {kStart, Found::kTorn, true, {Response::kRemove, Start::kWrite}},
      {kStart, Found::kTorn, false, {Response::kRemove, Start::kLeave}},
      {kStart, Found::kOther, true, {Response::kLeave, Start::kLeave}},
      {kWithdrawn, Found::kMissing, true, {Response::kLeave, Start::kRemove}},
      {kWithdrawn, Found::kTorn, true, {Response::kRemove, Start::kRemove}},
      {kWithdrawn, Found::kOther, true, {Response::kLeave, Start::kRemove}},
  };
  for (const PlanRow& row : rows) {
    EXPECT_EQ(plan_repair(facts_of(row)), row.plan)
        << "last " << static_cast<int>(row.last) << ", found " << static_cast<int>(row.found)
        << ", request " << row.has_request;
  }
}

TEST(PlanRepair, WithoutOneLeavesEverythingAsItIs) {
  for (const RecordKind last : {kAnswer, kStart, kWithdrawn}) {
    for (const Found found : kAllFound) {
      RepairFacts facts = facts_of({last, found, true, {}});
      facts.is_cache_lost = false;
      EXPECT_EQ(plan_repair(facts), RepairPlan{});
    }
  }
}

TEST(PlanRepair, WithoutOneStillPublishesWhatNeverWas) {
  for (const RecordKind last : {kAnswer, kStart, kWithdrawn}) {
    for (const Found found : kAllFound) {
      for (const bool has_request : {false, true}) {
        RepairFacts facts = facts_of({last, found, has_request, {}});
        facts.is_cache_lost = false;
        facts.is_unpublished = true;
        const bool is_due = last == kAnswer && found == Found::kMissing && has_request;
        EXPECT_EQ(plan_repair(facts),
                  is_due ? (RepairPlan{Response::kPublish, Start::kRemove}) : RepairPlan{});
      }
    }
  }
}

TEST(PlanRepair, AfterAFailedSyncWritesOursAgainAndNothingElse) {
  for (const RecordKind last : {kAnswer, kStart, kWithdrawn}) {
    for (const Found found : kAllFound) {
      RepairFacts facts = facts_of({last, found, true, {}});
      facts.is_cache_lost = false;
      facts.is_suspect = true;
      const bool is_ours = last == kAnswer && (found == Found::kSame || found == Found::kTorn);
      EXPECT_EQ(plan_repair(facts),
                is_ours ? (RepairPlan{Response::kReplace, Start::kLeave}) : RepairPlan{});
    }
  }
}

}  // namespace
}  // namespace filecall::spool
