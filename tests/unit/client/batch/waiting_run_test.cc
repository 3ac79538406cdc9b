// SPDX-License-Identifier: MIT
#include "client/batch/waiting_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "base/random.h"

namespace filecall::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ListFeed final : public SubmissionFeed {
 public:
  explicit ListFeed(std::vector<std::string> ids) : ids_(ids.begin(), ids.end()) {}
  Result<Offer> next() override {
    if (ids_.empty()) return Offer::end();
    Submission submission;
    submission.request_id = ids_.front();
    submission.command = "c." + ids_.front();
    submission.bytes = "text of " + ids_.front();
    ids_.pop_front();
    return Offer::of(std::move(submission));
  }

 private:
  std::deque<std::string> ids_;
};

class Ends final : public RunObserver {
 public:
  void on_outcome(const RequestOutcome& outcome) override { ids.push_back(outcome.request_id); }
  void on_progress(const RunProgress&) override {}
  void on_notice(const std::string&) override {}
  std::vector<std::string> ids;
};

struct Line {
  std::string id;
  std::vector<std::string> after;
  AfterAny mode = AfterAny::kSuccess;
};

/// Lines, and the run that drives them.
class Chain {
 public:
  explicit Chain(const std::vector<Line>& lines, const std::map<std::string, bool>& ended = {})
      : feed_(ids_of(lines)) {
    for (const Line& line : lines) {
      if (line.after.empty()) continue;
      const auto node = plan_.add_waiter(line.id, line.mode, 0);
      for (const std::string& id : line.after) {
        if (const auto found = ended.find(id); found != ended.end()) {
          plan_.add_wait_for_ended(node, id, found->second);
        } else {
          plan_.add_wait(node, id);
        }
      }
    }
    plan_.finish();
    run_.emplace(feed_, plan_, "/nonexistent", ends_);
  }

  /// All that is there to be had now.
  std::vector<std::string> take() {
    std::vector<std::string> ids;
    for (;;) {
      auto offer = run_->next();
      EXPECT_TRUE(offer);
      if (offer->kind == Offer::Kind::kNextTurn) continue;
      last_ = offer->kind;
      if (last_ != Offer::Kind::kSubmission) return ids;
      const Submission& got = offer->submission;
      EXPECT_EQ(got.bytes, "text of " + got.request_id);
      EXPECT_EQ(got.command, "c." + got.request_id);
      if (!got.refusal.empty()) refusals_[got.request_id] = got.refusal;
      ids.push_back(got.request_id);
    }
  }
  void end(const std::string& id, std::optional<ErrorCode> error = {}) {
    RequestOutcome outcome;
    outcome.request_id = id;
    outcome.state = error ? RequestState::kGaveUp : RequestState::kSuccess;
    outcome.error_code = error;
    run_->on_outcome(outcome);
  }
  void stop() { run_->stop(); }
  Offer::Kind last() const { return last_; }
  const std::map<std::string, std::string>& refusals() const { return refusals_; }
  const Ends& ends() const { return ends_; }
  bool is_open_ended() const { return run_->is_open_ended(); }

 private:
  static std::vector<std::string> ids_of(const std::vector<Line>& lines) {
    std::vector<std::string> ids;
    for (const Line& line : lines) ids.push_back(line.id);
    return ids;
  }
  ListFeed feed_;
  WaitPlan plan_;
  Ends ends_;
  std::optional<WaitingRun> run_;
  Offer::Kind last_ = Offer::Kind::kEnd;
  std::map<std::string, std::string> refusals_;
};

TEST(WaitingRun, HandsOnWhatWaitsWhenItMayBegin) {
  Chain chain({{"c", {"b"}}, {"x", {}}, {"b", {"a"}}, {"a", {}}});
  EXPECT_THAT(chain.take(), ElementsAre("x", "a"));
  EXPECT_EQ(chain.last(), Offer::Kind::kNotYet);
  EXPECT_TRUE(chain.is_open_ended());
  chain.end("x");
  EXPECT_THAT(chain.take(), IsEmpty());
  chain.end("a");
  EXPECT_THAT(chain.take(), ElementsAre("b"));
  chain.end("b");
  EXPECT_THAT(chain.take(), ElementsAre("c"));
  EXPECT_EQ(chain.last(), Offer::Kind::kEnd);
  EXPECT_FALSE(chain.is_open_ended());
  EXPECT_THAT(chain.refusals(), IsEmpty());
  EXPECT_THAT(chain.ends().ids, ElementsAre("x", "a", "b"));
}

TEST(WaitingRun, GivesOutAllThatIsLeftOfAStoppedRunAndRefusesNothing) {
  Chain chain({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}});
  EXPECT_THAT(chain.take(), ElementsAre("a"));
  chain.end("a", ErrorCode::kUnknown);  // b is ready, to be refused.
  chain.stop();
  EXPECT_THAT(chain.take(), UnorderedElementsAre("b", "c"));
  EXPECT_EQ(chain.last(), Offer::Kind::kEnd);
  EXPECT_FALSE(chain.is_open_ended());
  EXPECT_THAT(chain.refusals(), IsEmpty());
}

