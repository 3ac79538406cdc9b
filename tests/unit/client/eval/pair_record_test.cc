// SPDX-License-Identifier: MIT
#include "client/eval/pair_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace filecall::client {
namespace {

using testing::HasSubstr;

PairRecord judged(const std::string& item, std::optional<Preference> winner,
                  const std::string& b = "large", bool is_inconsistent = false) {
  PairRecord record;
  record.evaluation = "better";
  record.rule_digest = "sha256:rule";
  record.item = item;
  record.a = {"a-" + item, "sha256:a", "small"};
  record.b = {"b-" + item, "sha256:b", b};
  record.verdict.winner = winner;
  record.verdict.is_inconsistent = is_inconsistent;
  record.verdict.reason = "r";
  record.judged_at = WallTime(seconds(1'700'000'000));
  return record;
}

TEST(PairTally, CountsAWinAsOneATieAsHalfAndNoVerdictAsNothing) {
  PairTally tally;
  tally.add(judged("q1", Preference::kB));
  tally.add(judged("q2", Preference::kB));
  tally.add(judged("q3", Preference::kA));
  tally.add(judged("q4", Preference::kTie, "large", true));
  tally.add(judged("q5", std::nullopt));
  const PairTally::Counts& all = tally.all();
  EXPECT_EQ(all.wins_b, 2);
  EXPECT_EQ(all.wins_a, 1);
  EXPECT_EQ(all.ties, 1);
  EXPECT_EQ(all.inconsistent, 1);
  EXPECT_EQ(all.ungraded, 1);
  EXPECT_EQ(all.pairs(), 4);
  const Estimate rate = all.win_rate();
  EXPECT_DOUBLE_EQ(*rate.value, 0.625);
  EXPECT_EQ(rate.items, 4);
  ASSERT_TRUE(rate.interval);
  EXPECT_LT(rate.interval->low, 0.625);
  EXPECT_GT(rate.interval->high, 0.625);
}

TEST(PairTally, CountsAnItemOnceHoweverOftenItWasRepeated) {
  PairTally tally;
  for (int i = 0; i < 3; ++i) tally.add(judged("q1", Preference::kB));
  tally.add(judged("q2", Preference::kA));
  EXPECT_EQ(tally.all().pairs(), 4);
  EXPECT_EQ(tally.all().win_rate().items, 2);
  EXPECT_DOUBLE_EQ(*tally.all().win_rate().value, 0.5);
}

TEST(PairTally, CountsEachTwoOfModelsApart) {
  PairTally tally;
  tally.add(judged("q1", Preference::kB, "large"));
  tally.add(judged("q1", Preference::kA, "huge"));
  tally.add(judged("q2", std::nullopt, "huge"));
  ASSERT_EQ(tally.groups().size(), 2U);
  EXPECT_EQ(tally.groups().at({"small", "large"}).wins_b, 1);
  EXPECT_EQ(tally.groups().at({"small", "huge"}).wins_a, 1);
  EXPECT_EQ(tally.groups().at({"small", "huge"}).ungraded, 1);
  EXPECT_EQ(tally.all().pairs(), 2);
}

TEST(PairTally, HasNoRateWithoutAVerdict) {
  PairTally tally;
  EXPECT_FALSE(tally.all().win_rate().value);
  tally.add(judged("q1", std::nullopt));
  EXPECT_FALSE(tally.all().win_rate().value);
  EXPECT_EQ(tally.all().pairs(), 0);
}

TEST(PairRecord, IsReadAsItWasWritten) {
  for (const std::optional<Preference> winner :
       {std::optional(Preference::kA), std::optional(Preference::kB),
        std::optional(Preference::kTie), std::optional<Preference>()}) {
    PairRecord record = judged("q1", winner, "large\n\"x\"", true);
    record.verdict.judges = Json::array({{{"judge", "main"}, {"prefers", "a"}}});
    const std::string line = render_pair_record(record);
    EXPECT_EQ(line.back(), '\n');
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    const auto read = parse_pair_record(line);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->verdict.winner, winner);
    EXPECT_TRUE(read->verdict.is_inconsistent);
    EXPECT_EQ(read->b.label, record.b.label);
    EXPECT_EQ(read->judged_at, record.judged_at);
    EXPECT_EQ(render_pair_record(*read), line);
  }
}

TEST(PairRecord, NamesWhatIsWrong) {
  const struct {
    const char* line;
    const char* wanted;
  } kCases[] = {
      {"{", "preference"},
      {"[]", "must be a JSON object"},
      {"{}", "/a and /b"},
      {R"({"a": 1, "b": 2})", "/a and /b"},
      {R"({"a": {"request_id": "x"}, "b": {"request_id": "y"}})", "/a and /b"},
      {R"({"winner": "c", "a": {"request_id": "x", "response_digest": "d"},
           "b": {"request_id": "y", "response_digest": "d"}})",
       "/winner"},
  };
  for (const auto& one : kCases) {
    const auto read = parse_pair_record(one.line);
    ASSERT_FALSE(read) << one.line;
    EXPECT_EQ(read.error().code, ErrorCode::kInvalidArgument);
    EXPECT_THAT(read.error().message, HasSubstr(one.wanted)) << one.line;
  }
}

}  // namespace
}  // namespace filecall::client
