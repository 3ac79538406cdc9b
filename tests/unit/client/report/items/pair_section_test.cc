// SPDX-License-Identifier: MIT
#include "client/report/items/pair_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

PairCandidate response(const std::string& model, const std::string& item,
                       const std::string& problem = {}) {
  PairCandidate one{model + "-" + item, model, "", item};
  one.response_digest = "sha256:" + one.request_id;
  one.problem = problem;
  return one;
}

PairRecord judged(const std::string& a, const std::string& b, const std::string& item,
                  std::optional<Preference> winner, const std::string& evaluation = "better") {
  PairRecord record;
  record.evaluation = evaluation;
  record.rule_digest = "sha256:rule";
  record.item = item;
  record.a = {a + "-" + item, "sha256:" + a + "-" + item, a};
  record.b = {b + "-" + item, "sha256:" + b + "-" + item, b};
  record.verdict.winner = winner;
  return record;
}

std::vector<std::string> gaps_of(const PairGroup& group) {
  std::vector<std::string> gaps;
  for (const PairGap& gap : group.gaps) gaps.push_back(gap.item + ": " + gap.why);
  return gaps;
}

constexpr auto kA = Preference::kA;
constexpr auto kB = Preference::kB;

TEST(PairUp, CountsAResponseOfBothSidesApart) {
  const auto paired = pair_up({response("s", "q1"), response("s", "q2"), response("s", "q3")},
                              {response("s", "q1"), response("s", "q4")});
  EXPECT_EQ(paired.shared, 1);
  EXPECT_EQ(paired.only_a.size(), 2U);
  EXPECT_EQ(paired.only_b.size(), 1U);
  EXPECT_TRUE(paired.pairs.empty());
}

TEST(PairSections, CountWhatJudgesSaidOfEachTwoModels) {
  const auto sections =
      pairs_within({judged("s", "l", "q1", kB), judged("s", "l", "q2", kA),
                    judged("s", "h", "q1", kB), judged("s", "h", "q2", Preference::kTie)},
                   {response("s", "q1"), response("s", "q2"), response("l", "q1"),
                    response("l", "q2"), response("h", "q1"), response("h", "q2")});
  ASSERT_EQ(sections.size(), 1U);
  ASSERT_EQ(sections[0].groups.size(), 2U);
  const PairGroup& large = sections[0].groups[0];
  EXPECT_EQ(large.a, "s");
  EXPECT_EQ(large.b, "l");
  EXPECT_EQ(large.counts.wins_b, 1);
  EXPECT_EQ(large.counts.wins_a, 1);
  EXPECT_EQ(large.gap_count, 0);
  EXPECT_EQ(sections[0].groups[1].counts.ties, 1);
  EXPECT_EQ(gaps_text(large), "");
}

TEST(PairSections, TakeTheLastWordOnTwoResponsesWhicheverWasCalledA) {
  const auto sections = pairs_within(
      {judged("s", "l", "q1", kB), judged("l", "s", "q1", kB), judged("l", "s", "q2", kA)},
      {response("s", "q1"), response("l", "q1"), response("s", "q2"), response("l", "q2")});
  ASSERT_EQ(sections.size(), 1U);
  ASSERT_EQ(sections[0].groups.size(), 1U) << "one pair of models, however often it was turned";
  const PairGroup& group = sections[0].groups[0];
  EXPECT_EQ(group.a, "s") << "as it was said first";
  EXPECT_EQ(group.counts.pairs(), 2);
  EXPECT_EQ(group.counts.wins_a, 1) << "of the second line B is s";
  EXPECT_EQ(group.counts.wins_b, 1) << "of the third line A is l";
}

TEST(PairSections, NameEachPairWithoutAVerdictThatCounts) {
  PairRecord lost = judged("s", "l", "q2", std::nullopt);
  lost.verdict.reason = "main: the judge did not answer";
  lost.verdict.lacks_reply = true;
  PairRecord replaced = judged("s", "l", "q3", kA);
  replaced.b.response_digest = "sha256:before";
  PairRecord old_rule = judged("s", "l", "q4", kA);
  old_rule.rule_digest = "sha256:older";
  const auto sections = pairs_within(
      {old_rule, lost, replaced, judged("s", "l", "q8", kA), judged("s", "l", "q1", kB)},
      {response("s", "q1"), response("l", "q1"), response("s", "q2"), response("l", "q2"),
       response("s", "q3"), response("l", "q3"), response("s", "q4"), response("l", "q4"),
       response("s", "q5"), response("l", "q5"), response("s", "q6"), response("l", "q6", "error"),
       response("s", "q7"), response("s", "q8", "missing"), response("l", "q8"),
       response("l", "q9")});
  ASSERT_EQ(sections.size(), 1U);
  const PairGroup& group = sections[0].groups[0];
  EXPECT_EQ(group.counts.pairs(), 1);
  EXPECT_EQ(group.counts.ungraded, 1);
  EXPECT_EQ(sections[0].lacking_replies, 1);
  EXPECT_THAT(gaps_of(group), testing::UnorderedElementsAre(
                                  "q2: no verdict: main: the judge did not answer",
                                  "q3: a response was replaced after it was judged",
                                  "q4: was judged by another version of pairwise:",
                                  "q5: was not judged", "q6: B: error", "q7: B: was not asked",
                                  "q8: A: missing", "q9: A: was not asked"));
  EXPECT_EQ(group.gap_count, 8);
  EXPECT_THAT(gaps_text(group), HasSubstr("8 pairs without a verdict that counts"));
  EXPECT_THAT(gaps_text(group), HasSubstr("and 3 more"));
  EXPECT_THAT(pair_sections_text(sections), HasSubstr("l against s"));
  EXPECT_THAT(pair_sections_html(sections), HasSubstr("q4: was judged by another"));
  EXPECT_EQ(pair_sections_json(sections)[0]["groups"][0]["gaps"]["count"], 8);
  EXPECT_EQ(lacking_replies(sections), 1);
}

