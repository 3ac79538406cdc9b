// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "client/agent/core/agent_state.h"
#include "ipc/json.h"

namespace filecall::client {

/// A command and its params: what becomes a request.
struct CallRoute {
  std::string command;
  Json params;
};

/// Of files or repositories: paths in its arguments are relative to a directory of the worker.
bool is_of_files(std::string_view tool);
/// Whether a call changes something in the end: in the editing mode `proposal` a proposed change
/// set is one that is applied when a person agrees.
bool changes_files(std::string_view tool, Editing editing);

/// What shows a person what a call would do, without doing it; nullopt: its arguments alone do.
std::optional<CallRoute> preview_route(const AgentCall& call, Editing editing);

/// What depends on the object that a call deletes, evicts or scales to nothing, for the person and
/// for the risk; nullopt: the call does no such thing.
std::optional<CallRoute> impact_route(const AgentCall& call);

/// What is run in the end: the call as it was planned or changed by a person, bound to what was
/// shown (expectedDigest, precondition, base_sha256, digest and hunks). Failure: it cannot be run,
/// and why.
Result<CallRoute> call_route(const AgentCall& call, Editing editing);

/// The paths that a call which succeeded has changed, by its answer.
std::vector<std::string> files_of(const std::string& command, const Json& params, const Json& data);

}  // namespace filecall::client
