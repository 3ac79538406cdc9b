// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "client/agent/plan/answer_parts.h"
#include "client/agent/plan/plan_object.h"
#include "ipc/json.h"

namespace filecall::client {

/// Puts fenced blocks into arguments: `content_from: NAME` becomes `content`, the text of the block
/// of that name, wherever an object of the arguments says so; likewise for new_content, patch,
/// manifestYaml, text, stdin, old and new. A block's name is all that stands behind its fence, or
/// one word of it. True: some block was taken. Faults: no_block, unclear_block. Pure.
Result<bool, ShapeFault> take_blocks(Json& args, const AnswerParts& parts);

}  // namespace filecall::client