TEST(WaitingRun, RefusesWhatFollowsAFailureAndNamesWhereItBegan) {
  Chain chain({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}, {"d", {"c"}, AfterAny::kEnd}});
  chain.take();
  chain.end("a", ErrorCode::kUnavailable);
  EXPECT_THAT(chain.take(), ElementsAre("b"));
  EXPECT_EQ(chain.refusals().at("b"),
            "not asked: 'a', which it waits for, was given up (unavailable)");
  chain.end("b", ErrorCode::kFailedPrecondition);
  EXPECT_THAT(chain.take(), ElementsAre("c"));
  EXPECT_EQ(chain.refusals().at("c"),
            "not asked: 'b', which it waits for, was given up (failed_precondition); it began with "
            "'a' (unavailable)");
  chain.end("c", ErrorCode::kFailedPrecondition);
  EXPECT_THAT(chain.take(), ElementsAre("d"));
  EXPECT_FALSE(chain.refusals().contains("d"));
}

TEST(WaitingRun, FollowsTheRealEndOfWhatItMeantToRefuse) {
  // It was answered in an earlier run: that stands.
  Chain chain({{"a", {}}, {"b", {"a"}}, {"c", {"b"}}});
  chain.take();
  chain.end("a", ErrorCode::kUnavailable);
  EXPECT_THAT(chain.take(), ElementsAre("b"));
  chain.end("b");
  EXPECT_THAT(chain.take(), ElementsAre("c"));
  EXPECT_FALSE(chain.refusals().contains("c"));
}

TEST(WaitingRun, KnowsWhatEndedOutsideOfTheInput) {
  Chain chain({{"b", {"good"}}, {"c", {"bad"}}, {"d", {"bad"}, AfterAny::kEnd}},
              {{"good", true}, {"bad", false}});
  EXPECT_THAT(chain.take(), ElementsAre("b", "c", "d"));
  ASSERT_EQ(chain.refusals().size(), 1U);
  EXPECT_THAT(chain.refusals().at("c"), HasSubstr("'bad', which it waits for, was given up"));
}

TEST(WaitingRun, ReadsLinesThatWaitInPieces) {
  std::vector<Line> lines;
  for (int i = 0; i < 3000; ++i) lines.push_back({"w" + std::to_string(i), {"last"}});
  lines.push_back({"last", {}});
  Chain chain(lines);
  EXPECT_THAT(chain.take(), ElementsAre("last"));
  chain.end("last");
  EXPECT_EQ(chain.take().size(), 3000U);
}

TEST(WaitingRun, BringsEveryRandomGraphToItsEndInOrder) {
  Random random(21);
  for (int round = 0; round < 300; ++round) {
    const std::size_t size = 2 + random.below(15);
    std::vector<Line> lines;
    std::map<std::string, Line> by_id;
    for (std::size_t i = 0; i < size; ++i) {
      Line line{"n" + std::to_string(i), {}};
      for (std::size_t j = 0; j < i; ++j) {
        if (random.below(4) == 0) line.after.push_back("n" + std::to_string(j));
      }
      if (random.below(3) == 0) line.mode = AfterAny::kEnd;
      by_id[line.id] = line;
      lines.push_back(line);
    }
    for (std::size_t i = size; i > 1; --i) std::swap(lines[i - 1], lines[random.below(i)]);
    Chain chain(lines);
    std::map<std::string, bool> ended;
    std::vector<std::string> flying;
    for (;;) {
      for (const std::string& id : chain.take()) {
        const Line& line = by_id.at(id);
        bool has_failed = false;
        bool waits = false;
        for (const std::string& one : line.after) {
          const auto found = ended.find(one);
          waits = waits || found == ended.end();
          has_failed = has_failed || (found != ended.end() && !found->second);
        }
        const bool is_refused = has_failed && line.mode == AfterAny::kSuccess;
        ASSERT_TRUE(!waits || is_refused) << id << " began too early";
        ASSERT_EQ(chain.refusals().contains(id), is_refused) << id;
        flying.push_back(id);
      }
      if (flying.empty()) break;
      std::swap(flying[random.below(flying.size())], flying.back());
      const std::string id = flying.back();
      flying.pop_back();
      const bool is_success = !chain.refusals().contains(id) && random.below(4) != 0;
      ASSERT_TRUE(ended.emplace(id, is_success).second) << id << " began twice";
      chain.end(id, is_success ? std::nullopt : std::optional(ErrorCode::kInternal));
    }
    ASSERT_EQ(ended.size(), size);
    ASSERT_EQ(chain.last(), Offer::Kind::kEnd);
  }
}

TEST(HeldTexts, GivesBackWhatWasKeptFromTheFileAndFromMemory) {
  for (const char* folder : {"/tmp", "/nonexistent"}) {
    HeldTexts texts(folder);
    std::vector<std::pair<HeldTexts::Place, std::string>> kept;
    for (int i = 0; i < 40; ++i) {
      const std::string text = std::to_string(i) + std::string(100'000, 'x');
      const auto place = texts.keep(text);
      ASSERT_TRUE(place);
      kept.emplace_back(*place, text);
    }
    for (const auto& [place, text] : kept) {
      const auto read = texts.read(place);
      ASSERT_TRUE(read);
      ASSERT_EQ(*read, text) << folder;
    }
  }
}

}  // namespace
}  // namespace filecall::client
