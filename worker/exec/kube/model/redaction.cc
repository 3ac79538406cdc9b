// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/redaction.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "worker/exec/kube/model/credential_values.h"
#include "worker/exec/kube/model/learning.h"
#include "worker/exec/kube/model/masking.h"
#include "worker/exec/kube/model/object_walk.h"
#include "worker/exec/kube/model/quoted_objects.h"

namespace filecall::worker::kube {
namespace {

/// The objects that a list, a table or a watch event is about.
template <typename Body>
std::vector<Body*> inner_objects(Body& body) {
  std::vector<Body*> found;
  if (!body.is_object()) return found;
  if (const auto items = body.find("items"); items != body.end() && items->is_array()) {
    for (auto& item : *items) found.push_back(&item);
  }
  if (const auto rows = body.find("rows"); rows != body.end() && rows->is_array()) {
    for (auto& row : *rows) {
      if (row.is_object() && row.contains("object")) found.push_back(&row["object"]);
    }
  }
  if (const auto object = body.find("object"); object != body.end() && body.contains("type")) {
    found.push_back(&*object);
  }
  return found;
}

}  // namespace

bool is_copy_annotation(std::string_view key) {
  if (key.find('/') == std::string_view::npos) return false;
  for (const std::string_view end :
       {"/last-applied-configuration", "/last-applied", "/original", "/original-diff",
        "/original-diff-full", "rio.cattle.io/applied", "/last-applied-object"}) {
    if (key.ends_with(end)) return true;
  }
  return false;
}

void Redactor::learn(const Json& body, const ObjectKind& asked) {
  if (is_revealing()) return;
  Learning learning(known_);
  const bool is_asked_secret = is_secret_kind(asked);
  for (const Json* object : inner_objects(body)) learning.object(*object, is_asked_secret);
  if (body.is_object()) learning.object(body, is_asked_secret && !is_envelope(body));
}

Json Redactor::redact(Json body, const ObjectKind& asked) {
  if (kind_of(body) == "Status") take_out_quoted_objects(body);
  learn(body, asked);
  if (!body.is_object()) return body;
  Masking masking(*this);
  const bool is_asked_secret = is_secret_kind(asked);
  const std::vector<Json*> inner = inner_objects(body);
  // Each once, or a mark would be masked for what it is: they are elsewhere during the last look.
  std::vector<Json> masked;
  for (Json* object : inner) {
    masking.object(*object, is_asked_secret);
    masked.push_back(std::exchange(*object, nullptr));
  }
  masking.object(body, is_asked_secret && !is_envelope(body));
  for (std::size_t i = 0; i < inner.size(); ++i) *inner[i] = std::move(masked[i]);
  return body;
}

std::string Redactor::scrub(std::string_view text) const {
  return mask_spans(text, secret_spans(text, Texts::kAny));
}

std::optional<std::string> Redactor::scrub_member(std::string_view text, Texts texts) const {
  std::vector<TextSpan> spans = secret_spans(text, texts);
  if (spans.empty() && is_valid_utf8(text)) return std::nullopt;
  return mask_spans(text, std::move(spans), [this](std::string_view hidden) {
    return fmt::format("[redacted digest={}]", keyed_digest(key_, hidden).substr(0, 8));
  });
}

std::vector<TextSpan> Redactor::secret_spans(std::string_view text, Texts texts) const {
  std::vector<TextSpan> spans;
  own_.find(text, spans);
  if (is_revealing()) return spans;
  known_.find(text, spans);
  find_credential_values(text, spans);
  find_credential_assignments(
      text, texts == Texts::kSettings ? Assignments::kSettings : Assignments::kSentences, spans);
  return spans;
}

Json Redactor::mark(std::string_view value) const {
  return {{"redacted", true},
          {"bytes", value.size()},
          {"digest", keyed_digest(key_, value).substr(0, 16)}};
}

std::string Redactor::mark_text(std::string_view value) const {
  return fmt::format("[redacted bytes={} digest={}]", value.size(),
                     keyed_digest(key_, value).substr(0, 16));
}

}  // namespace filecall::worker::kube
