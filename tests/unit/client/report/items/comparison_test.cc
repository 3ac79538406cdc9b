// SPDX-License-Identifier: MIT
#include "client/report/items/comparison.h"

#include <gtest/gtest.h>

#include "client/report/items/comparison_output.h"
#include "client/report/items/comparison_rows.h"
#include "client/report/items/item_json.h"
#include "client/report/items/item_source.h"
#include "items.h"

namespace filecall::client {
namespace {

/// One answer an item, named q0, q1, ...
std::vector<ReportItem> answers(const std::string& run, const std::vector<double>& scores,
                                const std::string& model = "m") {
  std::vector<ReportItem> items;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    items.push_back(graded_item(run + "-" + model + std::to_string(i), scores[i]));
    items.back().item = "q" + std::to_string(i);
    items.back().model = model;
    items.back().answer = run + " says";
  }
  return items;
}

ReportTally tally_of(const std::vector<ReportItem>& items) {
  ReportTally tally(kItemStart);
  for (const ReportItem& item : items) tally.add(item);
  tally.finish();
  return tally;
}

RunComparison compared(ReportTally a, ReportTally b) {
  auto comparison = compare_runs(std::move(a), std::move(b), {});
  EXPECT_TRUE(comparison) << comparison.error().message;
  return std::move(*comparison);
}

TEST(SignedText, HasNoSignWhereNothingIsLeft) {
  EXPECT_EQ(signed_text(-1e-17), "+0.000");
  EXPECT_EQ(signed_text(-0.0006), "-0.001");
  EXPECT_EQ(signed_text(0.125), "+0.125");
}

TEST(CompareRuns, ListsRegressionsFirst) {
  const auto items_a = answers("a", {1, 1, 0, 0.5, 0.7});
  const auto items_b = answers("b", {1, 0, 1, 0.25, 0.7});
  RunComparison comparison = compared(tally_of(items_a), tally_of(items_b));
  for (const ReportItem& item : items_a) describe_change(item, ComparedRun::kA, comparison);
  for (const ReportItem& item : items_b) describe_change(item, ComparedRun::kB, comparison);
  ASSERT_EQ(comparison.changes.size(), 3U);
  EXPECT_EQ(comparison.changes[0].item, "q1");
  EXPECT_EQ(comparison.changes[0].request_b, "b-m1");
  EXPECT_EQ(comparison.changes[0].answer_a, "a says");
  EXPECT_EQ(comparison.changes[1].item, "q3");
  EXPECT_EQ(comparison.changes[2].item, "q2");
  EXPECT_EQ(comparison.regressions, 2);
  EXPECT_EQ(comparison.improvements, 1);
  EXPECT_EQ(comparison.pairs[0].pass_rate.losses, 2);
  EXPECT_EQ(comparison.pairs[0].graders.at("exact").items, 5);
}

TEST(CompareRuns, SaysThatAPromptsTextWasEdited) {
  auto items_a = answers("a", {1, 0, 1});
  auto items_b = answers("b", {1, 1, 1, 1});
  for (auto* items : {&items_a, &items_b}) {
    for (ReportItem& item : *items) item.prompt = "What is " + item.item + "?";
  }
  EXPECT_TRUE(compared(tally_of(items_a), tally_of(items_b)).notes.empty());
  items_b[1].prompt += " Answer briefly.";
  items_b[2].prompt += " Answer briefly.";
  items_b[3].prompt += " Only B has it.";
  const auto notes = compared(tally_of(items_a), tally_of(items_b)).notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_EQ(notes[0].substr(0, 43), "2 items were asked with another text in B t");
  for (auto* items : {&items_a, &items_b}) {
    for (ReportItem other : std::vector(*items)) {
      other.request_id += "-large";
      other.model = "large";
      items->push_back(other);
    }
  }
  EXPECT_EQ(compared(tally_of(items_a), tally_of(items_b)).notes[0].substr(0, 7), "2 items")
      << "whatever models are asked";
  items_a.resize(3);
  items_b.resize(4);
  items_a[1].prompt.clear();  // Its request is gone.
  EXPECT_EQ(compared(tally_of(items_a), tally_of(items_b)).notes[0].substr(0, 6), "1 item");
  for (ReportItem& item : items_b) item.prompt_name = "brief";
  EXPECT_TRUE(compared(tally_of(items_a), tally_of(items_b)).notes.empty()) << "the name says it";
}

TEST(CompareRuns, HoldsTwoModelsAgainstEachOtherWhenEachRunHasOne) {
  const RunComparison comparison =
      compared(tally_of(answers("a", {1, 0}, "small")), tally_of(answers("b", {1, 1}, "large")));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_EQ(pair_label(comparison.pairs[0]), "large against small");
  EXPECT_EQ(comparison.all.difference, 0.5);
}

TEST(CompareRuns, ComparesNamesakesAndNamesTheRest) {
  auto items_a = answers("a", {1, 0}, "x");
  for (const ReportItem& item : answers("a", {1, 0}, "y")) items_a.push_back(item);
  auto items_b = answers("b", {0, 0}, "x");
  for (const ReportItem& item : answers("b", {1, 0}, "z")) items_b.push_back(item);
  const RunComparison comparison = compared(tally_of(items_a), tally_of(items_b));
  ASSERT_EQ(comparison.pairs.size(), 1U);
  EXPECT_EQ(comparison.pairs[0].score.difference, -0.5);
  ASSERT_EQ(comparison.only_a.size(), 1U);
  EXPECT_EQ(comparison.only_a[0].subject, "y");
  EXPECT_EQ(comparison.only_b[0].subject, "z");
}

TEST(CompareRuns, CountsAnItemOnceHoweverManyModelsAnsweredIt) {
  auto items_a = answers("a", {1, 0}, "x");
  auto items_b = answers("b", {1, 1}, "x");
  for (const ReportItem& item : answers("a", {1, 0}, "y")) items_a.push_back(item);
  for (const ReportItem& item : answers("b", {1, 0}, "y")) items_b.push_back(item);
  const RunComparison comparison = compared(tally_of(items_a), tally_of(items_b));
  EXPECT_EQ(comparison.pairs.size(), 2U);
  EXPECT_EQ(comparison.all.items, 2);
  EXPECT_EQ(comparison.all.difference, 0.25);
}

TEST(CompareRuns, LeavesOutOfAllWhatOneSideLacksInAGroup) {
  auto items_a = answers("a", {1, 1}, "x");
  auto items_b = answers("b", {1, 1}, "x");
  for (const ReportItem& item : answers("a", {0, 0}, "y")) items_a.push_back(item);
  items_b.push_back(answers("b", {0, 0}, "y")[0]);
  const RunComparison comparison = compared(tally_of(items_a), tally_of(items_b));
  EXPECT_EQ(comparison.all.items, 2);
  EXPECT_EQ(comparison.all.difference, 0) << "what both have is the same in both";
  EXPECT_EQ(comparison.all.mean_a, 0.75);
  EXPECT_EQ(comparison.all.only_a, 1);
  EXPECT_EQ(comparison.all.only_b, 0);
}

TEST(CompareRuns, RefusesWhatHasNothingInCommon) {
  auto two = answers("a", {1}, "x");
  two.push_back(answers("a", {1}, "y")[0]);
  EXPECT_FALSE(compare_runs(tally_of(two), tally_of(answers("b", {1}, "z")), {}));
  ReportItem ungraded = graded_item("u", std::nullopt);
  EXPECT_FALSE(compare_runs(tally_of({ungraded}), tally_of(answers("b", {1})), {}));
}

TEST(CompareRuns, NeverComparesFailures) {
  auto items_b = answers("b", {1, 1});
  ReportItem lost = given_up_item("b-m2");
  lost.item = "q2";
  items_b.push_back(lost);
  const RunComparison comparison = compared(tally_of(answers("a", {1, 1, 1})), tally_of(items_b));
  EXPECT_EQ(comparison.all.items, 2);
  EXPECT_EQ(comparison.all.only_a, 1);
  EXPECT_EQ(comparison.regressions, 0);
}

TEST(MissedThresholdsOfComparison, AskWhetherChanceExplainsIt) {
  const RunComparison noise =
      compared(tally_of(answers("a", {1, 1, 0, 1})), tally_of(answers("b", {1, 0, 0, 1})));
  EXPECT_TRUE(missed_thresholds(noise, {.fail_on_regression = true}).empty());
  EXPECT_TRUE(missed_thresholds(noise, {.drop_max = 0.25}).empty());
  EXPECT_EQ(missed_thresholds(noise, {.drop_max = 0.2}).size(), 1U);
  const std::vector<double> high(12, 1);
  const RunComparison fall =
      compared(tally_of(answers("a", high)), tally_of(answers("b", std::vector<double>(12, 0.5))));
  EXPECT_EQ(missed_thresholds(fall, {.fail_on_regression = true}).size(), 1U);
}

TEST(MissedThresholdsOfComparison, AreMissedWhileRequestsHaveNotEnded) {
  const auto whole = answers("x", {1, 1, 0});
  auto part = whole;
  // A repeat of an item that has a score: the item itself is in both.
  ReportItem pending = graded_item("late", std::nullopt);
  pending.item = "q0";
  pending.state = RequestState::kNew;
  pending.outcome = ItemOutcome::kPending;
  part.push_back(pending);
  for (const bool is_b : {false, true}) {
    const RunComparison comparison =
        compared(tally_of(is_b ? whole : part), tally_of(is_b ? part : whole));
    EXPECT_TRUE(missed_thresholds(comparison, {}).empty());
    const auto missed = missed_thresholds(comparison, {.drop_max = 0.5});
    ASSERT_EQ(missed.size(), 1U);
    EXPECT_EQ(missed[0].find(is_b ? "B: 1 of 4 requests" : "A: 1 of 4 requests"), 0U) << missed[0];
    EXPECT_EQ(missed_thresholds(comparison, {.fail_on_regression = true}).size(), 1U);
    EXPECT_TRUE(missed_thresholds(comparison, {.drop_max = 0.5, .allows_pending = true}).empty());
  }
}

TEST(ComparisonOutput, KeepsHostileTextsOnTheirLines) {
  auto items_a = answers("a", {1});
  auto items_b = answers("b", {0});
  items_a[0].item = items_b[0].item = "q\x1b[2J\n";
  items_a[0].model = items_b[0].model = "m\x1b[31m";
  RunComparison comparison = compared(tally_of(items_a), tally_of(items_b));
  describe_change(items_a[0], ComparedRun::kA, comparison);
  const std::string text = comparison_text(comparison, {"\x1b[1m", "b"}, 160);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("1 item is worse"), std::string::npos) << text;
}

