// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "ipc/request.h"
#include "ipc/response.h"
#include "ipc/schema_validator.h"
#include "worker/exec/tool/argv_template.h"
#include "worker/exec/tool/tool_config.h"
#include "worker/exec/tool/tool_policy.h"

namespace filecall::worker {

/// A declared tool, its argv and its schema compiled.
struct CompiledTool {
  DeclaredTool declared;
  ArgvTemplate argv;
  SchemaValidator schema;
};

/// The declared tools by name.
class ToolTable {
 public:
  /// Failure: invalid_argument; names the tool and the mistake.
  static Result<ToolTable> compile(const std::vector<DeclaredTool>& tools);

  const CompiledTool* find(const std::string& name) const;
  std::vector<std::string_view> names() const;
  /// For system.describe: [{name, description, input_schema, effects, risk}].
  Json describe() const;

 private:
  std::map<std::string, CompiledTool> tools_;
};

/// What one request of tool.run comes to: decided, nothing touched.
struct ToolCall {
  std::vector<std::string> argv;
  const DeclaredTool* declared = nullptr;  ///< Null for a plain argv.
  Workplace workplace;
  std::string input;
  std::size_t output_bytes = 0;  ///< Kept of each of stdout and stderr.
  ChildLimits limits;
  Effects effects = Effects::kExternal;
  bool stream = false;  ///< Its output goes into its events as it comes.
  bool check = false;
  Duration timeout{};
  std::string destination;
};

/// Decides a request whose params fit the schema of tool.run. `config.roots` is not empty. Pure.
/// Failures: permission_denied (program, environment, directory), not_found (no such tool),
/// invalid_argument (arguments). Members: argv | tool + args, stdin | stdin_base64, env,
/// cwd, check, timeout_ms, output_bytes_max, stream.
Result<ToolCall, Failure> decide_tool_call(const ToolConfig& config, const ToolTable& tools,
                                           const Request& request);

}  // namespace filecall::worker
