// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "ipc/json.h"
#include "worker/exec/kube/client/exec_channels.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {

/// What a command printed, for an answer: {"stdout", "stderr", "stdout_bytes", "stderr_bytes",
/// "truncated"}, as text without terminal sequences, redacted, at most about `bytes_max` of each,
/// from its beginning and its end. Pure.
///
/// No cut leaves half of a credential to be seen. An answer is cut behind redaction. Where
/// ExecChannels has dropped the middle, redaction could not recognise what the cut tore: the last
/// kTornBytes before it and the first ones behind it are not shown. The last word of an output is
/// not shown either while the command has not ended, for its rest may follow: unless it is short or
/// ends as prompts do.
Json exec_output(const ExecChannels& channels, const Redactor& redactor, std::size_t bytes_max);

/// Longer than any credential that is not found by its parts (KnownValues).
inline constexpr std::size_t kTornBytes = std::size_t{64} * 1024;

}  // namespace filecall::worker::kube
