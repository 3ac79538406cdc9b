// SPDX-License-Identifier: MIT
#include "spool/pending_scan.h"

#include <unistd.h>

#include <string>

#include "os/clock.h"
#include "spool/layout.h"
#include "spool/publish.h"

namespace filecall::spool {

PendingScan::PendingScan(std::shared_ptr<const Directories> directories, bool sweep,
                         OnForeign on_foreign, DirectoryReader reader)
    : directories_(std::move(directories)),
      sweep_(sweep),
      on_foreign_(std::move(on_foreign)),
      reader_(std::move(reader)) {}

Result<PendingScan> PendingScan::begin(std::shared_ptr<const Directories> directories, bool sweep,
                                       OnForeign on_foreign) {
  TRY_ASSIGN(auto reader, DirectoryReader::open(directories->responses.get()));
  return PendingScan(std::move(directories), sweep, std::move(on_foreign), std::move(reader));
}

Result<bool> PendingScan::step() {
  const MonotonicTime began = monotonic_now();
  auto done = reads_requests_ ? step_requests() : step_responses();
  cost_ += monotonic_now() - began;
  return done;
}

Result<bool> PendingScan::step_responses() {
  TRY_ASSIGN(const bool more, reader_.step([this](const DirectoryEntry& entry) {
    if (const auto stem = Layout::stem_of(entry.name)) {
      answered_.insert(*stem);
    } else if (sweep_ && Layout::is_temporary(entry.name) && !is_own_temporary(entry.name)) {
      ::unlinkat(directories_->responses.get(), std::string(entry.name).c_str(), 0);
    }
  }));
  if (more) return false;
  TRY_ASSIGN(reader_, DirectoryReader::open(directories_->requests.get()));
  reads_requests_ = true;
  return false;
}

Result<bool> PendingScan::step_requests() {
  TRY_ASSIGN(const bool more, reader_.step([this](const DirectoryEntry& entry) {
    const auto stem = Layout::stem_of(entry.name);
    if (sweep_ && Layout::is_cookie(entry.name)) {
      // Other temporaries here are those of clients, which may live.
      ::unlinkat(directories_->requests.get(), std::string(entry.name).c_str(), 0);
    } else if (!stem || !entry.may_be_regular) {
      if (entry.name.front() != '.') on_foreign_(entry.name);
    } else if (!answered_.contains(*stem)) {
      pending_.add(*stem);
    }
  }));
  return !more;
}

NameList PendingScan::take() {
  pending_.sort();
  return std::move(pending_);
}

}  // namespace filecall::spool
