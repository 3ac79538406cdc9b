// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/api_reply.h"

#include <fmt/format.h>

#include <utility>

#include "worker/exec/json_read.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/patch_reading.h"

namespace filecall::worker::kube {
namespace {

/// Of an OpenAPI document most is about requests, which nobody asks for.
constexpr LeftOut kUnusedPaths{"", "paths"};

}  // namespace

ApiReply::ApiReply(int http_status, std::string content_type, std::string body, ObjectKind asked,
                   Redactor redactor, bool has_objects)
    : http_status_(http_status),
      content_type_(std::move(content_type)),
      body_(std::move(body)),
      asked_(std::move(asked)),
      has_objects_(has_objects),
      redactor_(std::move(redactor)) {}

const Json& ApiReply::object() {
  if (!is_parsed_) {
    is_parsed_ = true;
    // The redactor takes them out; they are often longer than the object.
    const LeftOut left_out = has_objects_ ? LeftOut{"metadata", "managedFields"} : kUnusedPaths;
    if (auto json = parse_foreign(body_, left_out)) {
      object_ = has_objects_ ? redactor_.redact(std::move(*json), asked_) : std::move(*json);
    }
  }
  return object_;
}

Json ApiReply::unredacted_for_a_write() const {
  auto json = parse_foreign(body_);
  return json ? *std::move(json) : Json();
}

std::string ApiReply::reading_mistake(const Json& operations) {
  const Json unredacted = unredacted_for_a_write();
  return kube::reading_mistake(operations, {unredacted, object(), is_secret_kind(asked_)});
}

Json ApiReply::masked() const {
  Json out = Json::array();
  for (const Redactor::Note& note : redactor_.notes()) {
    out.push_back({{"path", note.path}, {"why", note.why}});
  }
  if (const std::size_t omitted = redactor_.omitted_notes(); omitted > 0) {
    out.push_back({{"path", ""}, {"why", fmt::format("{} more are hidden", omitted)}});
  }
  return out;
}

std::string ApiReply::fingerprint() const {
  auto json = parse_foreign(body_, LeftOut{"metadata", "managedFields"});
  return json && json->is_object() ? redactor_.fingerprint(*std::move(json)) : "";
}

std::string warning_text(std::string_view header) {
  const std::size_t begin = header.find('"');
  if (begin == std::string_view::npos) return std::string(header);
  std::string text;
  for (std::size_t i = begin + 1; i < header.size() && header[i] != '"'; ++i) {
    if (header[i] == '\\' && i + 1 < header.size()) ++i;
    text += header[i];
  }
  return text;
}

}  // namespace filecall::worker::kube
