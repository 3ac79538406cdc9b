// SPDX-License-Identifier: MIT
#include "worker/engine/memory_source.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace filecall::worker {
namespace {

constexpr Duration kMemoryRetryPeriod = seconds(1);

class MemoryEvents final : public EventSink {
 public:
  explicit MemoryEvents(std::vector<Json>& events) : events_(events) {}
  bool write(const Json& event) override {
    events_.push_back(event);
    return true;
  }

 private:
  std::vector<Json>& events_;
};

}  // namespace

MemorySource::MemorySource(MemoryRoot& root, const Clock& clock, Fault fault)
    : root_(root), clock_(clock), fault_(fault), earlier_starts_(root.starts) {}

void MemorySource::notice_all() {
  for (const auto& [stem, text] : root_.requests) notice(stem);
}

void MemorySource::take(Step step) {
  if (!is_deferring_) return step();
  steps_.push_back(std::move(step));
}

bool MemorySource::perform() {
  if (steps_.empty()) return false;
  const Step step = std::move(steps_.front());
  steps_.pop_front();
  step();
  return true;
}

Deadline MemorySource::next_wake() const {
  Deadline wake = noticed_.empty() ? retry_at_ : Deadline::at({});
  for (const auto& [stem, lapses] : held_) wake = std::min(wake, lapses);
  return wake;
}

void MemorySource::on_wake(MonotonicTime now) {
  if (retry_at_.is_reached(now)) {
    retry_at_ = Deadline::never();
    for (Undelivered& undelivered : std::exchange(stuck_, {})) deliver(std::move(undelivered));
  }
  std::erase_if(held_, [&](const auto& entry) {
    const bool has_lapsed = entry.second.is_reached(now);
    if (has_lapsed) notice(entry.first);
    return has_lapsed;
  });
}

Arrival MemorySource::read(std::string_view stem, MonotonicTime now) const {
  const std::string& text = root_.requests.find(stem)->second;
  return {
      std::string(stem), parse_request(text, stem), text.size(), clock_.wall(), now, {}, 0, false};
}

std::optional<Arrival> MemorySource::next(MonotonicTime now) {
  while (!noticed_.empty()) {
    const std::string stem = std::move(noticed_.front());
    noticed_.pop_front();
    if (!root_.is_pending(stem) || held_.contains(stem)) continue;
    held_.emplace(stem, Deadline::never());
    extend(stem, now);
    Arrival arrival = read(stem, now);
    arrival.earlier_start = take_earlier_start(stem);
    return arrival;
  }
  return std::nullopt;
}

bool MemorySource::is_pending(std::string_view stem) const { return root_.is_pending(stem); }

Result<Arrival> MemorySource::read_again(std::string_view stem, MonotonicTime now) {
  if (!root_.requests.contains(stem)) return fail(ErrorCode::kNotFound, "withdrawn");
  return read(stem, now);
}

void MemorySource::extend(std::string_view stem, MonotonicTime now) {
  const auto held = held_.find(stem);
  if (held != held_.end() && lease_ != Duration::zero()) {
    held->second = Deadline::after(now, lease_);
  }
}

void MemorySource::settle(std::string_view stem, Settlement how) {
  const auto held = held_.find(stem);
  CHECK(held != held_.end(), "only what is held can be settled");
  held_.erase(held);
  if (how == Settlement::kReturned || root_.is_pending(stem)) notice(stem);
}

void MemorySource::record_start(const Start& start, std::function<void(Result<void>)> done) {
  take([this, stem = std::string(start.stem), record = start.record, done = std::move(done)] {
    Result<void> result;
    if (refused_starts_) {
      result = Unexpected(*refused_starts_);
    } else if (fault_ != Fault::kForgetsStarts) {
      root_.starts.insert_or_assign(stem, record);
    }
    take([done, result] { done(result); });
  });
}

void MemorySource::withdraw_start(std::string_view stem, const StartRecord&) {
  if (const auto found = root_.starts.find(stem); found != root_.starts.end()) {
    root_.starts.erase(found);
  }
}

void MemorySource::answer(Answer answer, Answered done) {
  // Captures of a std::function are copied.
  auto sent = std::make_shared<Undelivered>(Undelivered{std::move(answer), std::move(done)});
  take([this, sent] { deliver(std::move(*sent)); });
}

void MemorySource::deliver(Undelivered undelivered) {
  if (refused_answers_) {
    stuck_.push_back(std::move(undelivered));
    retry_at_ = Deadline::after(clock_.monotonic(), kMemoryRetryPeriod);
    return;
  }
  Answer& answer = undelivered.answer;
  const bool is_first = !root_.answers.contains(answer.stem);
  if (is_first) {
    root_.answers.emplace(answer.stem, std::move(answer.bytes));
  } else if (!answer.may_repeat) {
    root_.late[answer.stem].push_back(std::move(answer.bytes));
  }
  if (answer.start) withdraw_start(answer.stem, *answer.start);
  take(
      [stem = answer.stem, is_first, done = std::move(undelivered.done)] { done(stem, is_first); });
}

std::unique_ptr<EventSink> MemorySource::events(std::string_view stem) {
  return std::make_unique<MemoryEvents>(root_.events[std::string(stem)]);
}

void MemorySource::cancel(std::string_view stem, Cancelled done) {
  take([this, stem = std::string(stem), done = std::move(done)] {
    const SourceCancel result = cancel_now(stem);
    done(result, result == SourceCancel::kHeld ? take_earlier_start(stem) : std::nullopt);
  });
}

std::optional<StartRecord> MemorySource::take_earlier_start(const std::string& stem) {
  const auto left = earlier_starts_.extract(stem);
  return left.empty() ? std::nullopt : std::optional(left.mapped());
}

SourceCancel MemorySource::cancel_now(std::string_view stem) {
  if (const auto other = elsewhere_.find(stem); other != elsewhere_.end()) return other->second;
  if (!root_.is_pending(stem)) {
    return root_.answers.contains(stem) ? SourceCancel::kAnswered : SourceCancel::kUnknown;
  }
  if (held_.contains(stem)) return SourceCancel::kAnswered;
  held_.emplace(stem, Deadline::never());
  return SourceCancel::kHeld;
}

SourceState MemorySource::state() const {
  const bool is_idle = steps_.empty() && stuck_.empty();
  const std::string_view problem =
      stuck_.empty() || !refused_answers_ ? std::string_view() : refused_answers_->message;
  return {noticed_.empty(), is_idle, problem, static_cast<std::int64_t>(noticed_.size()), lease_};
}

}  // namespace filecall::worker
