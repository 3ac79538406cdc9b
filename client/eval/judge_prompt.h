// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "ipc/json.h"

namespace filecall::client {

/// How a judge says what it thinks: pass or fail, or a whole number.
struct JudgeScale {
  std::int64_t min = 0;
  std::int64_t max = 0;  ///< Equal to `min`: pass or fail.

  bool is_pass_fail() const { return min == max; }
};

/// What a judge is asked about one answer. All but the criterion is untrusted.
struct JudgeCase {
  std::string task;
  std::optional<std::string> reference;
  std::string answer;
};

/// The texts that a judge is asked with. The frame is ours and fixed; the criterion is the
/// specification's. Pure.
///
/// The answer under judgement may try to be its own judge: to close the part it stands in and go on
/// in the voice of the frame. Therefore each part stands between markers that carry a code derived
/// from all of the texts (SHA-256): who writes an answer cannot know it, because it depends on what
/// it writes. No text that holds the code is ever sent with it.
class JudgePrompt {
 public:
  JudgePrompt(std::string criteria, JudgeScale scale);

  /// SHA-256 of everything that does not depend on the case: the same for all answers. A changed
  /// word of the frame or of the criterion changes it.
  const std::string& digest() const { return digest_; }
  /// The messages for llm.chat.
  Json messages(const JudgeCase& judged) const;
  /// The schema of a verdict, as `response_format` of llm.chat.
  Json response_format() const;

 private:
  std::string user_text(const JudgeCase& judged, const std::string& code) const;

  std::string criteria_;
  JudgeScale scale_;
  std::string system_;
  std::string instruction_;
  std::string digest_;
};

}  // namespace filecall::client
