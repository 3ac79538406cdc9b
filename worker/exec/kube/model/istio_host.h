// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "ipc/json.h"

namespace filecall::worker::kube {

/// What a host in a rule of Istio stands for (istio.io/latest/docs/reference/config/networking).
struct IstioHost {
  enum class Form : unsigned char {
    kService,     ///< One Service: `name` and `ns`.
    kWildcard,    ///< Every host that fits `host` ("*", "*.shop.svc.cluster.local").
    kExternal,    ///< A name that only a ServiceEntry can serve.
    kNotExpanded  ///< "svc.ns" or "svc.ns.svc": looks like a Service, but Istio does not expand it.
  };
  Form form = Form::kExternal;
  std::string name;
  std::string ns;
  std::string host;  ///< Fully qualified: "reviews" of namespace shop is "reviews.shop.svc...".

  bool operator==(const IstioHost&) const = default;
};

inline constexpr std::string_view kClusterDomain = "cluster.local";

/// Reads a host as Istio does: without dots it is a Service in the namespace of the rule;
/// "<svc>.<ns>.svc.<domain>" is that Service, whatever the cluster's domain is called. Pure.
IstioHost read_istio_host(std::string_view host, std::string_view rule_namespace);

/// The same for a name outside Istio's rules (a URL, an ExternalName), which the cluster's DNS
/// completes: "svc.ns" is a Service too.
IstioHost read_dns_host(std::string_view host, std::string_view ns);

/// "reviews.shop.svc.cluster.local".
std::string service_host(std::string_view name, std::string_view ns);

/// Whether two hosts, each perhaps with a leading '*', have a name in common.
bool hosts_overlap(std::string_view a, std::string_view b);

/// Whether an object of `owner` namespace with this `exportTo` (a list, or null for everywhere) can
/// be seen from namespace `from`: "." is its own, "*" all, "~" none.
bool is_exported_to(const Json& export_to, std::string_view owner, std::string_view from);

}  // namespace filecall::worker::kube
