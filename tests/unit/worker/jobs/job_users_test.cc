// SPDX-License-Identifier: MIT
// Several users drop requests into one root.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/unit/worker/jobs/job_runner_fixture.h"
#include "worker/jobs/ownership.h"

namespace filecall::worker {
namespace {

constexpr std::uint32_t kAnn = 1001;
constexpr std::uint32_t kBob = 1002;
constexpr std::uint32_t kKeeper = 900;

/// The owners of files that a test says.
class OwnedFiles final : public RootFiles {
 public:
  bool is_shared() const override { return true; }
  std::uint32_t ruler() const override { return kKeeper; }
  std::optional<std::uint32_t> owner_of(std::string_view stem) const override {
    const auto found = owners.find(stem);
    return found == owners.end() ? std::nullopt : std::optional(found->second);
  }
  DiscardResult discard(std::string_view stem, const ResponseFile&) override {
    discarded.emplace_back(stem);
    return DiscardResult::kDiscarded;
  }

  std::map<std::string, std::uint32_t, std::less<>> owners;
  std::vector<std::string> discarded;
};

class JobUsersTest : public JobRunnerTest {
 protected:
  JobUsersTest() { share({}); }

  void share(UserLimits limits) {
    runner_.reset();
    dispatcher_ = std::make_unique<Dispatcher>(
        std::map<std::string, DestinationLimits, std::less<>>{
            {"", DestinationLimits{.concurrency = 2}}},
        clock_.monotonic(), limits);
    runner_ = std::make_unique<JobRunner>(*registry_, *dispatcher_, "w1", clock_);
    runner_->serve(session_);
    session_.files = &files_;
  }
  void drop_as(std::uint32_t user, const std::string& id, const std::string& command,
               bool is_outside = false) {
    drop(id, command);
    files_.owners.insert_or_assign(id, user);
    auto arrival = source_->next(clock_.monotonic());
    ASSERT_TRUE(arrival);
    arrival->user = user;
    arrival->is_outside = is_outside;
    runner_->accept(session_, std::move(*arrival), clock_.monotonic());
    turn();
  }
  CancelResult cancel_as(std::uint32_t user, const std::string& id) {
    std::optional<CancelResult> out;
    runner_->cancel("/root", user, id, {}, [&](CancelResult result) { out = result; });
    return out.value();
  }

  OwnedFiles files_;
};

TEST_F(JobUsersTest, OnlyItsUserAndTheRootsEndARequestOrRepeatIt) {
  drop_as(kAnn, "runs", "pure");
  drop_as(kAnn, "runs-too", "pure");
  drop_as(kAnn, "waits", "pure");
  for (const char* id : {"runs", "waits"}) {
    EXPECT_EQ(cancel_as(kBob, id), CancelResult::kForbidden) << id;
    EXPECT_EQ(runner_->discard("/root", kBob, id, {}), DiscardResult::kForbidden) << id;
  }
  EXPECT_EQ(cancel_as(kBob, "nothing"), CancelResult::kUnknown);
  EXPECT_TRUE(files_.discarded.empty());
  EXPECT_EQ(cancel_as(kAnn, "waits"), CancelResult::kQueued);
  EXPECT_EQ(cancel_as(kKeeper, "runs"), CancelResult::kExecuting);
  EXPECT_EQ(runner_->discard("/root", kAnn, "waits", {}), DiscardResult::kDiscarded);
  EXPECT_EQ(runner_->discard("/root", kKeeper, "waits", {}), DiscardResult::kDiscarded);
}

TEST_F(JobUsersTest, AnswersNobodyWithWhatAnotherOneAsked) {
  drop_as(kAnn, "a", "pure");
  files_.owners.insert_or_assign("a", kBob);
  work_.finish("a", Json("ann's"));
  EXPECT_FALSE(is_answered("a"));
  EXPECT_TRUE(root_.starts.empty());
  EXPECT_EQ(cancel_as(kAnn, "a"), CancelResult::kForbidden) << "it is Bob's by now";
}

TEST_F(JobUsersTest, RefusesWhoIsNoMemberAndWhoFillsTheQueue) {
  share({.running_max = 1, .waiting_max = 1});
  drop_as(kBob, "outside", "pure", true);
  EXPECT_EQ(code("outside"), ErrorCode::kPermissionDenied);
  for (const char* id : {"a1", "a2", "a3"}) drop_as(kAnn, id, "pure");
  EXPECT_FALSE(is_answered("a2"));
  EXPECT_EQ(code("a3"), ErrorCode::kResourceExhausted);
  EXPECT_TRUE(answer("a3").failure->is_retryable());
  EXPECT_TRUE(answer("a3").failure->retry_after_ms);
  drop_as(kBob, "b1", "pure");
  EXPECT_TRUE(work_.running.contains("b1")) << "there is room that Ann may not take";
  EXPECT_FALSE(work_.running.contains("a2"));
}

}  // namespace
}  // namespace filecall::worker
