// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// A template of promptfoo's (nunjucks) in our own form.
struct TakenTemplate {
  std::string text;
  std::set<std::string> names{};  ///< Of the variables in it.
};

/// Places of variables, the filters dump and safe, comments and raw blocks have a form here.
/// Failure: invalid_argument, names what has none: blocks, other filters, members, calls. Pure, as
/// the next.
Result<TakenTemplate> take_template(std::string_view text);

/// The text with these variables in it; one that is missing is empty, as there. Failure: as
/// above.
Result<std::string> render_foreign(std::string_view text, const Json& variables);

}  // namespace filecall::client
