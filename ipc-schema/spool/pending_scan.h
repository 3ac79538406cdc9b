// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/time.h"
#include "spool/name_list.h"
#include "spool/root.h"
#include "spool/scan.h"

namespace filecall::spool {

/// names(requests) - names(responses), read in steps. Responses are read first: a request that is
/// answered meanwhile may be found once too often (its taker looks for a response), one
/// that is dropped meanwhile may be missed (its event tells), and none else.
class PendingScan {
 public:
  /// `on_foreign` is called for names in requests/ that are no request, dot names left out.
  using OnForeign = std::function<void(std::string_view name)>;
  /// `sweep`: removes temporaries that an earlier process left in responses/.
  static Result<PendingScan> begin(std::shared_ptr<const Directories> directories, bool sweep,
                                   OnForeign on_foreign);

  /// One system call's worth. True: done.
  Result<bool> step();
  /// Pending stems, sorted. Once, after step() returned true.
  NameList take();
  /// Time spent in step() so far.
  Duration cost() const { return cost_; }

 private:
  PendingScan(std::shared_ptr<const Directories> directories, bool sweep, OnForeign on_foreign,
              DirectoryReader reader);
  Result<bool> step_responses();
  Result<bool> step_requests();

  std::shared_ptr<const Directories> directories_;
  bool sweep_;
  OnForeign on_foreign_;
  DirectoryReader reader_;
  bool reads_requests_ = false;
  NameHashSet answered_;
  NameList pending_;
  Duration cost_{};
};

}  // namespace filecall::spool
