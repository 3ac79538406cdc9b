// SPDX-License-Identifier: MIT
#include "worker/exec/kube/kube_config.h"

#include <algorithm>

namespace filecall::worker::kube {
namespace {

bool equals_in_any_case(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return std::ranges::equal(a, b, {}, lower, lower);
}

bool is_called(const Resource& kind, std::string_view subresource, std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view part =
      slash == std::string_view::npos ? std::string_view() : name.substr(slash + 1);
  if (!equals_in_any_case(part, subresource)) return false;
  name = name.substr(0, slash);
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    if (!equals_in_any_case(name.substr(dot + 1), kind.group)) return false;
    name = name.substr(0, dot);
  }
  return equals_in_any_case(name, kind.kind) || equals_in_any_case(name, kind.plural) ||
         equals_in_any_case(name, kind.singular);
}

bool opens_kind(const WritableContext& entry, const Resource& kind, std::string_view subresource) {
  const auto names_it = [&](const std::string& name) {
    return is_called(kind, subresource, name) ||
           (subresource == "scale" && is_called(kind, "", name));
  };
  if (std::ranges::any_of(entry.kinds, names_it)) return true;
  if (!subresource.empty() && subresource != "scale") return false;
  const bool opens_all =
      entry.kinds.empty() || std::ranges::find(entry.kinds, "*") != entry.kinds.end();
  return opens_all && !must_be_named(kind);
}

bool opens_namespace(const std::vector<std::string>& namespaces, std::string_view name_space) {
  return std::ranges::any_of(namespaces, [&](const std::string& allowed) {
    return allowed == "*" || (!name_space.empty() && allowed == name_space);
  });
}

bool begins_with(const std::vector<std::string>& argv, const std::vector<std::string>& allowed) {
  if (allowed.size() == 1 && allowed.front() == "*") return true;
  return allowed.size() <= argv.size() && std::equal(allowed.begin(), allowed.end(), argv.begin());
}

}  // namespace

bool must_be_named(const Resource& kind) {
  return !kind.is_namespaced || kind.group == "rbac.authorization.k8s.io" ||
         kind.group == "admissionregistration.k8s.io" ||
         (kind.group.empty() && kind.kind == "Secret");
}

bool KubeConfig::allows_write(std::string_view context, const Resource& kind,
                              std::string_view name_space,
                              const std::vector<std::string_view>& verbs,
                              std::string_view subresource) const {
  // Each verb may be opened by another entry.
  return std::ranges::all_of(verbs, [&](std::string_view verb) {
    return std::ranges::any_of(writable, [&](const WritableContext& entry) {
      return entry.context == context && opens_namespace(entry.namespaces, name_space) &&
             opens_kind(entry, kind, subresource) &&
             (entry.verbs.empty() || std::ranges::find(entry.verbs, verb) != entry.verbs.end());
    });
  });
}

bool KubeConfig::allows_exec(std::string_view context, std::string_view name_space,
                             const std::vector<std::string>& argv) const {
  return std::ranges::any_of(exec, [&](const ExecContext& entry) {
    return entry.context == context && opens_namespace(entry.namespaces, name_space) &&
           std::ranges::any_of(entry.argv,
                               [&](const auto& begin) { return begins_with(argv, begin); });
  });
}

}  // namespace filecall::worker::kube