TEST(RunName, HasAPlaceAndASelection) {
  const auto name = parse_run_name("/tmp/root@batch=b,model=m,eval=e");
  ASSERT_TRUE(name);
  EXPECT_EQ(name->place, "/tmp/root");
  EXPECT_EQ(name->filter.choice.batch, "b");
  EXPECT_EQ(name->filter.model, "m");
  EXPECT_EQ(name->filter.evaluation, "e");
  EXPECT_EQ(parse_run_name("@prompt=p")->filter.prompt, "p");
  EXPECT_EQ(parse_run_name("plain")->place, "plain");
  for (const char* bad : {"x@nonsense=1", "x@model", "x@model="}) {
    EXPECT_FALSE(parse_run_name(bad)) << bad;
  }
}

TEST(ItemJson, IsReadBackAsItWas) {
  for (const ReportItem& item :
       {graded_item("a", 0.25), given_up_item("b"), graded_item("c", std::nullopt)}) {
    const ReportItem again = parse_item_json(item_json(item));
    EXPECT_EQ(item_json(again), item_json(item));
    EXPECT_EQ(again.outcome, item.outcome);
  }
  EXPECT_EQ(parse_item_json(Json::parse(R"({"outcome":"graded"})")).outcome,
            ItemOutcome::kUngraded);
  EXPECT_EQ(parse_item_json(Json(7)).request_id, "");
}

}  // namespace
}  // namespace filecall::client
