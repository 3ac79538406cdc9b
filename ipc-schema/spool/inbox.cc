// SPDX-License-Identifier: MIT
#include "spool/inbox.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "base/result.h"
#include "os/clock.h"
#include "spool/layout.h"

namespace filecall::spool {
namespace {

// Names looked at in one call of next(): some 5 us each when they turn out to be nothing.
constexpr int kLooksPerCall = 64;
constexpr std::size_t kForeignMax = 65536;
constexpr std::size_t kSettlingMax = 65536;
constexpr Duration kTransientPause = seconds(1);

}  // namespace

void Inbox::hint(std::string_view stem) {
  if (const auto held = held_.find(stem); held != held_.end()) {
    held->second = true;
    return;
  }
  const bool has_room = backlog_.push(stem) || !backlog_.has_forgotten();
  if (settling_.empty()) return;
  if (!has_room) {
    settling_.erase(stem);
  } else if (Settling::Entry* entry = settling_.find(stem)) {
    entry->is_due = false;
  }
}

void Inbox::note_foreign(std::string_view name) {
  if (!name.starts_with('.') && foreign_.size() < kForeignMax) foreign_.insert(name);
}

bool Inbox::knows(std::string_view stem) {
  return held_.find(stem) != held_.end() || backlog_.contains(stem) ||
         settling_.find(stem) != nullptr;
}

void Inbox::take_scanned(const NameList& pending) {
  NameList fresh;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    const std::string_view stem = pending[i];
    if (held_.find(stem) != held_.end() || backlog_.is_hinted(stem)) continue;
    if (settling_.find(stem) != nullptr) continue;
    fresh.add(stem);
  }
  backlog_.replace_scanned(std::move(fresh));
}

std::optional<Arrival> Inbox::next(const Directories& directories, MonotonicTime now) {
  is_stalled_ = false;
  for (int looks = 0; looks < kLooksPerCall; ++looks) {
    const auto stem = backlog_.pop();
    if (!stem) return {};
    if (auto arrival = look(directories, *stem, now)) return arrival;
  }
  is_stalled_ = !backlog_.empty();
  return {};
}

std::optional<Arrival> Inbox::look(const Directories& directories, const std::string& stem,
                                   MonotonicTime now) {
  if (const auto held = held_.find(stem); held != held_.end()) {
    held->second = true;
    return {};
  }
  const std::string name = Layout::file_name(stem);
  const auto is_answered = [&] {
    return ::faccessat(directories.responses.get(), name.c_str(), F_OK, 0) == 0;
  };
  // Nearly every name that comes up is new. Where a second answer does no harm (it is refused when
  // it is published), the look into responses/ is a twelfth of the work and left out.
  const bool may_be_new = may_repeat_ && !answered_.contains(stem);
  if (!may_be_new && is_answered()) {
    settling_.erase(stem);
    return {};
  }
  auto outcome = reader_.read(directories.requests.get(), name, stem);
  if (!outcome) {
    nothing_there(stem, outcome.error(), now);
    return {};
  }
  auto& file = *outcome;
  if (may_be_new && !(file.content && may_repeat_(*file.content)) && is_answered()) {
    answered_.add(stem);
    settling_.erase(stem);
    return {};
  }
  return weigh(stem, std::move(file), now);
}

void Inbox::nothing_there(const std::string& stem, NoRequestFile why, MonotonicTime now) {
  if (why == NoRequestFile::kTransient) return put_settling(stem, {{}, now}, now + kTransientPause);
  if (why == NoRequestFile::kForeign) note_foreign(Layout::file_name(stem));
  settling_.erase(stem);
}

std::optional<Arrival> Inbox::weigh(const std::string& stem, RequestFile file, MonotonicTime now) {
  if (!file.content) {
    const Settling::Entry* known = settling_.empty() ? nullptr : settling_.find(stem);
    SettleState state = known != nullptr ? known->state : SettleState{file.identity, now};
    const bool had_event = known != nullptr && !known->is_due;
    const SettleVerdict verdict = settle(
        state, {file.content.error().kind, file.writer, file.identity}, had_event, now, settle_);
    if (!verdict.deliver) {
      put_settling(stem, state, verdict.look_again);
      return {};
    }
  }
  return hand_out(stem, std::move(file), now);
}

void Inbox::put_settling(const std::string& stem, const SettleState& state, MonotonicTime look_at) {
  if (settling_.size() < kSettlingMax || settling_.find(stem) != nullptr) {
    settling_.put(stem, state, look_at);
  } else {
    has_forgotten_settling_ = true;
  }
}

Arrival Inbox::hand_out(const std::string& stem, RequestFile file, MonotonicTime now) {
  settling_.erase(stem);
  held_.emplace(stem, false);
  return {stem,
          std::move(file.content),
          static_cast<std::size_t>(file.identity.size),
          wall_now(),
          now,
          file.owner};
}

Result<Arrival> Inbox::read_again(const Directories& directories, std::string_view stem,
                                  MonotonicTime now) {
  auto outcome = reader_.read(directories.requests.get(), Layout::file_name(stem), stem);
  if (!outcome) {
    if (outcome.error() == NoRequestFile::kTransient) {
      return fail(ErrorCode::kUnavailable, fmt::format("{}: cannot be opened now", stem));
    }
    return fail(ErrorCode::kNotFound, fmt::format("{}: the request was withdrawn", stem));
  }
  auto& file = *outcome;
  return Arrival{std::string(stem),
                 std::move(file.content),
                 static_cast<std::size_t>(file.identity.size),
                 wall_now(),
                 now,
                 file.owner};
}

bool Inbox::hold(std::string_view stem) {
  settling_.erase(stem);
  return held_.try_emplace(std::string(stem), false).second;
}

void Inbox::release(std::string_view stem, bool is_answered) {
  const auto held = held_.find(stem);
  if (held == held_.end()) return;
  const bool must_look = held->second || !is_answered;
  held_.erase(held);
  if (is_answered) answered_.add(stem);
  if (must_look) backlog_.push(stem);
}

void Inbox::on_wake(MonotonicTime now) {
  is_stalled_ = false;
  for (const std::string& stem : settling_.take_due(now)) {
    if (!backlog_.push(stem) && backlog_.has_forgotten()) settling_.erase(stem);
  }
}

Deadline Inbox::next_wake() const { return is_stalled_ ? Deadline::at({}) : settling_.next_due(); }

bool Inbox::take_forgotten() {
  if (!has_forgotten() || !backlog_.empty() || settling_.size() > kSettlingMax / 2) return false;
  backlog_.clear_forgotten();
  has_forgotten_settling_ = false;
  return true;
}

}  // namespace filecall::spool
