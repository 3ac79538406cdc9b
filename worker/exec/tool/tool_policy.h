// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/tool/tool_config.h"

namespace filecall::worker {

/// What the owner of the machine allows. All pure.

/// Where programs are looked for when the worker itself was started without PATH.
inline constexpr std::string_view kDefaultToolPath =
    "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// nullopt: argv[0] may be executed. Allowed are base names of the list, "*", and paths that stand
/// in the list literally. Otherwise permission_denied; says exactly what to write where.
std::optional<Failure> refuse_program(const std::vector<std::string>& allow,
                                      std::string_view program);

/// nullopt: every name of `env` (the request's object) is in the allow list and every value can be
/// given. Otherwise permission_denied, or invalid_argument for a NUL character.
std::optional<Failure> refuse_environment(const std::vector<std::string>& allow, const Json& env);

/// The whole environment of a tool, "NAME=value", sorted: PATH, HOME and LANG, then allow-listed
/// names of the worker's own environment (`inherited`), then the request's, then the declared
/// tool's; later ones win. FILECALL_REQUEST_ID, when allow-listed, is the request's id.
std::vector<std::string> make_environment(const std::vector<std::string>& allow,
                                          const std::map<std::string, std::string>& inherited,
                                          const Json& requested,
                                          const std::map<std::string, std::string>& declared,
                                          const std::string& request_id);

/// A directory beneath one of the roots: which root, a directory beneath it that the request does
/// not leave ("." for the root), and the rest, relative to that ("." for the same).
struct Workplace {
  std::string root;
  std::string bounds;
  std::string below;

  bool is_bounded() const { return bounds != "."; }
};
/// `cwd` empty: `fallback`. Relative: to the first root. Absolute: must start with a root.
/// `beneath` likewise, when it is not empty; then `cwd` lies in it. Looks at the text only; opening
/// checks the links. Failure: permission_denied, invalid_argument.
Result<Workplace> choose_workplace(const std::vector<std::string>& roots, std::string_view cwd,
                                   std::string_view fallback, std::string_view beneath = "");

/// `limits` where present, else `base`; member by member.
ChildLimits merge_limits(const ChildLimits& base, const ChildLimits& limits);

/// Mistakes of a declared tool that a reader's types cannot see: name, argv, placeholders that the
/// schema does not know. "" when there is none. (Whether the schema is one, ToolRun::create tells.)
std::string complaint_about(const DeclaredTool& tool);

}  // namespace filecall::worker
