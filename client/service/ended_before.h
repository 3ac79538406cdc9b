// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/service/ledger.h"
#include "spool/layout.h"

namespace filecall::client {

/// How requests of a root ended. Only reads; a root that is not there has none. Opens the root when
/// it is asked first. Not thread-safe.
class EndedLook {
 public:
  EndedLook(spool::Layout layout, LedgerOptions options);

  /// Whether it succeeded; nullopt: it has not ended, or there is none. Failures: the root's.
  Result<std::optional<bool>> find(const std::string& id);

  /// What opening the root found, for people; empty before.
  std::vector<std::string> notices() const;

 private:
  spool::Layout layout_;
  LedgerOptions options_;
  std::unique_ptr<Ledger> ledger_;
};

}  // namespace filecall::client
