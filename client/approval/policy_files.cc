// SPDX-License-Identifier: MIT
#include "client/approval/policy_files.h"

#include <fcntl.h>
#include <fmt/core.h>

#include <algorithm>

#include "base/hash.h"
#include "client/approval/core/stored_rule.h"
#include "client/approval/core/text_glob.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/lock.h"
#include "spool/publish.h"
#include "yaml/yaml_document.h"

namespace filecall::client {
namespace {

constexpr std::size_t kPolicyBytesMax = std::size_t{4} << 20;
constexpr Duration kLockPatience = seconds(10);

Result<void> add_text(const std::string& path, bool is_wanted, PolicyText::Kind kind,
                      std::vector<PolicyText>& out) {
  auto text = read_named_file(path, kPolicyBytesMax);
  if (text) {
    out.push_back({path, *std::move(text), kind});
    return {};
  }
  if (text.error().code == ErrorCode::kNotFound && !is_wanted) return {};
  return Unexpected(text.error());
}

std::string stored_folder(const PolicyPlaces& places) { return places.configuration + "/policy.d"; }

std::string stored_name(const PolicyPlaces& places) {
  return hash128(places.project).hex() + ".yaml";
}

bool is_beneath(const std::string& folder, const std::string& path) {
  return !folder.empty() && !relative_path(folder, path).empty();
}

}  // namespace

std::string configuration_folder(const char* xdg_config_home, const char* home) {
  if (xdg_config_home != nullptr && xdg_config_home[0] == '/') {
    return plain_path(xdg_config_home) + "/filecall";
  }
  if (home != nullptr && home[0] == '/') return plain_path(home) + "/.config/filecall";
  return {};
}

Result<std::vector<PolicyText>> read_policy_texts(const PolicyPlaces& places) {
  std::vector<PolicyText> texts;
  if (!places.option.empty()) {
    TRY(add_text(places.option, true, PolicyText::Kind::kPolicy, texts));
  }
  if (places.configuration.empty()) return texts;
  TRY(add_text(places.configuration + "/policy.yaml", false, PolicyText::Kind::kPolicy, texts));
  if (places.project.empty()) return texts;
  TRY(add_text(stored_folder(places) + "/" + stored_name(places), false, PolicyText::Kind::kStored,
               texts));
  return texts;
}

Result<std::string> store_project_rules(const PolicyPlaces& places, const std::string& root,
                                        const std::vector<Json>& rules) {
  if (places.configuration.empty() || places.project.empty()) {
    return fail(ErrorCode::kFailedPrecondition,
                "no rule is stored: neither XDG_CONFIG_HOME nor HOME names a directory, or the "
                "request has no working directory");
  }
  if (is_beneath(root, places.configuration) || is_beneath(places.project, places.configuration)) {
    return fail(ErrorCode::kFailedPrecondition,
                fmt::format("no rule is stored: {} lies beneath the root or the project, where "
                            "tools may write; set XDG_CONFIG_HOME to another directory",
                            places.configuration));
  }
  const std::string folder = stored_folder(places);
  const std::string path = folder + "/" + stored_name(places);
  TRY(make_directories(folder));
  // Of two that add to the file at once, one would replace what the other has added.
  TRY_ASSIGN(const auto lock, spool::FileLock::acquire(folder + ".lock", kLockPatience));
  std::vector<Json> all;
  if (auto text = read_regular_file(path, kPolicyBytesMax)) {
    TRY(Policy::read({{path, *text, PolicyText::Kind::kStored}}));
    TRY_ASSIGN(const YamlDocument document, YamlDocument::parse(*text, path));
    for (const Json& rule : document.json().value("rules", Json::array())) all.push_back(rule);
  } else if (text.error().code != ErrorCode::kNotFound) {
    return Unexpected(text.error());
  }
  for (const Json& rule : rules) {
    if (std::find(all.begin(), all.end(), rule) == all.end()) all.push_back(rule);
  }
  const std::string text = stored_rules_text(all, places.project);
  TRY(Policy::read({{path, text, PolicyText::Kind::kStored}}));  // As it will be read.
  TRY_ASSIGN(const UniqueFd fd, open_file(folder, O_RDONLY | O_DIRECTORY));
  TRY(spool::replace_file(fd.get(), stored_name(places), text, Durability::kFull));
  return path;
}

}  // namespace filecall::client
