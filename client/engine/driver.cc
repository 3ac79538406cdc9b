// SPDX-License-Identifier: MIT
#include "client/engine/driver.h"

#include <algorithm>

#include "client/core/cache_identity.h"
#include "client/core/cached_answer.h"
#include "ipc/response.h"

namespace filecall::client {
namespace {

// With so many in flight answers come faster than each is worth a turn.
constexpr std::size_t kManyInFlight = 32;
constexpr Duration kLookAroundEvery = milliseconds(500);

std::size_t index_of(RequestState state) { return static_cast<std::size_t>(state); }

}  // namespace

Driver::Driver(DriverOptions options, RequestChannel& channel, AnswerCache* cache, Desk& desk)
    : options_(std::move(options)),
      channel_(channel),
      cache_(cache),
      desk_(desk),
      hints_(channel),
      pilot_(options_, channel) {}

Driver::~Driver() { desk_.wait(); }

Result<std::unique_ptr<Driver>> Driver::open(DriverOptions options, RequestChannel& channel,
                                             Desk& desk, AnswerCache* cache, MonotonicTime now) {
  std::unique_ptr<Driver> driver(new Driver(std::move(options), channel, cache, desk));
  driver->pilot_.set_now(now);
  const auto interest = [self = driver.get()](bool is_request, std::string_view id) {
    const bool is_known = self->flights_.contains(id);
    return is_request ? self->options_.follows_requests && !is_known : is_known;
  };
  TRY(channel.listen(driver->options_.follows_requests, interest, now));
  TRY(driver->hints_.open(desk.poll_fd()));
  return driver;
}

RunId Driver::begin_run(std::string batch) {
  auto counts = std::make_unique<RunCounts>();
  counts->batch = std::move(batch);
  runs_.emplace(++next_run_, std::move(counts));
  return next_run_;
}

void Driver::end_run(RunId run) {
  RunCounts& counts = *runs_.at(run);
  desk_.wait();  // What it has of the run is done; nobody hears of it.
  std::vector<Flight*> gone;
  for (auto& [id, flight] : flights_) {
    std::erase_if(flight->joined, [run](const Submission& s) { return s.run == run; });
    if (flight->run_id == run) gone.push_back(flight.get());
  }
  for (Flight* flight : gone) {
    if (flight->is_at_desk) {
      flight->is_abandoned = true;
    } else {
      remove(*flight);
    }
  }
  counts.is_ended = true;
  if (counts.in_flight == 0) runs_.erase(run);
  std::erase_if(outcomes_, [run](const RequestOutcome& outcome) { return outcome.run == run; });
}

void Driver::stop_run(RunId run) { runs_.at(run)->is_stopping = true; }

void Driver::withdraw(RunId run, CancelWish wish) {
  for (auto& [id, flight] : flights_) {
    if (flight->run_id == run) pilot_.withdraw(*flight, wish);
  }
}

void Driver::submit(Submission submission) {
  const auto known = flights_.find(submission.request_id);
  if (known != flights_.end()) {
    known->second->joined.push_back(std::move(submission));
    return;
  }
  auto owned = std::make_unique<Flight>();
  Flight& flight = *owned;
  flight.run_id = submission.run;
  flight.run = runs_.at(submission.run).get();
  flight.retry = submission.retry.value_or(options_.retry);
  flight.attempt_timeout = submission.attempt_timeout.value_or(options_.attempt_timeout);
  flight.task.row.request_id = submission.request_id;
  flight.task.bytes = std::move(submission.bytes);
  flight.task.only_looks = submission.only_looks;
  flight.refusal = std::move(submission.refusal);
  flights_.emplace(std::move(submission.request_id), std::move(owned));
  ++flight.run->in_flight;
  ask_claim(flight, std::move(submission.command));
}

// The desk is given what follows if nobody has had the request: one round instead of two.
void Driver::ask_claim(Flight& flight, std::string command) {
  RequestRow fresh;
  fresh.request_id = flight.id();
  fresh.command = std::move(command);
  fresh.owner = options_.owner;
  fresh.batch = flight.run->batch;
  if (!flight.task.bytes.empty()) fresh.content_hash = hash128(flight.task.bytes).hex();
  fresh.submitted_at = options_.wall_clock();
  fresh.progress.changed_at = fresh.submitted_at;
  flight.task.row = std::move(fresh);
  flight.task.is_claim = true;
  flight.task.is_new = true;
  flight.is_followed = false;
  pilot_.touch(flight);
  if (flight.task.only_looks || refuse(flight) || answer_from_cache(flight)) return;
  if (pilot_.is_open()) {
    pilot_.begin(flight);
  } else {
    flight.is_held = true;
  }
}

bool Driver::refuse(Flight& flight) {
  if (flight.refusal.empty() || flight.progress().state != RequestState::kNew) return false;
  return pilot_.refuse(flight);
}

bool Driver::answer_from_cache(Flight& flight) {
  if (cache_ == nullptr || flight.task.bytes.empty()) return false;
  const auto identity = cache_identity(flight.task.bytes, options_.cache_all);
  if (!identity) return false;
  flight.cache_identity = *identity;
  if (flight.progress().state != RequestState::kNew) return false;
  auto data = cache_->find(*identity, [this](const auto& text) { pilot_.notice(text); });
  if (!data) return false;
  flight.task.own_answer = render_cached_answer(flight.id(), flight.task.bytes, std::move(*data));
  flight.progress().state = RequestState::kSuccess;
  flight.task.row.finished_at = options_.wall_clock();
  flight.task.row.owner.clear();
  flight.is_cached = true;
  flight.is_dirty = true;
  pilot_.touch(flight);
  return true;
}

void Driver::cancel(std::string_view id) {
  const auto found = flights_.find(id);
  if (found != flights_.end()) pilot_.cancel(*found->second);
}

void Driver::set_server(bool is_ready, MonotonicTime now) {
  if (is_ready == pilot_.is_open()) return;
  pilot_.set_now(now);
  is_ready ? pilot_.open_gate() : pilot_.close_gate();
  for (auto& [id, flight] : flights_) {
    if (flight->is_held) {
      const bool begins = is_ready && !flight->is_at_desk && !flight->task.is_claim;
      if (begins && !flight->run->is_stopping) pilot_.begin(*flight);
    } else {
      pilot_.heed_gate(*flight);
    }
  }
  if (is_ready) channel_.request_scan(now);
}

Deadline Driver::next_wake() const {
  const bool has_work = pilot_.has_listed() || !heard_cancel_requests_.empty();
  if (!outcomes_.empty() || !requests_.empty() || (has_work && !is_batch_out_)) {
    return Deadline::at(pilot_.now());
  }
  Deadline wake = std::min(pilot_.next_timer(), hints_.next_wake());
  if (!flights_.empty()) wake = std::min(wake, Deadline::at(next_look_));
  return wake;
}

Result<void> Driver::turn(MonotonicTime now) {
  pilot_.set_now(now);
  TRY(take_back());
  const bool has_heard = take_hints();
  pilot_.take_timers();
  look_around();
  hand_in();
  hints_.gather(has_heard && flights_.size() >= kManyInFlight, now);
  // A desk without a thread is done at once.
  return take_back();
}

bool Driver::take_hints() {
  std::vector<ChannelHint> hints = hints_.take(pilot_.now());
  for (ChannelHint& hint : hints) {
    const auto found = flights_.find(hint.request_id);
    if (found != flights_.end()) {
      pilot_.look(*found->second);
    } else if (hint.is_request) {
      requests_.push_back(std::move(hint.request_id));
    }
  }
  return !hints.empty();
}

// Cancel requests, and requests that other clients drive: when one of those ends, or dies, asking
// for the request again tells which.
void Driver::look_around() {
  if (flights_.empty() || pilot_.now() < next_look_) return;
  next_look_ = pilot_.now() + kLookAroundEvery;
  wants_cancel_requests_ = true;
  for (auto& [id, flight] : flights_) {
    if (!flight->is_followed || flight->is_at_desk || flight->is_listed) continue;
    ask_claim(*flight, flight->task.row.command);
  }
}

Result<void> Driver::take_back() {
  if (!is_batch_out_ || !desk_.take_back()) return {};
  is_batch_out_ = false;
  DeskBatch batch = std::exchange(batch_, {});
  const std::vector<Flight*> flights = std::exchange(at_desk_, {});
  for (std::string& text : batch.notices) pilot_.notice(std::move(text));
  if (batch.error) return Unexpected(std::move(*batch.error));
  for (Flight* flight : flights) take_report(*flight);
  for (const std::string& id : batch.cancel_requests) {
    const auto found = flights_.find(id);
    if (found == flights_.end() || found->second->is_followed) continue;
    heard_cancel_requests_.push_back(id);
    pilot_.cancel(*found->second);
  }
  return {};
}

void Driver::take_report(Flight& flight) {
  flight.is_at_desk = false;
  const std::vector<Action> done = std::exchange(flight.task.actions, {});
  const Performed performed = std::exchange(flight.task.performed, {});
  const auto dropped = std::exchange(flight.task.dropped, std::nullopt);
  flight.task.own_answer.clear();
  flight.run->spend_now += std::exchange(flight.uncounted, {});
  if (flight.is_abandoned || flight.is_reported) return remove(flight);
  if (flight.task.is_claim && !take_claim(flight)) return;
  if (flight.is_rejected) {
    return reject(flight, "another request of that id is there; choose another id");
  }
  if (!performed.notice.empty()) pilot_.notice(performed.notice);
  for (const Action& action : done) pilot_.arm_for(flight, action);
  if (performed.own_failure) {
    flight.response = std::make_shared<const Response>(*performed.own_failure);
  }
  if (performed.is_copied) {
    flight.is_copy_missing = false;
    pilot_.apply(flight, {.kind = EventKind::kCopied});
  }
  if (dropped == ChannelDrop::Fate::kThere) {
    pilot_.reconcile(flight);
    if (flight.is_rejected) return;
  } else if (dropped) {
    flight.task.bytes = std::string();
    // Somebody's answer may have been there before the request.
    if (!flight.task.is_new) flight.wants_look = true;
  }
  if (performed.is_other_answer) flight.wants_look = true;
  take_deferred(flight);
  if (is_over(flight)) report(flight);
}

bool Driver::take_claim(Flight& flight) {
  flight.task.is_claim = false;
  Claim claim = *std::exchange(flight.task.claim, std::nullopt);
  if (flight.task.only_looks && claim.kind != Claim::Kind::kFinal) {
    hand_back(flight);
    remove(flight);
    return false;
  }
  if (claim.is_new) {
    ++flight.run->submitted;
    return true;
  }
  if (std::exchange(flight.task.is_other_request, false)) {
    reject(flight, "the id was used before for another request; choose another id");
    return false;
  }
  flight.actions.clear();
  flight.is_cached = false;
  if (claim.kind == Claim::Kind::kFinal || claim.kind == Claim::Kind::kCollected) {
    ++flight.run->ended.at(index_of(claim.row.progress.state));
    pilot_.price_again(claim.row);
    flight.run->spend_earlier += claim.row.spend;
    outcomes_.push_back(outcome_of(claim.row, true));
    outcomes_.back().run = flight.run_id;
    outcomes_.back().is_followed = claim.row.finished_at > options_.began_at;
    remove(flight);
    return false;
  }
  if (claim.kind == Claim::Kind::kForeign) {
    flight.is_followed = true;
    flight.is_held = false;
    flight.is_dirty = false;
    flight.task.row = std::move(claim.row);
    return false;
  }
  continue_claimed(flight, std::move(claim));
  return false;
}

void Driver::continue_claimed(Flight& flight, Claim claim) {
  RequestRow& row = flight.task.row;
  std::string content_hash = std::move(row.content_hash);
  row = std::move(claim.row);
  flight.task.is_new = false;
  flight.is_held = false;
  if (row.content_hash.empty() && !content_hash.empty()) {
    row.content_hash = std::move(content_hash);
    flight.is_dirty = true;
    pilot_.touch(flight);
  } else {
    flight.is_dirty = false;
  }
  // The worker had nothing to do for it meanwhile: that time is not the request's.
  const bool was_away =
      row.progress.state == RequestState::kNew || row.progress.state == RequestState::kWaiting;
  if (was_away) row.asked_at = options_.wall_clock();
  ++flight.run->submitted;
  flight.is_dirty = pilot_.price_again(row) || flight.is_dirty;
  flight.run->spend_earlier += row.spend;
  if (refuse(flight) || answer_from_cache(flight)) return;
  if (row.progress.state == RequestState::kWaiting) ++flight.run->waiting;
  flight.is_copy_missing = row.progress.state == RequestState::kGaveUp;
  // What was given up needs no worker, only its copy.
  const bool may_begin = pilot_.is_open() && !flight.run->is_stopping;
  if (may_begin || flight.is_copy_missing) {
    pilot_.begin(flight);
  } else {
    flight.is_held = true;
  }
  take_deferred(flight);
}

// What happened while the desk had it.
void Driver::take_deferred(Flight& flight) {
  if (flight.is_held && pilot_.is_open() && !flight.run->is_stopping) pilot_.begin(flight);
  if (std::exchange(flight.wants_cancel, false)) pilot_.cancel(flight);
  if (const auto wish = std::exchange(flight.wants_withdrawal, {})) pilot_.withdraw(flight, *wish);
  if (std::exchange(flight.wants_look, false)) pilot_.look(flight);
  pilot_.take_due(flight);
}

void Driver::hand_in() {
  if (is_batch_out_) return;
  if (!pilot_.has_listed() && heard_cancel_requests_.empty() && !wants_cancel_requests_) return;
  for (Flight* flight : pilot_.take_listed()) hand_over(*flight);
  batch_.cache_entries = pilot_.take_cache_entries();
  batch_.heard_cancel_requests = std::exchange(heard_cancel_requests_, {});
  batch_.reads_cancel_requests = std::exchange(wants_cancel_requests_, false);
  is_batch_out_ = true;
  desk_.hand_in(batch_);
}

void Driver::hand_over(Flight& flight) {
  flight.is_listed = false;
  flight.is_at_desk = true;
  DeskTask& task = flight.task;
  task.removes_row = flight.is_rejected && task.is_new;
  task.writes_row = flight.is_rejected ? !task.is_new : flight.is_dirty;
  task.actions = std::exchange(flight.actions, {});
  flight.is_dirty = false;
  at_desk_.push_back(&flight);
  batch_.tasks.push_back(&task);
}

// Its final state is durable (but for the note that failed/ has the copy) and all is done.
bool Driver::is_over(const Flight& flight) {
  return is_final(flight.progress().state) && !flight.is_copy_missing && flight.actions.empty() &&
         (!flight.is_dirty || flight.progress().copied);
}

void Driver::report(Flight& flight) {
  ++flight.run->ended.at(index_of(flight.progress().state));
  outcomes_.push_back(outcome_of(flight));
  flight.is_reported = true;
  if (!flight.is_dirty) remove(flight);
}

void Driver::reject(Flight& flight, const std::string& reason) {
  ++flight.run->ended.at(index_of(RequestState::kGaveUp));
  outcomes_.push_back(rejection_of(flight, reason));
  remove(flight);
}

void Driver::remove(Flight& flight) {
  if (flight.progress().state == RequestState::kWaiting && !flight.is_followed) {
    --flight.run->waiting;
  }
  RunCounts& run = *flight.run;
  --run.in_flight;
  if (run.is_ended && run.in_flight == 0) runs_.erase(flight.run_id);
  pilot_.forget(flight);
  const std::vector<Submission> joined = std::exchange(flight.joined, {});
  flights_.erase(flights_.find(flight.id()));
  for (const Submission& submission : joined) submit(submission);
}

}  // namespace filecall::client
