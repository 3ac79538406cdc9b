// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace filecall {

/// The JSON Schemas (draft-07) of the protocol, compiled into both programs. Names are the file
/// names without ".schema.json": "request", "response", "worker_status", "command.system.echo",
/// "command.tool.run", ...; a command's schema describes its `params`, "result.tool.run" its
/// `data`.
std::vector<std::string_view> schema_names();
/// The schema's JSON text, or nullopt. Lives as long as the process.
std::optional<std::string_view> find_schema(std::string_view name);

}  // namespace filecall
