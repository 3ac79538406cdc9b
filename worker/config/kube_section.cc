// SPDX-License-Identifier: MIT
#include "worker/config/kube_section.h"

#include <algorithm>
#include <utility>

#include "worker/exec/json_read.h"

namespace filecall::worker {
namespace {

bool is_name_list(const Json& list) {
  return list.is_array() && !list.empty() && std::ranges::all_of(list, [](const Json& item) {
           return item.is_string() && !item.get_ref<const std::string&>().empty();
         });
}

bool is_write_verb(const std::string& verb) {
  return verb == "create" || verb == "patch" || verb == "delete";
}

void read_writable(YamlSection& section, kube::KubeConfig& config) {
  const Json list = section.read_json("writable");
  if (list.is_null()) return;
  const char* const kForm =
      "must be a list of {context: NAME, namespaces: [NAME or \"*\"]}, perhaps with kinds: [KIND] "
      "and "
      "verbs: [create, patch, delete]";
  if (!list.is_array()) return section.complain("writable", kForm);
  for (const Json& item : list) {
    kube::WritableContext entry;
    entry.context = text_member(item, "context");
    const auto read = [&](const char* name, bool is_needed, std::vector<std::string>& out) {
      const Json& names = member(item, name);
      if (names.is_null()) return !is_needed;
      if (!is_name_list(names)) return false;
      out = names.get<std::vector<std::string>>();
      return true;
    };
    const bool is_read = read("namespaces", true, entry.namespaces) &&
                         read("kinds", false, entry.kinds) && read("verbs", false, entry.verbs);
    const std::size_t known =
        2U + (item.contains("kinds") ? 1U : 0U) + (item.contains("verbs") ? 1U : 0U);
    if (!is_read || entry.context.empty() || item.size() != known ||
        !std::ranges::all_of(entry.verbs, is_write_verb)) {
      return section.complain("writable", kForm);
    }
    config.writable.push_back(std::move(entry));
  }
}

/// [[nginx, -t], [cat]]
bool is_command_list(const Json& list) {
  return list.is_array() && !list.empty() && std::ranges::all_of(list, is_name_list);
}

void read_exec(YamlSection& section, kube::KubeConfig& config) {
  const Json list = section.read_json("exec");
  if (list.is_null()) return;
  const char* const kForm =
      "must be a list of {context: NAME, namespaces: [NAME or \"*\"], argv: [[PROGRAM, "
      "ARGUMENT...]]}; [\"*\"] alone stands for any command";
  if (!list.is_array()) return section.complain("exec", kForm);
  for (const Json& item : list) {
    const Json& namespaces = member(item, "namespaces");
    const Json& argv = member(item, "argv");
    kube::ExecContext entry;
    entry.context = text_member(item, "context");
    if (entry.context.empty() || item.size() != 3 || !is_name_list(namespaces) ||
        !is_command_list(argv)) {
      return section.complain("exec", kForm);
    }
    entry.namespaces = namespaces.get<std::vector<std::string>>();
    entry.argv = argv.get<std::vector<std::vector<std::string>>>();
    config.exec.push_back(std::move(entry));
  }
}

void read_redaction(YamlSection& section, kube::KubeConfig& config) {
  const Json entries = section.read_json("redact");
  if (entries.is_null()) return;
  const char* const kForm =
      "must be {add: [NAME or /FORM/], except: [NAME]}; a name may have '*' for anything";
  if (!entries.is_object() || entries.empty()) return section.complain("redact", kForm);
  std::vector<std::string> add, except;
  for (const auto& [key, names] : entries.items()) {
    if ((key != "add" && key != "except") || !is_name_list(names)) {
      return section.complain("redact", kForm);
    }
    (key == "add" ? add : except) = names.get<std::vector<std::string>>();
  }
  auto rules = kube::RedactionRules::parse(add, except);
  if (!rules) return section.complain("redact", rules.error().message);
  config.redaction = std::make_shared<const kube::RedactionRules>(*std::move(rules));
}

}  // namespace

void read_kube(YamlSection& section, Config& config) {
  kube::KubeConfig& kube = config.kube;
  section.read("kubeconfig", kube.kubeconfig);
  section.read("contexts", kube.contexts);
  read_writable(section, kube);
  read_exec(section, kube);
  section.read("preview_validity", kube.preview_validity);
  if (kube.preview_validity < seconds(1) || kube.preview_validity > std::chrono::hours(24)) {
    section.complain("preview_validity", "must be between 1s and 24h");
  }
  section.read("revealSecrets", kube.reveal_secrets);
  read_redaction(section, kube);
  std::int64_t max_in_flight = kube.max_in_flight;
  section.read_integer("max_in_flight", 1, 1000, max_in_flight);
  kube.max_in_flight = static_cast<int>(max_in_flight);
  section.read("plugin_timeout", kube.plugins.timeout);
  section.read("plugin_env", kube.plugins.passed);
  const auto check = [&](const char* key, const std::string& context) {
    const bool is_allowed =
        kube.contexts.empty() || std::ranges::find(kube.contexts, context) != kube.contexts.end();
    if (!is_allowed) section.complain(key, context + " is not among kube.contexts");
  };
  for (const kube::WritableContext& entry : kube.writable) check("writable", entry.context);
  for (const kube::ExecContext& entry : kube.exec) check("exec", entry.context);
}

}  // namespace filecall::worker
