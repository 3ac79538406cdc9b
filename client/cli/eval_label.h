// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/cli/options.h"
#include "client/report/items/label_task.h"
#include "spool/layout.h"

namespace filecall::client {

/// `eval label SPEC`: writes the page to label by hand, or labels on the terminal, or takes the
/// labels of a file into the root. The exit code.
Result<int> label_by_hand(const Arguments& arguments);

/// Shows the responses one by one on standard output and reads keys from standard input; each label
/// is stored at once. Ends with the last one, with "q" or with the input. Returns how many were
/// labelled. Failure: the file's.
Result<std::int64_t> label_on_terminal(const LabelTask& task, const spool::Layout& layout);

}  // namespace filecall::client
