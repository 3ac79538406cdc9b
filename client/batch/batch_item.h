// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "client/engine/orchestrator.h"

namespace filecall::client {

/// What one line (or file) of a batch asks for. Its id was written there, came from the file's
/// name, or was derived from the content.
struct BatchItem {
  std::string id;  ///< Of the first occurrence when derived.
  std::string command;
  /// Hash of the request's meaning without its id: independent of white space and member order.
  /// With ItemCheck::kTrusted only of a derived id.
  std::uint64_t content = 0;
  bool is_derived = false;
  bool has_id_member = false;
};

enum class ItemCheck : std::uint8_t {
  kFull,     ///< All rules of a request.
  kTrusted,  ///< The same bytes were checked before; only what is needed is read.
};

/// Reads one request object of a batch. `stem`: the name of the file it stands in, which is its id;
/// nullopt for a line, whose id is its `request_id` or derived: command, "-", 16 hex digits of
/// `content`. `name`: stands for the command in a derived id; empty: the command. Pure. The string
/// says what is wrong with the text.
Result<BatchItem, std::string> read_batch_item(std::string_view text,
                                               std::optional<std::string_view> stem,
                                               ItemCheck check, std::string_view name = {});

/// "base" for the first occurrence of the same content, then "base-2", "base-3", ...
std::string occurrence_id(std::string_view base, std::int64_t occurrence);

/// The request file for an item: its text unchanged, `request_id` put in front when it had none.
Submission make_submission(const BatchItem& item, std::string_view text, std::string id);

}  // namespace filecall::client
