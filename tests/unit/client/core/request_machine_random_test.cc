// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "client/core/request_machine.h"

namespace filecall::client {
namespace {

// A model of one response file under the machine's actions, and what must hold of every sequence.
class Model {
 public:
  explicit Model(std::uint64_t seed) : random_(seed) {
    policy_.attempts_max = 1 + static_cast<int>(random_.below(4));
    policy_.backoff_base = milliseconds(10);
    policy_.pause_max = seconds(static_cast<int>(random_.below(4)));
  }

  void run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) one_step();
  }

 private:
  Event draw() {
    Event event;
    event.kind = static_cast<EventKind>(random_.below(kEventCount));
    const bool is_response = event.kind == EventKind::kResponseSuccess ||
                             event.kind == EventKind::kResponseError ||
                             event.kind == EventKind::kResponseUnreadable;
    if (is_response) {
      // A response is write-once: while one is there, only it can be seen (again).
      if (!there_) there_ = ++last_inode_;
      event.version.copy = *there_;
      const auto [kind, is_new] = kinds_.try_emplace(*there_, event.kind);
      event.kind = kind->second;
      event.code = static_cast<ErrorCode>(random_.below(kErrorCodeCount));
      event.retryable = random_.below(4) != 0;
      if (random_.below(3) == 0) {
        event.code = ErrorCode::kResourceExhausted;
        event.retry_after = milliseconds(20);
      }
      if (event.kind == EventKind::kResponseUnreadable) event.code = ErrorCode::kDataLoss;
    }
    if (event.kind == EventKind::kResponseVanished) there_.reset();
    return event;
  }

  void one_step() {
    const Event event = draw();
    const RequestProgress before = progress_;
    now_ += milliseconds(1);
    const Transition t = step(before, event, policy_, now_, random_);
    // Crashes lose actions, never rows: sometimes nothing but the row happens.
    const bool crashes = random_.below(5) == 0;
    progress_ = t.next;
    ASSERT_EQ(t.is_changed, !(before == t.next));
    ASSERT_LE(progress_.counted_attempts(), policy_.attempts_max);
    ASSERT_GE(progress_.counted_attempts(), 0);
    ASSERT_LE(progress_.paused, policy_.pause_max);
    ASSERT_LE(progress_.pauses, to_ms(policy_.pause_max) / 1000) << "pauses must come to an end";
    if (is_final(before.state) && before.state != progress_.state) {
      ASSERT_EQ(before.state, RequestState::kGaveUp);
      ASSERT_EQ(event.kind, EventKind::kUserRetry);
      ASSERT_EQ(progress_.state, RequestState::kNew);
      ASSERT_EQ(progress_.attempt, 0);
      counted_.clear();
    }
    if (event.kind == EventKind::kResponseError) check_counted(before, event);
    if (progress_.attempt > before.attempt && before.attempt > 0) {
      // Between two attempts the counted response is deleted, or none is there to delete.
      ASSERT_TRUE(!progress_.counted_response || has_delete(t, *progress_.counted_response));
    }
    for (const Action& action : t.actions) {
      if (action.kind == ActionKind::kDeleteResponse) {
        ASSERT_EQ(kinds_.count(action.version.copy), 1u) << "deletes what nobody has seen";
        ASSERT_NE(kinds_[action.version.copy], EventKind::kResponseSuccess);
        if (!crashes && there_ == action.version.copy) there_.reset();
      }
    }
  }

  void check_counted(const RequestProgress& before, const Event& event) {
    const bool ended =
        before.state == RequestState::kPolling &&
        (progress_.state == RequestState::kWaiting || progress_.state == RequestState::kGaveUp);
    if (!ended) return;
    ASSERT_TRUE(counted_.insert(event.version.copy).second) << "counted twice";
  }

  static bool has_delete(const Transition& t, const AnswerVersion& version) {
    for (const Action& action : t.actions) {
      if (action.kind == ActionKind::kDeleteResponse && action.version == version) return true;
    }
    return false;
  }

  Random random_;
  RetryPolicy policy_;
  RequestProgress progress_;
  WallTime now_{seconds(1000)};
  std::optional<std::uint64_t> there_;
  std::uint64_t last_inode_ = 0;
  std::map<std::uint64_t, EventKind> kinds_;
  std::set<std::uint64_t> counted_;
};

TEST(RequestMachine, KeepsItsInvariantsOnRandomSequences) {
  for (std::uint64_t seed = 1; seed <= 3000 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    Model(seed).run(60);
  }
}

}  // namespace
}  // namespace filecall::client
