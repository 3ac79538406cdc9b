// SPDX-License-Identifier: MIT
#include "client/engine/orchestrator.h"

#include <atomic>
#include <optional>

#include "client/engine/answer_cache.h"
#include "client/engine/feed_intake.h"
#include "client/engine/owner_lock.h"
#include "client/engine/session.h"
#include "client/engine/watch_intake.h"
#include "client/store/database_file.h"
#include "client/store/state_store.h"
#include "ipc/response.h"
#include "loop/event_loop.h"
#include "os/clock.h"
#include "os/process.h"
#include "spool/drop.h"
#include "spool/lock.h"
#include "spool/root.h"

namespace filecall::client {
namespace {

class Engine final : public Orchestrator {
 public:
  Engine(const OrchestratorOptions& options, spool::Root root, std::unique_ptr<StateStore> store,
         OwnerLock owner, std::unique_ptr<EventLoop> loop, std::unique_ptr<AnswerCache> cache)
      : options_(options),
        root_(std::move(root)),
        store_(std::move(store)),
        owner_(std::move(owner)),
        loop_(std::move(loop)),
        cache_(std::move(cache)) {
    if (options_.seed == 0) options_.seed = random_seed();
  }

  Result<void> count_earlier(SubmissionFeed& feed) override {
    earlier_.emplace();
    for (;;) {
      TRY_ASSIGN(const std::optional<Submission> submission, feed.next());
      if (!submission) return {};
      TRY_ASSIGN(const auto row, store_->find(submission->request_id));
      if (row) {
        earlier_->spend += row->spend;
        earlier_->errors += row->progress.state == RequestState::kGaveUp ? 1 : 0;
        continue;
      }
      auto file = spool::read_response_file(*root_.directories(), submission->request_id);
      if (!file || !*file) continue;
      const auto response = parse_response((*file)->bytes, submission->request_id);
      if (response) earlier_->spend += spend_of(*response, options_.prices);
    }
  }

  std::string limit_reason() const override { return limit_reason_; }

  Result<RunEnd> run(SubmissionFeed& feed, RunObserver& observer) override {
    FeedIntake intake(feed);
    TRY_ASSIGN(const RunEnd end, run_session(intake, observer));
    if (end == RunEnd::kDone && intake.error()) return Unexpected(*intake.error());
    return end;
  }

  Result<RunEnd> watch(RunObserver& observer) override {
    TRY_ASSIGN(const auto lock,
               spool::FileLock::acquire(root_.layout().client_watch_lock(), milliseconds(200)));
    WatchIntake intake;
    return run_session(intake, observer);
  }

  void interrupt() override {
    interrupted_ = true;
    loop_->wake();
  }

 private:
  Result<RunEnd> run_session(Intake& intake, RunObserver& observer) {
    for (const std::string& notice : store_->notices()) observer.on_notice(notice);
    Session session(options_, root_, *store_, owner_, *loop_, interrupted_, observer, cache_.get());
    if (earlier_) session.begin_with(*earlier_);
    auto end = session.run(intake);
    limit_reason_ = session.limit_reason();
    if (!end && end.error().code == ErrorCode::kDataLoss) {
      suspect_state_database(root_.layout().client_database());
    }
    return end;
  }

  OrchestratorOptions options_;
  spool::Root root_;
  std::unique_ptr<StateStore> store_;
  OwnerLock owner_;
  std::unique_ptr<EventLoop> loop_;
  std::unique_ptr<AnswerCache> cache_;  ///< Null: none.
  std::atomic<bool> interrupted_{false};
  std::optional<RunTotals> earlier_;
  std::string limit_reason_;
};

}  // namespace

Result<std::unique_ptr<Orchestrator>> Orchestrator::open(const OrchestratorOptions& options) {
  CHECK(options.window > 0, "a window admits at least one request");
  CHECK(options.retry.attempts_max > 0, "a request has at least one attempt");
  TRY_ASSIGN(
      spool::Root root,
      spool::Root::open(options.root, {.allow_shared = options.allow_shared_root, .create = true}));
  TRY_ASSIGN(auto store,
             StateStore::open(root.layout().client_database(), options.durability, wall_now()));
  TRY_ASSIGN(OwnerLock owner, OwnerLock::acquire(root.layout()));
  spool::sweep_old_temporaries(*root.directories(), wall_now());
  TRY_ASSIGN(auto loop, EventLoop::open());
  std::unique_ptr<AnswerCache> cache;
  if (!options.cache.empty()) {
    TRY_ASSIGN(cache, AnswerCache::open(options.cache));
  }
  return std::unique_ptr<Orchestrator>(std::make_unique<Engine>(options, std::move(root),
                                                                std::move(store), std::move(owner),
                                                                std::move(loop), std::move(cache)));
}

}  // namespace filecall::client
