// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"

namespace filecall::client {

/// A text that a person has edited, and the temporary file in which it stands: the caller removes
/// that, or names it when the text is of no use.
struct EditedText {
  std::string text;
  std::string path;

  void remove() const;
};

/// Opens $VISUAL or $EDITOR on a private copy of the text and waits for it to end. Failures:
/// invalid_argument (no editor is named), failed_precondition (it ended with an error).
Result<EditedText> edit_text(const std::string& text);

}  // namespace filecall::client
