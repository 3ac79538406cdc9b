// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "base/result.h"
#include "ipc/durability.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "spool/layout.h"

namespace filecall::client {

/// Change sets of runs, as `filecall proposal` finds them: proposals/{request id}.json from the
/// moment when a person is asked, and a note of what was made of it, so that it can be taken back.
/// Blocking; one thread.
class RunProposals {
 public:
  RunProposals(const spool::Layout& layout, Durability durability)
      : layout_(layout), durability_(durability) {}

  /// Writes the change sets that an approval's request shows. Failures: as of
  /// spool::open_own_directory() and spool::replace_file().
  Result<void> publish(const Json& approval_request);
  /// Before file.apply is asked: durable when it returns. `is_known`: it was asked before.
  Result<void> begin(const std::string& request_id, const Json& params, bool is_known);
  /// Its outcome; of any other request: nothing.
  Result<void> end(const std::string& request_id, const Response& response);

 private:
  spool::Layout layout_;
  Durability durability_;
  std::map<std::string, std::string> keys_;  ///< Of change sets, by request.
};

}  // namespace filecall::client
