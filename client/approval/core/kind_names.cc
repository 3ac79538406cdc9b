// SPDX-License-Identifier: MIT
#include "client/approval/core/kind_names.h"

#include <algorithm>
#include <iterator>

#include "client/approval/core/program_models.h"

namespace filecall::client {
namespace {

struct KindNames {
  std::string_view kind;
  std::string_view others{};  ///< Short names, and plurals that are made in another way.
};

constexpr KindNames kKinds[] = {
    {"apiservice"},
    {"binding"},
    {"certificatesigningrequest", "csr"},
    {"clusterrole"},
    {"clusterrolebinding"},
    {"componentstatus", "cs"},
    {"configmap", "cm"},
    {"controllerrevision"},
    {"cronjob", "cj"},
    {"csidriver"},
    {"csinode"},
    {"csistoragecapacity"},
    {"customresourcedefinition", "crd crds"},
    {"daemonset", "ds"},
    {"deployment", "deploy"},
    {"deviceclass"},
    {"endpoints", "ep endpoint"},
    {"endpointslice"},
    {"event", "ev"},
    {"eviction"},
    {"flowschema"},
    {"horizontalpodautoscaler", "hpa"},
    {"ingress", "ing"},
    {"ingressclass"},
    {"ipaddress", "ip"},
    {"job"},
    {"lease"},
    {"limitrange", "limits"},
    {"localsubjectaccessreview"},
    {"mutatingadmissionpolicy"},
    {"mutatingadmissionpolicybinding"},
    {"mutatingwebhookconfiguration"},
    {"namespace", "ns"},
    {"networkpolicy", "netpol"},
    {"node", "no"},
    {"persistentvolume", "pv"},
    {"persistentvolumeclaim", "pvc"},
    {"pod", "po"},
    {"poddisruptionbudget", "pdb"},
    {"podtemplate"},
    {"priorityclass", "pc"},
    {"prioritylevelconfiguration"},
    {"replicaset", "rs"},
    {"replicationcontroller", "rc"},
    {"resourceclaim"},
    {"resourceclaimtemplate"},
    {"resourcequota", "quota"},
    {"resourceslice"},
    {"role"},
    {"rolebinding"},
    {"runtimeclass"},
    {"secret"},
    {"selfsubjectaccessreview"},
    {"selfsubjectreview"},
    {"selfsubjectrulesreview"},
    {"service", "svc"},
    {"serviceaccount", "sa"},
    {"servicecidr"},
    {"statefulset", "sts"},
    {"storageclass", "sc"},
    {"subjectaccessreview"},
    {"tokenreview"},
    {"validatingadmissionpolicy"},
    {"validatingadmissionpolicybinding"},
    {"validatingwebhookconfiguration"},
    {"volumeattachment"},
    {"volumeattributesclass", "vac"},
};
/// Of kinds that are no part of Kubernetes itself, and that policies often name.
constexpr KindNames kWellKnown[] = {
    {"certificate", "cert certs"}, {"certificaterequest", "cr crs"}, {"destinationrule", "dr"},
    {"gateway", "gw gtw"},         {"virtualservice", "vs"},
};

std::string small_name(std::string_view kind) {
  std::string text;
  for (const char c : kind.substr(0, kind.find('.'))) {
    text += static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  }
  return text;
}

/// As Kubernetes makes the name of a resource out of that of a kind.
std::string plural_of(const std::string& kind) {
  if (kind == "endpoints") return kind;
  const auto ends_in = [&](std::string_view end) { return kind.ends_with(end); };
  if (ends_in("s") || ends_in("x") || ends_in("ch") || ends_in("sh")) return kind + "es";
  const bool has_vowel = ends_in("ay") || ends_in("ey") || ends_in("oy") || ends_in("uy");
  if (ends_in("y") && !has_vowel) return kind.substr(0, kind.size() - 1) + "ies";
  return kind + "s";
}

const KindNames* row_of(const KindNames* begin, const KindNames* end, const std::string& name) {
  const auto* const found = std::find_if(begin, end, [&](const KindNames& row) {
    return name == row.kind || name == plural_of(std::string(row.kind)) ||
           has_word(row.others, name);
  });
  return found == end ? nullptr : found;
}

const KindNames* own_row(const std::string& name) {
  return row_of(std::begin(kKinds), std::end(kKinds), name);
}

const KindNames* any_row(const std::string& name) {
  const KindNames* row = own_row(name);
  return row != nullptr ? row : row_of(std::begin(kWellKnown), std::end(kWellKnown), name);
}

/// What plural_of() would make this of, by its letters.
std::string guessed_singular(std::string name) {
  if (name.ends_with("ies") && name.size() > 4) return name.substr(0, name.size() - 3) + "y";
  for (const std::string_view end : {"sses", "xes", "ches", "shes"}) {
    if (name.ends_with(end) && name.size() > end.size()) return name.substr(0, name.size() - 2);
  }
  if (name.size() > 2 && name.ends_with("s") && !name.ends_with("ss")) name.pop_back();
  return name;
}

}  // namespace

std::string plain_kind(std::string_view kind) {
  std::string name = small_name(kind);
  if (const KindNames* row = any_row(name)) return std::string(row->kind);
  return guessed_singular(std::move(name));
}

bool is_known_kind(std::string_view kind) { return own_row(small_name(kind)) != nullptr; }

std::vector<std::string> kind_spellings(std::string_view kind) {
  const std::string whole = plain_kind(kind);
  std::vector<std::string> names = {whole, plural_of(whole)};
  const KindNames* row = any_row(whole);
  std::string_view rest = row == nullptr ? std::string_view() : row->others;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    names.emplace_back(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return names;
}

}  // namespace filecall::client