TEST(PairSections, SayNothingOfResponsesThatNobodyJudged) {
  EXPECT_THAT(pairs_within({}, {response("s", "q1"), response("l", "q1")}), IsEmpty());
  EXPECT_THAT(pairs_within({judged("x", "y", "q1", kA)}, {response("s", "q1")}), IsEmpty());
  EXPECT_THAT(pairs_within({judged("s", "y", "q1", kA)}, {response("s", "q1")}), IsEmpty())
      << "of a filter that leaves out one of the two";
  EXPECT_EQ(pair_sections_text({}), "");
  EXPECT_EQ(pair_sections_html({}), "");
}

TEST(PairSections, KeepEvaluationsApart) {
  const auto sections =
      pairs_within({judged("s", "l", "q1", kB, "clearer"), judged("s", "l", "q1", kA, "better")},
                   {response("s", "q1"), response("l", "q1")});
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].evaluation, "better");
  EXPECT_EQ(sections[0].groups[0].counts.wins_a, 1);
  EXPECT_EQ(sections[1].groups[0].counts.wins_b, 1);
}

TEST(PairSections, NameTheFirstHundredOfMany) {
  std::vector<PairRecord> records = {judged("s", "l", "q", kA)};
  std::vector<PairCandidate> all = {response("s", "q"), response("l", "q")};
  for (int i = 0; i < 150; ++i) all.push_back(response("s", "x" + std::to_string(i)));
  const auto sections = pairs_within(records, all);
  EXPECT_EQ(sections[0].groups[0].gap_count, 150);
  EXPECT_EQ(sections[0].groups[0].gaps.size(), PairGroup::kGapsKept);
}

TEST(PairSectionsOfAComparison, HoldBAgainstAAsTheComparisonDoes) {
  const std::vector<PairRecord> records = {judged("l", "s", "q1", kA), judged("l", "s", "q2", kB)};
  const auto sections =
      pairs_between(records, {response("s", "q1"), response("s", "q2"), response("s", "q3")},
                    {response("l", "q1"), response("l", "q2"), response("l", "q3", "refusal")});
  ASSERT_EQ(sections.size(), 1U);
  ASSERT_EQ(sections[0].groups.size(), 1U);
  const PairGroup& group = sections[0].groups[0];
  EXPECT_EQ(group.a, "s");
  EXPECT_EQ(group.counts.wins_b, 1) << "A of the record is l";
  EXPECT_EQ(group.counts.wins_a, 1);
  EXPECT_THAT(gaps_of(group), ElementsAre("q3: B: refusal"));
}

TEST(PairSectionsOfAComparison, LeaveOutPairsThatItIsNotAbout) {
  // Within A two models were judged; the comparison holds each against itself in B.
  const std::vector<PairRecord> records = {judged("s", "l", "q1", kA)};
  std::vector<PairCandidate> b = {response("s", "q1"), response("l", "q1")};
  for (PairCandidate& one : b) one.request_id += "-later";
  EXPECT_THAT(pairs_between(records, {response("s", "q1"), response("l", "q1")}, b), IsEmpty());
}

TEST(PairSectionsOfAComparison, TakeNoResponseThatBothRunsShareForAGap) {
  PairCandidate later = response("s", "q1");
  later.request_id = "s-q1-later";
  later.response_digest = "sha256:later";
  PairRecord record = judged("s", "s", "q1", kB);
  record.b = {"s-q1-later", "sha256:later", "s"};
  const auto sections = pairs_between({record}, {response("s", "q1"), response("s", "q2")},
                                      {later, response("s", "q2")});
  ASSERT_EQ(sections.size(), 1U);
  EXPECT_EQ(sections[0].groups[0].counts.wins_b, 1);
  EXPECT_THAT(gaps_of(sections[0].groups[0]), IsEmpty());
  EXPECT_THAT(pair_sections_text(sections), Not(HasSubstr("against s")));
}

}  // namespace
}  // namespace filecall::client
