// SPDX-License-Identifier: MIT
#include "spool/response_watch.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

#include "base/hash.h"
#include "base/log.h"
#include "os/clock.h"
#include "spool/scan.h"
#include "spool/spool_watch.h"

namespace filecall::spool {
namespace {

using Stems = std::unordered_set<std::string, StringHash, std::equal_to<>>;

class SpoolResponseWatch final : public ResponseWatch {
 public:
  SpoolResponseWatch(Root& root, const ResponseWatchOptions& options, Interest interest)
      : follows_requests_(options.requests),
        interest_(std::move(interest)),
        watch_(root, {options.requests ? kAppearedMask : 0, kAppearedMask | kVanishedMask,
                      options.force_poll, options.poll_period}) {}

  int poll_fd() const override { return watch_.poll_fd(); }
  void on_readable(MonotonicTime) override {
    watch_.read(kBuffersPerRead, [this](const WatchEvent& event) {
      note(event.place == spool::Place::kRequests ? Place::kRequest : Place::kResponse, event.name);
    });
  }
  Deadline next_wake() const override {
    if (scan_) return Deadline::at({});
    return std::min(watch_.next_check(), watch_.next_scan());
  }
  void on_wake(MonotonicTime now) override;
  Taken take() override;
  void request_scan(MonotonicTime) override { watch_.want_scan(); }

  WatchMode mode() const override { return watch_.mode(); }

 private:
  struct Scan {
    Place place;
    DirectoryReader reader;
    Duration cost{};
  };

  Result<void> begin_scan(Place place);
  /// True: all that is followed was read.
  Result<bool> step_scan();
  void note(Place place, std::string_view file_name);

  bool follows_requests_;
  Interest interest_;
  SpoolWatch watch_;
  std::optional<Scan> scan_;
  Stems hinted_[2];  ///< Indexed by Place.
  bool has_scanned_ = false;
};

void SpoolResponseWatch::note(Place place, std::string_view file_name) {
  const auto stem = Layout::stem_of(file_name);
  if (stem && interest_(place, *stem)) hinted_[static_cast<int>(place)].emplace(*stem);
}

void SpoolResponseWatch::on_wake(MonotonicTime now) {
  if (watch_.check(now)) scan_.reset();
  Result<void> ok;
  if (!scan_ && watch_.next_scan().is_reached(now)) {
    watch_.scan_began();
    ok = begin_scan(Place::kResponse);
  }
  for (int i = 0; ok && scan_ && i < kStepsPerWake; ++i) {
    const auto done = step_scan();
    if (!done) {
      ok = Unexpected(done.error());
    } else if (*done) {
      watch_.scan_ended(now, scan_->cost);
      scan_.reset();
      has_scanned_ = true;
    }
  }
  if (!ok) {
    log_warn("{}; trying again", ok.error().message);
    scan_.reset();
    watch_.scan_failed(now);
  }
}

Result<void> SpoolResponseWatch::begin_scan(Place place) {
  const Directories& directories = *watch_.directories();
  const UniqueFd& fd = place == Place::kResponse ? directories.responses : directories.requests;
  TRY_ASSIGN(auto reader, DirectoryReader::open(fd.get()));
  const Duration cost = scan_ ? scan_->cost : Duration::zero();
  scan_.emplace(Scan{place, std::move(reader), cost});
  return {};
}

Result<bool> SpoolResponseWatch::step_scan() {
  const MonotonicTime began = monotonic_now();
  TRY_ASSIGN(const bool more, scan_->reader.step([this](const DirectoryEntry& entry) {
    if (entry.may_be_regular) note(scan_->place, entry.name);
  }));
  scan_->cost += monotonic_now() - began;
  if (more) return false;
  if (scan_->place == Place::kRequest || !follows_requests_) return true;
  TRY(begin_scan(Place::kRequest));
  return false;
}

ResponseWatch::Taken SpoolResponseWatch::take() {
  Taken out;
  for (const Place place : {Place::kResponse, Place::kRequest}) {
    Stems& stems = hinted_[static_cast<int>(place)];
    while (!stems.empty()) {
      out.hints.push_back({place, std::move(stems.extract(stems.begin()).value())});
    }
  }
  out.scanned = std::exchange(has_scanned_, false);
  return out;
}

}  // namespace

Result<std::unique_ptr<ResponseWatch>> ResponseWatch::open(Root& root,
                                                           const ResponseWatchOptions& options,
                                                           Interest interest, MonotonicTime) {
  return std::unique_ptr<ResponseWatch>(
      std::make_unique<SpoolResponseWatch>(root, options, std::move(interest)));
}

}  // namespace filecall::spool
