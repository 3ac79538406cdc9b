// SPDX-License-Identifier: MIT
#include "spool/directory_source.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "os/io.h"
#include "spool/answers.h"
#include "spool/inbox.h"
#include "spool/journal_repair.h"
#include "spool/journaled_answers.h"
#include "spool/pending_scan.h"
#include "spool/spool_watch.h"
#include "spool/start_records.h"

namespace filecall::spool {
namespace {

// Before a scan's find is called a missed event, everything that is queued must be read.
constexpr int kBuffersMax = 64;

class DirectorySource final : public Source {
 public:
  DirectorySource(Root root, const DirectorySourceOptions& options)
      : root_(std::move(root)),
        name_(root_.layout().root()),
        watch_(root_, {kAppearedMask, kVanishedMask, options.force_poll, options.poll_period}),
        inbox_(options.request_limits, options.settle, options.may_repeat),
        // What is written beside the journal (a late answer) is rare, and durable by itself.
        answers_(root_, options.durability == Durability::kJournal ? Durability::kFull
                                                                   : options.durability) {
    if (options.durability == Durability::kJournal) journaled_.emplace(root_, answers_);
  }

  Result<void> recover() {
    const auto directories = root_.directories();
    TRY(sweep_temporaries(*directories));
    TRY(repair_from_journal(*directories));
    TRY_ASSIGN(interrupted_, recover_start_records(*directories, answers_.durability()));
    return {};
  }

  const std::string& name() const override { return name_; }
  int poll_fd() const override { return watch_.poll_fd(); }
  void on_readable(MonotonicTime) override { read_events(kBuffersPerRead); }
  Deadline next_wake() const override;
  void on_wake(MonotonicTime now) override;

  std::optional<Arrival> next(MonotonicTime now) override;
  Result<Arrival> read_again(std::string_view stem, MonotonicTime now) override {
    return inbox_.read_again(*watch_.directories(), stem, now);
  }
  bool hold(std::string_view stem) override {
    if (!inbox_.hold(stem)) return false;
    answers_.take_published(stem);
    return true;
  }
  void release(std::string_view stem) override {
    inbox_.release(stem, answers_.take_published(stem));
  }
  bool is_pending(std::string_view stem) const override;
  bool is_answered(std::string_view stem) const override;
  bool is_drained() const override {
    return has_scanned_ && !scan_ && !watch_.is_scan_wanted() && inbox_.is_empty();
  }
  std::vector<StartRecordName> interrupted() const override { return interrupted_; }
  SourceStats stats() const override;

  Result<UniqueFd> open_events(std::string_view stem) override {
    TRY(make_directories(root_.layout().events()));
    return open_file(root_.layout().events(stem), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW);
  }

  Result<void> record_start(const StartRecordName& record, std::string_view json) override {
    return answers_.record_start(record, json);
  }
  Result<void> forget_start(const StartRecordName& record) override {
    TRY(answers_.forget_start(record));
    if (journaled_) journaled_->note_withdrawn(record.stem);
    return {};
  }
  Result<Publication> publish(std::string_view stem, std::string_view bytes,
                              const std::optional<StartRecordName>& record) override {
    return answers_.publish(stem, bytes, record);
  }
  Result<void> sync_published() override { return answers_.sync_published(); }
  Result<void> keep_late(std::string_view stem, std::string_view bytes) override {
    return answers_.keep_late(stem, bytes);
  }
  bool is_blocking() const override { return answers_.durability() != Durability::kNone; }

  bool is_grouped() const override { return journaled_.has_value(); }
  void stage(Posting& posting) override { journaled_->stage(posting); }
  void log(std::span<Posting> postings) override { journaled_->log(postings); }
  void publish_logged(std::span<Posting> postings) override {
    journaled_->publish_logged(postings);
  }
  bool wants_checkpoint() const override { return journaled_ && journaled_->wants_checkpoint(); }
  bool has_journal() const override { return journaled_ && journaled_->has_records(); }
  Result<void> checkpoint() override {
    return journaled_ ? journaled_->checkpoint() : Result<void>();
  }
  Result<void> rest() override { return journaled_ ? journaled_->rest() : Result<void>(); }

 private:
  bool read_events(int buffers);
  void note_deleted(std::string_view stem);
  void begin_scan(MonotonicTime now);
  void continue_scan(MonotonicTime now);
  void end_scan(MonotonicTime now);
  void fail_scan(const Error& error, MonotonicTime now);
  void look_for_missed(const NameList& pending);
  bool is_regular_pending(std::string_view stem) const;

