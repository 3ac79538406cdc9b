// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "base/time.h"
#include "ipc/limits.h"
#include "spool/arrival.h"
#include "spool/backlog.h"
#include "spool/name_list.h"
#include "spool/recent_names.h"
#include "spool/request_reader.h"
#include "spool/root.h"
#include "spool/settling.h"

namespace filecall::spool {

/// What becomes of a name: looks whether it is answered, reads it, lets it settle, hands it out and
/// remembers that it is held. Knows names and files, not where names come from. One thread.
class Inbox {
 public:
  /// `may_repeat`: see RootReaderOptions.
  Inbox(const RequestLimits& limits, Duration settle,
        std::function<bool(const Request&)> may_repeat = nullptr)
      : reader_(limits), settle_(settle), may_repeat_(std::move(may_repeat)) {}

  /// Something happened to this request or to its response.
  void hint(std::string_view stem);
  /// A name in requests/ that is no request. Counted once.
  void note_foreign(std::string_view name);
  /// Takes a scan's (sorted) result over, in the stead of the last one's.
  void take_scanned(const NameList& pending);
  bool knows(std::string_view stem);

  /// Next arrival, now held. Looks at a bounded number of names; when more wait, next_wake() is
  /// now.
  std::optional<Arrival> next(const Directories& directories, MonotonicTime now);
  Result<Arrival> read_again(const Directories& directories, std::string_view stem,
                             MonotonicTime now);
  bool hold(std::string_view stem);
  bool is_held(std::string_view stem) const { return held_.contains(stem); }
  bool is_any_held() const { return !held_.empty(); }
  /// `is_answered`: as far as the caller knows. If not, or if an event came while it was held, the
  /// name waits again.
  void release(std::string_view stem, bool is_answered);
  /// Brings up what has settled by now.
  void on_wake(MonotonicTime now);
  Deadline next_wake() const;

  /// Names were dropped for lack of room: true once when a scan should find them again.
  bool take_forgotten();
  bool has_forgotten() const { return backlog_.has_forgotten() || has_forgotten_settling_; }
  bool is_empty() const { return backlog_.empty() && settling_.empty() && !has_forgotten(); }
  std::size_t waiting() const { return backlog_.size() + settling_.size(); }
  std::size_t ignored() const { return foreign_.size(); }

 private:
  std::optional<Arrival> look(const Directories& directories, const std::string& stem,
                              MonotonicTime now);
  std::optional<Arrival> weigh(const std::string& stem, RequestFile file, MonotonicTime now);
  void nothing_there(const std::string& stem, NoRequestFile why, MonotonicTime now);
  Arrival hand_out(const std::string& stem, RequestFile file, MonotonicTime now);
  void put_settling(const std::string& stem, const SettleState& state, MonotonicTime look_at);

  RequestReader reader_;
  Duration settle_;
  std::function<bool(const Request&)> may_repeat_;
  RecentNames answered_;
  Backlog backlog_;
  Settling settling_;
  /// The value: an event came meanwhile.
  std::unordered_map<std::string, bool, StringHash, std::equal_to<>> held_;
  NameHashSet foreign_;
  bool has_forgotten_settling_ = false;
  bool is_stalled_ = false;
};

}  // namespace filecall::spool
