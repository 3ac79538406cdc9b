// SPDX-License-Identifier: MIT
#include "client/eval/runner/passes.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/count_text.h"
#include "client/engine/living_clients.h"
#include "os/clock.h"
#include "spool/lock.h"

namespace filecall::client {
namespace {

/// Between two passes over a root that is followed; longer when a pass takes long.
constexpr Duration kPassEvery = seconds(1);
constexpr int kPassShare = 5;

/// A request that is asked again and ends again is another one.
std::string key_of(const RequestEntry& entry) {
  const auto ended = entry.finished_at.value_or(entry.updated_at).time_since_epoch().count();
  return fmt::format("{}\n{}", entry.request_id, ended);
}

/// Whether another client drives requests here; neither a standing `watch` nor an evaluation
/// counts: two that follow would wait for each other.
bool others_work(const spool::Layout& layout) {
  const bool is_watched = spool::FileLock::is_held(layout.client_watch_lock()).value_or(false);
  return count_living_clients(layout, kEvaluationRole) > (is_watched ? 1 : 0);
}

}  // namespace

Passes::Passes(const spool::Root& root, Ledger& ledger, const Selection& selection,
               const RunChoice& choice, Assessor& assessor, EvaluationObserver& observer,
               const Interruption& interruption, bool follows)
    : root_(root),
      ledger_(ledger),
      selection_(selection),
      choice_(choice),
      assessor_(assessor),
      observer_(observer),
      interruption_(interruption),
      follows_(follows),
      is_last_(!follows) {}

Result<Offer> Passes::next() {
  while (!interruption_.is_requested()) {
    if (asking_) {
      TRY_ASSIGN(Offer offer, asking_->next());
      if (offer.kind == Offer::Kind::kSubmission) {
        has_asked_ = true;
        return offer;
      }
      // What was asked may have to be asked once more.
      if (asking_->waiting() > 0) return Offer::not_yet();
      if (is_last_) return Offer::end();
      end_pass();
    }
    if (monotonic_now() < next_pass_) return Offer::not_yet();
    TRY(begin_pass());
  }
  return Offer::end();
}

Result<void> Passes::begin_pass() {
  begun_ = monotonic_now();
  // Asked again each time: a run that is followed may begin after this.
  TRY_ASSIGN(const RunScope scope, RunScope::choose(root_.layout(), choice_));
  TRY_ASSIGN(metadata_, scope.metadata());
  assessor_.use_metadata(metadata_);
  run_ids_ = scope.run_ids();
  scope_notice_ = scope.notice();
  if (is_last_) {
    TRY_ASSIGN(candidates_,
               list_candidates(
                   ledger_, scope, selection_, [](const RequestEntry&) { return false; },
                   [&](std::string_view id) { return assessor_.may_select(id); }));
    if (follows_) observer_.on_restart();
  } else {
    // Asked first: a client that ends after that has left nothing unfinished unseen.
    is_alone_ = !others_work(root_.layout());
    // A standing watch counts here: it drives what others left.
    is_driven_ = count_living_clients(root_.layout(), kEvaluationRole) > 0;
    TRY_ASSIGN(candidates_, list_new(scope));
  }
  if (!columns_checked_ && !candidates_.succeeded.empty()) {
    TRY(assessor_.check_columns(scope));
    columns_checked_ = true;
  }
  asking_.emplace(candidates_, root_, assessor_, observer_, interruption_);
  return {};
}

Result<Candidates> Passes::list_new(const RunScope& scope) {
  const auto is_known = [&](const RequestEntry& entry) {
    if (!is_final(entry.state)) return false;
    if (!known_.insert(key_of(entry))) return true;
    ++seen_;
    return false;
  };
  return list_candidates(ledger_, scope, selection_, is_known,
                         [&](std::string_view id) { return assessor_.may_select(id); });
}

void Passes::end_pass() {
  asking_.reset();
  is_last_ = is_alone_ && candidates_.unfinished == 0 && seen_ > 0;
  if (is_last_) return;
  const MonotonicTime now = monotonic_now();
  next_pass_ = now + std::max<Duration>(kPassEvery, (now - begun_) * kPassShare);
  report_standstill(now);
}

void Passes::report_standstill(MonotonicTime now) {
  if (!standstill_.look({.begun = begun_,
                         .ended = now,
                         .is_driven = is_driven_,
                         .unfinished = candidates_.unfinished,
                         .ended_count = seen_})) {
    return;
  }
  const std::int64_t unfinished = candidates_.unfinished;
  observer_.on_notice(
      unfinished == 0
          ? std::string("nothing that is selected has been asked, and no run or watch is under "
                        "way; the evaluation waits for one, Ctrl-C ends it")
          : fmt::format("{} not ended, and no run or watch drives {}; 'filecall run' goes on with "
                        "what a run asked, Ctrl-C ends the evaluation",
                        counted_noun(unfinished, "request has", "requests have"),
                        unfinished == 1 ? "it" : "them"));
}

void Passes::on_outcome(const RequestOutcome& outcome) {
  if (asking_) asking_->on_outcome(outcome);
}

void Passes::on_progress(const RunProgress& progress) {
  if (asking_) asking_->report(has_asked_ ? progress.worker : std::string());
}

std::int64_t Passes::unfinished() const {
  return candidates_.unfinished + (asking_ ? asking_->unfinished() : 0);
}

std::int64_t Passes::not_selected() const {
  return candidates_.not_selected + (asking_ ? asking_->not_selected() : 0);
}

std::optional<Error> Passes::error() const {
  return asking_ ? asking_->error() : std::optional<Error>();
}

}  // namespace filecall::client
