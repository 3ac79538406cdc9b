// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "spool/layout.h"
#include "spool/name_list.h"

namespace filecall::client {

/// Which requests have succeeded before a run, and whether their responses are still there: by one
/// listing, whatever their number, since a million look-ups take longer than the run itself. What
/// is in a response is not read. Not thread-safe.
class EarlierResponses {
 public:
  void add(std::string_view id) { ids_.insert(id); }
  /// How many of them have no response, in responses/ or of the client's own. Blocking; nothing is
  /// read when there are none. Failure: a listing's.
  Result<std::int64_t> count_missing(const spool::Layout& layout) const;

 private:
  spool::NameHashSet ids_;
};

}  // namespace filecall::client
