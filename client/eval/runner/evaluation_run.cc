// SPDX-License-Identifier: MIT
#include "client/eval/runner/evaluation_run.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "client/eval/runner/asking.h"
#include "client/eval/runner/assessor.h"
#include "client/eval/runner/candidates.h"
#include "client/eval/runner/record_file.h"
#include "client/service/ledger.h"
#include "loop/event_loop.h"
#include "os/clock.h"
#include "os/io.h"
#include "spool/lock.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

/// Between two looks at a root that is followed; longer when a look takes long.
constexpr Duration kLookEvery = seconds(1);
constexpr int kLookShare = 5;

/// A feed whose first element was taken already.
class Peeked final : public SubmissionFeed {
 public:
  Peeked(Submission first, SubmissionFeed& rest) : first_(std::move(first)), rest_(rest) {}
  Result<Offer> next() override {
    if (!first_) return rest_.next();
    return Offer::of(*std::exchange(first_, std::nullopt));
  }

 private:
  std::optional<Submission> first_;
  SubmissionFeed& rest_;
};

class Run final : public EvaluationRun {
 public:
  Run(const EvalSpec& spec, EvaluationOptions options, spool::Root root,
      std::unique_ptr<Ledger> ledger, std::unique_ptr<EventLoop> loop)
      : spec_(spec),
        options_(std::move(options)),
        root_(std::move(root)),
        ledger_(std::move(ledger)),
        loop_(std::move(loop)) {}

  Result<EvaluationEnd> run(EvaluationObserver& observer) override {
    for (const std::string& notice : ledger_->notices()) observer.on_notice(notice);
    TRY_ASSIGN(RecordFiles records,
               RecordFiles::open(root_.layout(), [&observer](const std::string& text) {
                 observer.on_notice(text);
               }));
    Assessor assessor(root_, spec_, records);
    const auto nothing_known = [](const RequestEntry&) { return false; };
    if (options_.follows) TRY(follow(assessor, observer));
    if (interrupted_) return EvaluationEnd{.end = RunEnd::kInterrupted};
    TRY_ASSIGN(const Candidates candidates,
               list_candidates(*ledger_, spec_.selection, nothing_known));
    if (options_.follows) observer.on_restart();
    TRY_ASSIGN(EvaluationEnd end, pass(candidates, assessor, observer));
    if (options_.engine.durability != Durability::kNone) TRY(records.sync());
    return end;
  }

  void interrupt() override {
    interrupted_ = true;
    if (Orchestrator* engine = engine_.load()) engine->interrupt();
    loop_->wake();
  }

 private:
  Result<EvaluationEnd> pass(const Candidates& candidates, Assessor& assessor,
                             EvaluationObserver& observer) {
    EvaluationEnd end;
    Asking asking(candidates, root_, assessor, observer, interrupted_);
    TRY_ASSIGN(auto first, asking.next());
    if (first.kind == Offer::Kind::kSubmission) {
      TRY_ASSIGN(const auto engine, Orchestrator::open(options_.engine));
      Peeked feed(std::move(first.submission), asking);
      engine_ = engine.get();
      const auto ended =
          interrupted_ ? Result<RunEnd>(RunEnd::kInterrupted) : engine->run(feed, asking);
      engine_ = nullptr;
      if (!ended) return Unexpected(ended.error());
      end.end = *ended;
    }
    if (asking.error()) return Unexpected(*asking.error());
    if (interrupted_) end.end = RunEnd::kInterrupted;
    end.unfinished = candidates.unfinished + asking.unfinished();
    return end;
  }

  /// Evaluates what ends, until all has ended. What was looked at once is passed over: the whole is
  /// told anew at the end.
  Result<void> follow(Assessor& assessor, EvaluationObserver& observer) {
    spool::NameHashSet known;
    for (;;) {
      const MonotonicTime begun = monotonic_now();
      // Asked first: a client that ends after that has left nothing unfinished unseen.
      const bool is_alone = !others_work();
      TRY_ASSIGN(const Candidates candidates,
                 list_candidates(*ledger_, spec_.selection, [&](const RequestEntry& entry) {
                   const bool is_new = !is_final(entry.state) || known.insert(key_of(entry));
                   if (is_new && is_final(entry.state)) ++seen_;
                   return !is_new;
                 }));
      TRY_ASSIGN(const EvaluationEnd end, pass(candidates, assessor, observer));
      const bool is_over = is_alone && candidates.unfinished == 0 && seen_ > 0;
      if (is_over || end.end != RunEnd::kDone) return {};
      const MonotonicTime now = monotonic_now();
      const Duration pause = std::max<Duration>(kLookEvery, (now - begun) * kLookShare);
      loop_->wait(Deadline::after(now, pause), now);
      if (interrupted_) return {};
    }
  }

  /// A request that is asked again and ends again is another one.
  static std::string key_of(const RequestEntry& entry) {
    const auto ended = entry.finished_at.value_or(entry.updated_at).time_since_epoch().count();
    return fmt::format("{}\n{}", entry.request_id, ended);
  }

  /// Whether another client drives requests here; a standing `watch` does not count.
  bool others_work() const {
    const spool::Layout& layout = root_.layout();
    auto locks = open_file(layout.client_locks(), O_RDONLY | O_DIRECTORY);
    if (!locks) return false;
    int held = spool::FileLock::is_held(layout.client_watch_lock()).value_or(false) ? -1 : 0;
    const auto visited = spool::read_directory(locks->get(), [&](const auto& entry) {
      const std::string path = layout.client_locks() + "/" + std::string(entry.name);
      if (entry.may_be_regular && spool::FileLock::is_held(path).value_or(false)) ++held;
    });
    return visited && held > 0;
  }

  const EvalSpec& spec_;
  EvaluationOptions options_;
  spool::Root root_;
  std::unique_ptr<Ledger> ledger_;
  std::unique_ptr<EventLoop> loop_;
  std::int64_t seen_ = 0;  ///< Ended candidates, while following.
  std::atomic<bool> interrupted_{false};
  std::atomic<Orchestrator*> engine_{nullptr};
};

}  // namespace

Result<std::unique_ptr<EvaluationRun>> EvaluationRun::open(const EvalSpec& spec,
                                                           const EvaluationOptions& options) {
  const OrchestratorOptions& engine = options.engine;
  TRY_ASSIGN(auto ledger, Ledger::open({.root = engine.root,
                                        .allow_shared_root = engine.allow_shared_root,
                                        .durability = engine.durability,
                                        .create = options.follows}));
  TRY_ASSIGN(
      spool::Root root,
      spool::Root::open(engine.root, {.allow_shared = engine.allow_shared_root, .create = true}));
  TRY_ASSIGN(auto loop, EventLoop::open());
  return std::unique_ptr<EvaluationRun>(
      std::make_unique<Run>(spec, options, std::move(root), std::move(ledger), std::move(loop)));
}

}  // namespace filecall::client
