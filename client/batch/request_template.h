// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"

namespace filecall::client {

/// How a row of variables becomes a request.
struct RequestTemplate {
  std::string name;  ///< For people and for `metadata.prompt`.
  Json request;  ///< `command`, `params` and what else a request may have; strings are templates.
  /// A text template. Fills the place {{prompt}} of `request`; without such a place it is a user's
  /// last message when `params` has messages, else `params.prompt`. Empty: there is none.
  std::string prompt;
  /// What makes a conversation of it: `turns`, `tool_results`, `max_tool_rounds` (templates, as the
  /// request is) and `tools`. null: it is one question.
  Json conversation{};
  std::vector<std::string> tools{};   ///< Declared ones that are named and not looked up yet.
  std::vector<std::string> images{};  ///< Columns whose images the user's last message gets.
};

/// A request of llm.chat that asks nothing yet.
RequestTemplate blank_template();

/// A request without request_id and with no metadata of the row's. Pure. Failure:
/// invalid_argument, what is missing.
Result<Json> fill_request(const RequestTemplate& request_template, const Json& variables);

/// Reads the files of `--template` (a JSON request, or only its params for llm.chat; or a text) and
/// of `--prompt` (texts) and combines each of the former with each of the latter. Failures:
/// invalid_argument (not JSON although it looks like it, two of the same name), the files'.
Result<std::vector<RequestTemplate>> load_templates(const std::vector<std::string>& template_paths,
                                                    const std::vector<std::string>& prompt_paths);

}  // namespace filecall::client
