// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/helm_release.h"

#include <string>
#include <utility>

#include "base/base64.h"
#include "ipc/json_text.h"
#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/helm_storage.h"
#include "worker/exec/kube/model/manifest.h"
#include "worker/exec/kube/model/release_secrets.h"

namespace filecall::worker::kube {
namespace {

/// A Secret has at most one MiB; Helm's charts unpack to a few.
constexpr std::size_t kReleaseBytesMax = 32 * 1024 * 1024;
/// Of the name, the description, ... each.
constexpr std::size_t kSummaryBytes = 500;

Unexpected<Error> no_release(std::string why) {
  return fail(ErrorCode::kInvalidArgument, std::move(why));
}

Json row_of(const Json& object) {
  const Json& metadata = member(object, "metadata");
  Json row{{"apiVersion", text_member(object, "apiVersion")},
           {"kind", text_member(object, "kind")},
           {"name", text_member(metadata, "name")}};
  if (const std::string space = text_member(metadata, "namespace"); !space.empty()) {
    row["namespace"] = space;
  }
  if (object.contains("hook")) row["hook"] = true;
  return row;
}

}  // namespace

Result<Json> open_helm_release(std::string_view body, bool is_secret, Redactor& redactor) {
  const auto stored = parse_foreign(body);
  std::string packed = stored ? text_member(member(*stored, "data"), "release") : "";
  if (packed.empty()) return no_release("the object holds no release (data.release)");
  if (is_secret) {
    auto bytes = base64_decode(packed);
    if (!bytes) return no_release("the Secret's data.release is no base64");
    packed = *std::move(bytes);
  }
  TRY_ASSIGN(const std::string text, unpack_helm_release(packed, kReleaseBytesMax));
  const auto json = parse_foreign(text);
  if (!json || !json->is_object()) return no_release("the release is no JSON object");
  HelmRelease release = read_helm_release(*json);
  Json rows = Json::array();
  ReleaseSecrets secrets;
  for (Json& object : release.objects) {
    rows.push_back(row_of(object));
    const std::string group(group_of(text_member(object, "apiVersion")));
    redactor.learn(object, {group, text_member(object, "kind")});
    secrets.learn(object);
  }
  Json data = std::move(release.summary);
  data["values"] = release.may_hide_secret ? Json::object() : std::move(release.values);
  data = redactor.redact(std::move(data), {},
                         [&](Json& all, Places& places) { secrets.find(all["values"], places); });
  // Bounded when it is redacted: a cut could part a secret from what tells that it is one.
  for (const auto& [name, value] : data.items()) {
    if (value.is_string()) value = excerpt(value.get_ref<const std::string&>(), kSummaryBytes);
  }
  if (release.may_hide_secret) data["valuesHidden"] = true;
  if (release.unreadable > 0) data["unreadable"] = release.unreadable;
  data["objects"] = std::move(rows);
  return data;
}

}  // namespace filecall::worker::kube
