// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/possible_references.h"

#include <algorithm>
#include <array>
#include <string>

#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/object_walk.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kReferencesMax = 200;
constexpr int kDepthMax = 60;
/// Kinds that fields are often called after, longest first where one ends in another.
const std::array kHintedKinds = std::to_array<std::string_view>(
    {"ConfigMap", "Secret", "ServiceAccount", "Service", "PersistentVolumeClaim",
     "storage.k8s.io/StorageClass", "scheduling.k8s.io/PriorityClass",
     "networking.k8s.io/IngressClass", "apps/Deployment", "apps/StatefulSet", "apps/DaemonSet",
     "networking.k8s.io/Ingress"});

std::string lowered_text(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return out;
}

bool drop_end(std::string& text, std::string_view end) {
  if (!text.ends_with(end)) return false;
  text.resize(text.size() - end.size());
  return true;
}

/// Names of objects: DNS labels and names.
bool may_be_name(std::string_view text) {
  return !text.empty() && text.size() <= 253 &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.") == std::string_view::npos;
}

class Search {
 public:
  Search(const ReferenceTable& table, const Json& object)
      : rule_(table.possible()), ns_(metadata_text(object, "namespace")) {}

  void walk(const Json& value, const std::string& key, const std::string& path, int depth) {
    if (value.is_string()) return take_text(value, key, path);
    if (!value.is_structured() || value.empty()) return;
    if (depth > kDepthMax) {
      out_.is_cut = true;
      return;
    }
    if (value.is_object()) take_object(value, key, path);
    if (value.is_array()) {
      // Items of "secretRefs" are each a secretRef.
      std::string single = key;
      drop_end(single, "s");
      for (std::size_t i = 0; i < value.size(); ++i) {
        walk(value[i], single, path + "/" + std::to_string(i), depth + 1);
      }
    } else {
      for (const auto& [name, item] : value.items()) {
        walk(item, name, path + "/" + pointer_token(name), depth + 1);
      }
    }
  }

  PossibleReferences take() { return std::move(out_); }

 private:
  static std::string pointer_token(std::string_view name) {
    std::string out;
    for (const char c : name) {
      out += c == '~' ? "~0" : c == '/' ? "~1" : std::string(1, c);
    }
    return out;
  }

  void take_object(const Json& value, const std::string& key, const std::string& path) {
    const std::string_view name = text_of(value, "name");
    if (!may_be_name(name)) return;
    const std::string_view kind = text_of(value, "kind");
    if (!kind.empty()) {
      Reference reference = made(name, lowered_text(kind), path, text_of(value, "namespace"));
      for (const char* member : {"apiVersion", "apiGroup", "group"}) {
        if (!value.contains(member)) continue;
        const std::string_view text = text_of(value, member);
        const bool is_version = std::string_view(member) == "apiVersion";
        reference.kinds = {{std::string(is_version ? group_of(text) : text), std::string(kind)}};
        reference.hint.clear();
        break;
      }
      return add(std::move(reference));
    }
    std::string hint = lowered_text(key);
    const bool is_reference = drop_end(hint, "ref") || drop_end(hint, "reference");
    drop_end(hint, "key");
    if (hint.empty() || (!is_reference && known_kind(hint) == nullptr)) return;
    add(made(name, hint, path + "/name", text_of(value, "namespace")));
  }

  void take_text(const Json& value, const std::string& key, const std::string& path) {
    const std::string& text = value.get_ref<const std::string&>();
    if (!may_be_name(text)) return;
    std::string hint = lowered_text(key);
    const bool is_reference = drop_end(hint, "ref") || drop_end(hint, "reference");
    if (!is_reference) drop_end(hint, "name");
    if (hint == "claim") hint = "persistentvolumeclaim";
    if (hint.empty() || (!is_reference && known_kind(hint) == nullptr)) return;
    add(made(text, hint, path, ""));
  }

  static const std::string_view* known_kind(std::string_view hint) {
    const auto found = std::ranges::find_if(
        kHintedKinds, [&](std::string_view kind) { return may_mean(hint, parse_kind(kind).kind); });
    return found == kHintedKinds.end() ? nullptr : found;
  }

  void add(Reference reference) {
    if (out_.found.size() >= kReferencesMax) {
      out_.is_cut = true;
      return;
    }
    out_.found.push_back(std::move(reference));
  }

  Reference made(std::string_view name, std::string hint, const std::string& path,
                 std::string_view ns) const {
    Reference out;
    out.rule = &rule_;
    out.path = path;
    out.name = name;
    out.severity = rule_.target_deleted;
    if (const std::string_view* kind = known_kind(hint)) out.kinds = {parse_kind(*kind)};
    out.hint = std::move(hint);
    // "": a kind that has no namespace.
    out.namespaces = {std::string(ns.empty() ? std::string_view(ns_) : ns), ""};
    if (ns_.empty() && ns.empty()) out.where = Reference::Where::kAnywhere;
    return out;
  }

  const ReferenceRule& rule_;
  const std::string ns_;
  PossibleReferences out_;
};

}  // namespace

bool may_mean(std::string_view hint, std::string_view kind) {
  const std::string lower = lowered_text(kind);
  return !lower.empty() && hint.ends_with(lower);
}

PossibleReferences possible_references(const ReferenceTable& table, const ObjectKind& kind,
                                       const Json& object) {
  if (!object.is_object() || table.is_modelled(kind)) return {};
  Search search(table, object);
  for (const auto& [name, value] : object.items()) {
    if (name == "metadata" || name == "status" || name == "kind" || name == "apiVersion") continue;
    search.walk(value, name, "/" + name, 0);
  }
  return search.take();
}

}  // namespace filecall::worker::kube
