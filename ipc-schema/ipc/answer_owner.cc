// SPDX-License-Identifier: MIT
#include "ipc/answer_owner.h"

namespace filecall {

bool is_answer_to(AskedBy asked, const AnswerOwners& owners) {
  if (!owners.served) return true;
  // Whatever lies there under this id now, what a member has asked was answered for that member.
  if (asked == AskedBy::kReader && owners.is_member) return *owners.served == owners.reader;
  return *owners.served == owners.request.value_or(owners.reader);
}

}  // namespace filecall
