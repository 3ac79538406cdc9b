// SPDX-License-Identifier: MIT
#include "client/eval/runner/standstill.h"

namespace filecall::client {

bool Standstill::look(const Pass& pass) {
  if (pass.is_driven) {
    first_.reset();
    has_reported_ = false;
    return false;
  }
  const bool is_same =
      first_ && first_->unfinished == pass.unfinished && first_->ended_count == pass.ended_count;
  // What a long pass saw is old at its end; a client may have come and gone.
  if (!is_same || pass.ended - pass.begun > kStandstill) {
    first_ = pass;
    return false;
  }
  if (has_reported_ || pass.begun - first_->ended < kStandstill) return false;
  has_reported_ = true;
  return true;
}

}  // namespace filecall::client
