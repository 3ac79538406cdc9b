// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"

namespace filecall::worker::kube {

/// What is asked of the schema of a kind.
struct ExplainQuestion {
  std::string group;  ///< Empty: the core group.
  std::string version;
  std::string kind;
  /// Names of fields with dots between them ("spec.template.spec.containers"), empty for the kind
  /// itself. Lists are walked without a sign ("[]", "[*]" and "[0]" may stand there all the same);
  /// so are maps, whose keys may be named.
  std::string field;
  int depth = 1;                        ///< Levels of fields below it; 0: none.
  std::size_t bytes_max = 16 * 1024;    ///< Of the rows of fields as JSON text.
  bool has_whole_descriptions = false;  ///< Of the fields below it; else their first sentence.
};

/// Answers from an OpenAPI document of an API server, version 2 (`definitions`) or 3
/// (`components.schemas`):
/// {"field", "type", "required"?, "description"?, "requiredFields"?, "enum"?, "default"?,
/// "format"?, "pattern"?, "minimum"?, "maximum"?, "openFields"?, "fields", "complete",
/// "left_out"?}. A row of `fields` is {"name", "type", "required"?, "description"?, "enum"?,
/// "default"?, "fields"?}. Of an enum or a default of more than 100 values the first are shown, and
/// "enumLeftOut" or "defaultLeftOut" counts the others. Types are as kubectl names them: "object",
/// "string", "[]object", "map[string]string", "int-or-string"; "any" where the schema does not say.
/// `complete` is false when fields of the levels that were asked for, or values of an enum, are not
/// listed.
///
/// `show` is given every text and every default that is shown, with the name of its field: it hides
/// what is secret. Failures: not_found, when the document does not describe the kind or it has no
/// such field (`error_details`: reason, at, nearest). Pure; its time and its answer are bounded by
/// the question and the size of the document.
using ShowValue = std::function<Json(const std::string& name, const Json& value)>;
Result<Json, Failure> explain(const Json& document, const ExplainQuestion& question,
                              const ShowValue& show);

/// Whether the document describes the kind. Pure.
bool describes(const Json& document, const ExplainQuestion& question);

}  // namespace filecall::worker::kube
