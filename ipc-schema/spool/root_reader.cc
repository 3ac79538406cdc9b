// SPDX-License-Identifier: MIT
#include "spool/root_reader.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace filecall::spool {
namespace {

// Before a scan's find is called a missed event, everything that is queued must be read.
constexpr int kBuffersMax = 64;

}  // namespace

RootReader::RootReader(Root& root, const RootReaderOptions& options,
                       std::function<void(std::string_view)> on_deleted)
    : name_(root.layout().root()),
      watch_(root, {kAppearedMask, kVanishedMask, options.force_poll, options.poll_period}),
      inbox_(options.request_limits, options.settle, options.may_repeat),
      on_deleted_(std::move(on_deleted)) {}

void RootReader::on_readable() { read_events(kBuffersPerRead); }

Result<Arrival> RootReader::read_again(std::string_view stem, MonotonicTime now) {
  return inbox_.read_again(*watch_.directories(), stem, now);
}

Deadline RootReader::next_wake() const {
  if (scan_) return Deadline::at({});
  return std::min({inbox_.next_wake(), watch_.next_check(), watch_.next_scan()});
}

void RootReader::on_wake(MonotonicTime now) {
  inbox_.on_wake(now);
  if (watch_.check(now)) scan_.reset();
  if (scan_) {
    continue_scan(now);
  } else if (watch_.next_scan().is_reached(now)) {
    begin_scan(now);
  }
}

std::optional<Arrival> RootReader::next(MonotonicTime now) {
  auto arrival = inbox_.next(*watch_.directories(), now);
  if (!arrival && inbox_.take_forgotten()) watch_.want_scan();
  return arrival;
}

bool RootReader::read_events(int buffers) {
  return watch_.read(buffers, [this](const WatchEvent& event) {
    if (const auto stem = Layout::stem_of(event.name)) {
      if (event.place == Place::kResponses && on_deleted_) on_deleted_(*stem);
      inbox_.hint(*stem);
    } else if (event.place == Place::kRequests) {
      inbox_.note_foreign(event.name);
    }
  });
}

void RootReader::begin_scan(MonotonicTime now) {
  is_timer_scan_ = has_scanned_ && !watch_.is_scan_wanted();
  watch_.scan_began();
  ++scans_;
  auto scan = PendingScan::begin(watch_.directories(), !has_swept_,
                                 [this](std::string_view name) { inbox_.note_foreign(name); });
  if (!scan) return fail_scan(scan.error(), now);
  scan_.emplace(std::move(*scan));
  continue_scan(now);
}

void RootReader::continue_scan(MonotonicTime now) {
  for (int i = 0; i < kStepsPerWake; ++i) {
    const auto done = scan_->step();
    if (!done) return fail_scan(done.error(), now);
    if (*done) return end_scan(now);
  }
}

void RootReader::end_scan(MonotonicTime now) {
  const Duration cost = scan_->cost();
  const NameList pending = scan_->take();
  scan_.reset();
  has_scanned_ = true;
  has_swept_ = true;
  if (is_timer_scan_) look_for_missed(pending);
  inbox_.take_scanned(pending);
  watch_.scan_ended(now, cost);
}

void RootReader::fail_scan(const Error& error, MonotonicTime now) {
  log_warn("{}: {}; trying again", name_, error.message);
  scan_.reset();
  has_scanned_ = false;
  watch_.scan_failed(now);
}

/// While nothing was lost that we know of, an event named every pending request. One that was
/// not means that events of some writers do not arrive (another machine, another layer).
void RootReader::look_for_missed(const NameList& pending) {
  if (watch_.mode() == WatchMode::kPoll || inbox_.has_forgotten()) return;
  if (read_events(kBuffersMax) || watch_.is_scan_wanted()) return;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (inbox_.knows(pending[i]) || !is_regular_pending(pending[i])) continue;
    return watch_.distrust(fmt::format("a scan found {}, which no event had named", pending[i]));
  }
}

bool RootReader::is_pending(std::string_view stem) const {
  const Directories& directories = *watch_.directories();
  const std::string file = Layout::file_name(stem);
  return ::faccessat(directories.requests.get(), file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
         !is_answered(stem);
}

bool RootReader::is_answered(std::string_view stem) const {
  return ::faccessat(watch_.directories()->responses.get(), Layout::file_name(stem).c_str(), F_OK,
                     AT_SYMLINK_NOFOLLOW) == 0;
}

bool RootReader::is_regular_pending(std::string_view stem) const {
  struct stat info {};
  return ::fstatat(watch_.directories()->requests.get(), Layout::file_name(stem).c_str(), &info,
                   AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info.st_mode) && is_pending(stem);
}

}  // namespace filecall::spool
