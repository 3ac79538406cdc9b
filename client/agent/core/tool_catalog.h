// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/schema_validator.h"

namespace filecall::client {

/// Tools that the client does itself: they are no requests.
inline constexpr std::string_view kTodoRead = "todo.read";
inline constexpr std::string_view kTodoWrite = "todo.write";

/// A tool as the model sees it.
struct CatalogTool {
  std::string name;
  std::string description;
  bool has_effects = false;
  std::string risk;
  Json schema;  ///< Of its arguments, as the worker says it.
  /// Of tool.run: the programs that the worker's configuration declares, which it calls by their
  /// names: [{tool, description, effects, risk, args}]. Null: none.
  Json declared;
  bool is_own = false;    ///< The client's.
  bool is_shown = false;  ///< The model may see and call it.

  /// Its name where only letters, digits, '_' and '-' may stand.
  std::string function_name() const;
};

/// What may be called: the worker's commands (data of system.describe) and the client's own tools.
/// Schemas are compiled when they are first needed. One thread.
class ToolCatalog {
 public:
  /// Failure: it is no such data.
  static Result<ToolCatalog> read(const Json& describe_data);
  /// Shows what one of `shown` fits and none of `hidden` does: '*' stands for any text.
  void choose(const std::vector<std::string>& shown, const std::vector<std::string>& hidden);

  /// Null: there is none, or the model may not see it.
  const CatalogTool* find(std::string_view name) const;
  /// The same for any command that is there, shown or not.
  const CatalogTool* find_any(std::string_view name) const;
  std::vector<const CatalogTool*> shown() const;
  /// The tool whose function_name() it is; else the name as it stands.
  std::string tool_of_function(std::string_view name) const;
  /// What is wrong with arguments; empty: nothing.
  std::string check(const CatalogTool& tool, const Json& args) const;
  /// What is shown, as the prompts have it: a JSON line for each tool, or functions for a provider.
  const std::string& shown_text() const { return shown_text_; }
  const Json& functions() const { return functions_; }
  /// What the worker says of the sandbox of its tools (tool_sandbox); null: nothing.
  const Json& tool_sandbox() const { return tool_sandbox_; }
  /// What paths of file.* and git.* are relative to; empty: nobody says.
  const std::string& file_directory() const { return file_directory_; }
  /// Of names, effects and schemas.
  const std::string& digest() const { return digest_; }

 private:
  std::map<std::string, CatalogTool, std::less<>> tools_;
  Json tool_sandbox_;
  std::string file_directory_;
  std::string digest_;
  /// What was shown and hidden last; nothing was chosen yet.
  std::optional<std::pair<std::vector<std::string>, std::vector<std::string>>> choice_;
  std::string shown_text_;
  Json functions_ = Json::array();
  mutable std::map<std::string, std::shared_ptr<const SchemaValidator>, std::less<>> compiled_;
};

/// Whether `text` fits a pattern in which '*' stands for any text.
bool fits_tool_glob(std::string_view pattern, std::string_view text);

}  // namespace filecall::client
