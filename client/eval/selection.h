// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "client/core/row_selection.h"
#include "ipc/json.h"
#include "ipc/request.h"

namespace filecall::client {

/// Which requests an evaluation is about. Empty members select all. Pure.
struct Selection {
  std::string command = "llm.chat";  ///< "*": any.
  std::vector<std::string> ids{};    ///< Patterns with * and ?; one of them fits.
  std::string batch{};               ///< The name that `filecall run` gave the batch.
  Json metadata = Json::object();    ///< Each member equals the request's.
  RowSelection rows{};               ///< Which rows of the run.

  /// By its name alone. An evaluation's own questions are never selected.
  bool selects_id(std::string_view id) const;
  /// By its content, given that its name and its batch are.
  bool selects(const Request& request) const;
};

/// What selects: "command llm.chat, ids, metadata".
std::string selected_by(const Selection& selection);

/// Whether `text` fits a pattern of literal bytes, * (any bytes) and ? (one code point).
bool fits_glob(std::string_view pattern, std::string_view text);

}  // namespace filecall::client