  Root root_;
  std::string name_;
  SpoolWatch watch_;
  Inbox inbox_;
  Answers answers_;
  std::optional<JournaledAnswers> journaled_;
  std::optional<PendingScan> scan_;
  bool is_timer_scan_ = false;  ///< The one that is under way: nothing told of a loss.
  bool has_scanned_ = false;    ///< The last scan got to its end.
  bool has_swept_ = false;
  std::int64_t scans_ = 0;
  std::vector<StartRecordName> interrupted_;
};

Deadline DirectorySource::next_wake() const {
  if (scan_) return Deadline::at({});
  return std::min({inbox_.next_wake(), watch_.next_check(), watch_.next_scan()});
}

void DirectorySource::on_wake(MonotonicTime now) {
  inbox_.on_wake(now);
  if (watch_.check(now)) scan_.reset();
  if (scan_) {
    continue_scan(now);
  } else if (watch_.next_scan().is_reached(now)) {
    begin_scan(now);
  }
}

std::optional<Arrival> DirectorySource::next(MonotonicTime now) {
  auto arrival = inbox_.next(*watch_.directories(), now);
  if (arrival) {
    // What was published for it before it was held (a cancel) is no answer to this handing out.
    answers_.take_published(arrival->stem);
  } else if (inbox_.take_forgotten()) {
    watch_.want_scan();
  }
  return arrival;
}

bool DirectorySource::read_events(int buffers) {
  return watch_.read(buffers, [this](const WatchEvent& event) {
    if (const auto stem = Layout::stem_of(event.name)) {
      if (event.place == Place::kResponses) note_deleted(*stem);
      inbox_.hint(*stem);
    } else if (event.place == Place::kRequests) {
      inbox_.note_foreign(event.name);
    }
  });
}

/// Who deleted a response wants another attempt: a power cut must not bring the old one back. While
/// a request is held, the next words on it are on their way and count anyhow.
void DirectorySource::note_deleted(std::string_view stem) {
  if (!has_journal() || inbox_.is_held(stem) || is_answered(stem)) return;
  journaled_->note_withdrawn(stem);
}

void DirectorySource::begin_scan(MonotonicTime now) {
  is_timer_scan_ = has_scanned_ && !watch_.is_scan_wanted();
  watch_.scan_began();
  ++scans_;
  auto scan = PendingScan::begin(watch_.directories(), !has_swept_,
                                 [this](std::string_view name) { inbox_.note_foreign(name); });
  if (!scan) return fail_scan(scan.error(), now);
  scan_.emplace(std::move(*scan));
  continue_scan(now);
}

void DirectorySource::continue_scan(MonotonicTime now) {
  for (int i = 0; i < kStepsPerWake; ++i) {
    const auto done = scan_->step();
    if (!done) return fail_scan(done.error(), now);
    if (*done) return end_scan(now);
  }
}

void DirectorySource::end_scan(MonotonicTime now) {
  const Duration cost = scan_->cost();
  const NameList pending = scan_->take();
  scan_.reset();
  has_scanned_ = true;
  has_swept_ = true;
  if (is_timer_scan_) look_for_missed(pending);
  inbox_.take_scanned(pending);
  watch_.scan_ended(now, cost);
}

void DirectorySource::fail_scan(const Error& error, MonotonicTime now) {
  log_warn("{}: {}; trying again", name_, error.message);
  scan_.reset();
  has_scanned_ = false;
  watch_.scan_failed(now);
}

/// While nothing was lost that we know of, every pending name was told by an event. One that was
/// not means that events of some writers do not arrive (another machine, another layer).
void DirectorySource::look_for_missed(const NameList& pending) {
  if (watch_.mode() == WatchMode::kPoll || inbox_.has_forgotten()) return;
  if (read_events(kBuffersMax) || watch_.is_scan_wanted()) return;
  for (std::size_t i = 0; i < pending.size(); ++i) {
    if (inbox_.knows(pending[i]) || !is_regular_pending(pending[i])) continue;
    return watch_.distrust(fmt::format("a scan found {}, which no event had told", pending[i]));
  }
}

bool DirectorySource::is_pending(std::string_view stem) const {
  const Directories& directories = *watch_.directories();
  const std::string file = Layout::file_name(stem);
  return ::faccessat(directories.requests.get(), file.c_str(), F_OK, AT_SYMLINK_NOFOLLOW) == 0 &&
         !is_answered(stem);
}

bool DirectorySource::is_answered(std::string_view stem) const {
  return ::faccessat(watch_.directories()->responses.get(), Layout::file_name(stem).c_str(), F_OK,
                     AT_SYMLINK_NOFOLLOW) == 0;
}

bool DirectorySource::is_regular_pending(std::string_view stem) const {
  struct stat info {};
  return ::fstatat(watch_.directories()->requests.get(), Layout::file_name(stem).c_str(), &info,
                   AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info.st_mode) && is_pending(stem);
}

SourceStats DirectorySource::stats() const {
  return {static_cast<std::int64_t>(inbox_.waiting()),
          static_cast<std::int64_t>(inbox_.ignored()),
          watch_.overflows(),
          scans_,
          watch_.mode(),
          watch_.reason()};
}

}  // namespace

Result<std::unique_ptr<Source>> open_directory_source(Root root,
                                                      const DirectorySourceOptions& options,
                                                      MonotonicTime) {
  auto source = std::make_unique<DirectorySource>(std::move(root), options);
  TRY(source->recover());
  return std::unique_ptr<Source>(std::move(source));
}

}  // namespace filecall::spool
