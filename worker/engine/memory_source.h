// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "ipc/json.h"
#include "ipc/request.h"
#include "worker/engine/source.h"

namespace filecall::worker {

/// What survives the workers of a MemorySource, as a root directory survives those of its.
struct MemoryRoot {
  std::map<std::string, std::string, std::less<>> requests;  ///< Text by stem.
  std::map<std::string, std::string, std::less<>> answers;
  std::map<std::string, StartRecord, std::less<>> starts;  ///< Started and not answered.
  std::map<std::string, std::vector<std::string>, std::less<>> late;
  std::map<std::string, std::vector<Json>, std::less<>> events;

  bool is_pending(std::string_view stem) const {
    return requests.contains(stem) && !answers.contains(stem);
  }
};

/// A Source without files, sockets or threads: for tests and simulations. What is dropped into its
/// MemoryRoot comes up once notice() names it; notices may be lost, doubled and wrong. Can defer
/// what a disk would take time for, refuse it, and break its promises. Destroying it is the
/// worker's death: what was deferred never happens.
class MemorySource final : public Source {
 public:
  /// A promise that is broken, so that a test can show that it notices.
  enum class Fault : std::uint8_t {
    kNone,
    kForgetsStarts,  ///< Says that starts are recorded, and records nothing.
  };

  /// Both must outlive it.
  MemorySource(MemoryRoot& root, const Clock& clock, Fault fault = Fault::kNone);

  void notice(std::string_view stem) { noticed_.emplace_back(stem); }
  void notice_all();
  bool is_held(std::string_view stem) const { return held_.contains(stem); }

  /// From now on starts, answers and cancels wait until perform() is called.
  void defer() { is_deferring_ = true; }
  /// Takes one step of the oldest of them: what lasts, then (in another call) saying that it did.
  /// False: nothing waits.
  bool perform();
  /// From now on starts fail, or answers are kept and tried again once a second; nullopt: no more.
  void refuse_starts(std::optional<Error> why) { refused_starts_ = std::move(why); }
  void refuse_answers(std::optional<Error> why) { refused_answers_ = std::move(why); }
  /// What another worker says of a request that this one does not know.
  void set_elsewhere(const std::string& stem, SourceCancel reply) { elsewhere_[stem] = reply; }
  /// Holding lapses unless it is extended.
  void set_lease(Duration lease) { lease_ = lease; }

  int poll_fd() const override { return -1; }
  void on_readable(MonotonicTime) override {}
  Deadline next_wake() const override;
  void on_wake(MonotonicTime now) override;

  std::optional<Arrival> next(MonotonicTime now) override;
  bool is_pending(std::string_view stem) const override;
  Result<Arrival> read_again(std::string_view stem, MonotonicTime now) override;
  void extend(std::string_view stem, MonotonicTime now) override;
  void settle(std::string_view stem, Settlement how) override;

  void record_start(const Start& start, std::function<void(Result<void>)> done) override;
  void withdraw_start(std::string_view stem, const StartRecord& record) override;
  void answer(Answer answer, Answered done) override;
  std::unique_ptr<EventSink> events(std::string_view stem) override;
  void cancel(std::string_view stem, Cancelled done) override;

  void flush() override {}
  SourceState state() const override;
  void close() override { stuck_.clear(); }

 private:
  struct Undelivered {
    Answer answer;
    Answered done;
  };
  using Step = std::function<void()>;

  /// Performs a step now, or lets it wait.
  void take(Step step);
  void deliver(Undelivered undelivered);
  SourceCancel cancel_now(std::string_view stem);
  std::optional<StartRecord> take_earlier_start(const std::string& stem);
  Arrival read(std::string_view stem, MonotonicTime now) const;

  MemoryRoot& root_;
  const Clock& clock_;
  Fault fault_;
  std::map<std::string, StartRecord, std::less<>> earlier_starts_;
  std::deque<std::string> noticed_;
  std::map<std::string, Deadline, std::less<>> held_;  ///< The value: when the lease lapses.
  std::deque<Step> steps_;
  std::vector<Undelivered> stuck_;
  Deadline retry_at_;
  std::map<std::string, SourceCancel, std::less<>> elsewhere_;
  std::optional<Error> refused_starts_;
  std::optional<Error> refused_answers_;
  Duration lease_{};
  bool is_deferring_ = false;
};

}  // namespace filecall::worker
