// SPDX-License-Identifier: MIT
#include "worker/changes/change_set.h"

#include "base/check.h"

namespace filecall::worker::changes {

std::string_view to_string(StepKind kind) {
  switch (kind) {
    case StepKind::kReplace:
      return "replace";
    case StepKind::kCreate:
      return "create";
    case StepKind::kRemove:
      return "remove";
    case StepKind::kWatch:
      return "watch";
  }
  CHECK(false, "each kind has a name");
  return {};
}

}  // namespace filecall::worker::changes
