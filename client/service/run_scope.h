// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/runs/run_items.h"
#include "client/runs/run_metadata.h"
#include "client/runs/run_record.h"
#include "client/service/conversation_look.h"
#include "client/service/ledger.h"
#include "client/service/run_result_look.h"
#include "ipc/json.h"
#include "spool/layout.h"
#include "spool/name_list.h"

namespace filecall::client {

/// What somebody asked to look at; empty members: the latest run.
struct RunChoice {
  std::string run{};    ///< As RunFiles::find() takes it.
  std::string batch{};  ///< The latest run of the batch of that name.
  bool mixes = false;   ///< All runs (of the batch) together, and what no run lists.
};

/// The requests that a command is about: those that one run lists or, when that was asked for, of
/// several together. Where nothing was run (or no run has the batch), all requests of the root (and
/// of the batch, by their rows). Not thread-safe.
class RunScope {
 public:
  /// Failures: not_found, there is no such run; invalid_argument, a run and `mixes`; the files'.
  static Result<RunScope> choose(const spool::Layout& layout, const RunChoice& choice);

  /// Newest first; empty: no run tells what belongs to it.
  const std::vector<RunRecord>& runs() const { return runs_; }
  std::vector<std::string> run_ids() const;
  /// For people: of the run, or of the batch; empty: neither.
  std::string name() const;
  /// What else there is that was not asked for, and how to ask; empty: nothing.
  const std::string& notice() const { return notice_; }

  struct Member {
    /// NEW when it is not dropped yet; its error_message then says whom it waits for.
    RequestEntry entry;
    Json metadata;  ///< The run's own; null: the request's file tells.
    /// Of a request that began a conversation: all of it. `entry` then is about the whole.
    std::shared_ptr<const ConversationLook> conversation{};
    RunResultLook run_result{};
  };
  /// In the order of the run's list, or of the ids; then come those that runs list and the root
  /// has no files of any more, or not yet. `visit` returns false to stop.
  Result<void> each(Ledger& ledger, const std::function<bool(const Member&)>& visit) const;
  /// What the runs say of single requests.
  Result<RunMetadata> metadata() const;

 private:
  explicit RunScope(spool::Layout layout) : layout_(std::move(layout)) {}
  Result<void> each_of_root(Ledger& ledger, const std::function<bool(const Member&)>& visit) const;
  Result<bool> each_listed(Ledger& ledger, const RunRecord& record, spool::NameHashSet* seen,
                           const std::function<bool(const Member&)>& visit) const;
  Result<bool> show(Ledger& ledger, Member member,
                    const std::function<bool(const Member&)>& visit) const;
  Result<void> choose_all(const RunChoice& choice);

  spool::Layout layout_;
  std::vector<RunRecord> runs_;
  bool is_whole_root_ = false;  ///< Then `runs_` only tell metadata.
  std::string batch_;           ///< Of the rows, in a whole root.
  std::string notice_;
};

/// "waits for a, b" of an item that does.
std::string waits_text(const RunItem& item);

/// The conversation that a request belongs to, turn by turn, as the latest run of its batch has it;
/// null: it belongs to none. Failures: the run's files', the ledger's.
Result<Json> find_turns(Ledger& ledger, const spool::Layout& layout, const RequestDetails& details);

}  // namespace filecall::client
