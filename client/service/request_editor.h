// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "client/channel/request_channel.h"
#include "client/core/answer_version.h"
#include "client/core/request_edit.h"
#include "client/service/root_rows.h"
#include "client/store/state_store.h"
#include "ipc/durability.h"
#include "spool/root.h"

namespace filecall::client {

/// Gives a request that waits another text, so that it is known which text runs: the worker gives
/// the request back first, and takes it up again with the new text. Any worker that knows
/// `system.cancel` with `withdraw` will do. Blocking; one thread.
class RequestEditor {
 public:
  /// All must outlive it. `durability`: of the request that is written.
  RequestEditor(const spool::Root& root, RequestChannel& channel, StateStore& store, RootRows& rows,
                Durability durability)
      : root_(root), channel_(channel), store_(store), rows_(rows), durability_(durability) {}

  /// The text of one that may be edited. Failures: not_found, failed_precondition (it has begun or
  /// ended, or the root is a group's).
  Result<std::string> text(const std::string& id);
  /// Replaces `before`, the text as text() gave it, and says which members of the request differ;
  /// none: nothing was done. Waits up to `patience` for the worker. `after` is a request of that
  /// id. Failures, the request as it was: those of text(), failed_precondition (what others say
  /// about the request would become untrue), aborted (another text is there), unavailable (the
  /// worker does not reply, or another client edits all the time). One client of a root edits at a
  /// time. Failure with data_loss: it began meanwhile, with either text.
  Result<std::vector<std::string>> replace(const std::string& id, const std::string& before,
                                           const std::string& after, Duration patience);

 private:
  /// One that waits, as it is found.
  struct Waiting {
    RequestRow row;
    bool has_row = false;
    bool is_driven = false;     ///< By a live client.
    bool is_withdrawn = false;  ///< A worker gave it back: its response says so.
    bool is_between = false;    ///< An attempt has ended, and its client begins another.

    EditClaims others() const;
  };
  enum class Grip : std::uint8_t { kWithdrawn, kBegun };

  Result<Waiting> find_waiting(const std::string& id);
  bool has_worker() const;
  /// The text becomes `after`, if it is `before`, and the row says so.
  Result<void> write(const Waiting& waiting, const std::string& before, const std::string& after);
  Result<void> note_text(const Waiting& waiting, const std::string& text);
  /// Asks the worker to give it back.
  Result<Grip> withdraw(const Waiting& waiting, Deadline deadline);
  Result<void> ask(const std::string& control, const std::string& text);
  /// What the worker replied to that; nullopt: it has not noticed the request yet.
  Result<std::optional<Grip>> read_reply(const std::string& control, const std::string& id);
  /// The response that says that it was given back; nullopt: its client has taken it away, or it
  /// did not come in time.
  Result<std::optional<AnswerVersion>> await_withdrawal(const Waiting& waiting, Deadline deadline);
  Result<void> replace_withdrawn(const Waiting& waiting, const std::string& before,
                                 const std::string& after, Deadline deadline);
  Result<void> replace_priority(const Waiting& waiting, const std::string& before,
                                const std::string& after, Deadline deadline);
  /// After the text was replaced: a worker that had read the earlier one gives it back.
  Result<void> make_sure(const Waiting& waiting, Deadline deadline);

  const spool::Root& root_;
  RequestChannel& channel_;
  StateStore& store_;
  RootRows& rows_;
  const Durability durability_;
};

}  // namespace filecall::client
