// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/istio_host.h"

#include <fmt/format.h>

#include <vector>

#include "base/take_until.h"

namespace filecall::worker::kube {
namespace {

std::vector<std::string_view> labels_of(std::string_view host) {
  std::vector<std::string_view> labels;
  while (!host.empty()) labels.push_back(take_until(&host, '.'));
  return labels;
}

IstioHost service(std::string_view name, std::string_view ns) {
  return {IstioHost::Form::kService, std::string(name), std::string(ns), service_host(name, ns)};
}

}  // namespace

std::string service_host(std::string_view name, std::string_view ns) {
  return fmt::format("{}.{}.svc.{}", name, ns, kClusterDomain);
}

IstioHost read_istio_host(std::string_view host, std::string_view rule_namespace) {
  if (host.starts_with('*')) return {IstioHost::Form::kWildcard, "", "", std::string(host)};
  const std::vector<std::string_view> labels = labels_of(host);
  if (labels.size() == 1) return service(host, rule_namespace);
  if (labels.size() >= 4 && labels[2] == "svc") return service(labels[0], labels[1]);
  // A name with two labels may as well be a domain; only "svc.ns.svc" cannot be one.
  if (labels.size() == 3 && labels[2] == "svc") {
    return {IstioHost::Form::kNotExpanded, std::string(labels[0]), std::string(labels[1]),
            std::string(host)};
  }
  return {IstioHost::Form::kExternal, "", "", std::string(host)};
}

IstioHost read_dns_host(std::string_view host, std::string_view ns) {
  const std::vector<std::string_view> labels = labels_of(host);
  if (labels.size() == 2 || (labels.size() == 3 && labels[2] == "svc")) {
    return service(labels[0], labels[1]);
  }
  return read_istio_host(host, ns);
}

bool hosts_overlap(std::string_view a, std::string_view b) {
  const bool is_a_wild = a.starts_with('*');
  const bool is_b_wild = b.starts_with('*');
  if (is_a_wild) a.remove_prefix(1);
  if (is_b_wild) b.remove_prefix(1);
  if (is_a_wild && is_b_wild) return a.ends_with(b) || b.ends_with(a);
  if (is_a_wild) return b.ends_with(a);
  return is_b_wild ? a.ends_with(b) : a == b;
}

bool is_exported_to(const Json& export_to, std::string_view owner, std::string_view from) {
  if (!export_to.is_array() || export_to.empty()) return true;
  for (const Json& entry : export_to) {
    if (!entry.is_string()) continue;
    const std::string_view name = entry.get_ref<const std::string&>();
    if (name == "*" || name == from || (name == "." && owner == from)) return true;
  }
  return false;
}

}  // namespace filecall::worker::kube
