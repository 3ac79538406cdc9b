// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace filecall::client {

/// What a person says of one answer, in the place of one grader: a line of eval/labels.jsonl. Of
/// several lines of one person about one answer and grader the last one counts.
struct HumanLabel {
  std::string request_id;
  std::string response_digest;  ///< "sha256:...", of the answer that the person saw.
  std::string evaluation;
  std::string grader;
  std::string scale;  ///< As scale_text() writes it; labels of another scale do not count.
  std::string label;  ///< On that scale; empty: an earlier label is withdrawn.
  std::string by;     ///< Who; not empty.
  WallTime at{};
  std::string note{};
};

/// Failure: invalid_argument (not JSON, a member that is missing or breaks its rule; names it).
/// Lenient on unknown members. Pure; any thread.
Result<HumanLabel> parse_human_label(std::string_view line);
/// One line and a newline.
std::string render_human_label(const HumanLabel& label);

}  // namespace filecall::client
