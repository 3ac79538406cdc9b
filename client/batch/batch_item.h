// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/core/provider_catalog.h"
#include "client/core/wait_graph.h"
#include "client/engine/orchestrator.h"

namespace filecall::client {

/// What one line (or file) of a batch asks for. Its id was written there, came from the file's
/// name, or was derived from the content.
struct BatchItem {
  std::string id;  ///< Of the first occurrence when derived.
  std::string command;
  /// Hash of the request's meaning without its id, its `metadata.vars`, the labels that lie beside
  /// it, its priority, and whom it waits for: independent of white space and member order.
  /// With ItemCheck::kTrusted only of a derived id.
  std::uint64_t content = 0;
  bool is_derived = false;
  bool has_id_member = false;
  std::string metadata;                ///< JSON text; empty: none.
  std::vector<std::string> unknown{};  ///< Members that no program knows; with kFull.
  bool has_options = false;            ///< Params that not every provider takes; with kFull.
  bool is_renamed = false;             ///< The id is not the one that the text states.
  bool has_after = false;              ///< `after` is there, if empty.
  std::vector<std::string> after{};    ///< Ids that it waits for, as the text states them.
  AfterAny after_any = AfterAny::kSuccess;
  std::optional<int> priority{};  ///< nullopt: the text states none.
};

enum class ItemCheck : std::uint8_t {
  kFull,     ///< All rules of a request.
  kTrusted,  ///< The same bytes were checked before; only what is needed is read.
};

/// Reads one request object of a batch. `stem`: the name of the file it stands in, which is its id;
/// nullopt for a line, whose id is its `request_id` or derived: command, "-", 16 hex digits of
/// `content`. Pure. `catalog`: what the params must fit, with kFull. The string says what is wrong
/// with the text.
struct DerivedIdentity {
  std::string_view name{};                 ///< Stands for the command; empty: the command.
  std::optional<std::uint64_t> content{};  ///< Stands for the hash of the text.
};
Result<BatchItem, std::string> read_batch_item(std::string_view text,
                                               std::optional<std::string_view> stem,
                                               ItemCheck check,
                                               const DerivedIdentity& identity = {},
                                               const ProviderCatalog& catalog = {});

/// Why a text is no request object although it may be one, with the command that makes lines of it;
/// empty: it does not look like that. `text`: the first line of `file` that is not empty.
std::string conversion_hint(std::string_view text, std::string_view file);

/// What to say of a member that nobody knows.
std::string unknown_member_text(std::string_view name);
/// The same of all that one request has.
std::string unknown_members_text(const std::vector<std::string>& names);

/// Adds `ending` to the id. The string says why that cannot be.
Result<void, std::string> end_id(BatchItem& item, std::string_view ending);

/// "base" for the first occurrence of the same content, then "base-2", "base-3", ...
std::string occurrence_id(std::string_view base, std::int64_t occurrence);

/// The request file for an item: its text unchanged, `request_id` put in front when it had none, or
/// replaced in a renamed one. What it waits for is left out: a file asks to be executed now.
Submission make_submission(const BatchItem& item, std::string_view text, std::string id);

}  // namespace filecall::client
