// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/client/api_error.h"
#include "worker/exec/kube/client/helm_release.h"
#include "worker/exec/kube/client/reveal_permit.h"
#include "worker/exec/kube/model/log_text.h"
#include "worker/exec/kube/model/redaction.h"

namespace filecall::worker::kube {

/// What an API server answered to one request. The bytes that came cannot be had: whatever leaves
/// this type went through the Redactor of the exchange, with the kind that was asked for, so that
/// no command can go around it. Moves; loop thread only.
class ApiReply {
 public:
  /// `redactor` has learned the request's body and credentials.
  ApiReply(int http_status, std::string content_type, std::string body, ObjectKind asked,
           Redactor redactor, bool has_objects = true);

  int http_status() const { return http_status_; }
  bool is_good() const { return is_good_status(http_status_); }
  const std::string& content_type() const { return content_type_; }
  /// The body, parsed once; null when it is not JSON of a sane depth. Secrets are hidden. What came
  /// from a place that has no objects (is_discovery_path()) is as it was: there "Secret" is a name.
  const Json& object();
  /// The same, for the last one who looks at it.
  Json take_object() {
    (void)object();
    return std::exchange(object_, Json());
  }
  /// The object as it came, secrets included: for the body of a write that repeats a part of it.
  /// Nothing of it may get into an answer. Null when it is no JSON.
  Json unredacted_for_a_write() const;
  /// Why a JSON patch may not be sent to the object in the body: it would read what is hidden of it
  /// (reading_mistake()). "": it may.
  std::string reading_mistake(const Json& operations);
  /// What of the body is hidden and why: [{"path", "why"}], empty when nothing is. After object().
  Json masked() const;
  /// A keyed digest of the object as it came, without what only the server keeps (as
  /// diff_objects() leaves it out): two versions that differ in something hidden differ in it; ""
  /// when the body is no object.
  std::string fingerprint() const;
  /// The body as text: what looks like a credential is taken out.
  std::string text() const { return redactor_.scrub(body_); }
  /// The body as a log for people: what terminals act on is taken out first, so that it neither
  /// parts a credential from its name nor one half of it from the other.
  std::string log() const { return redactor_.scrub(readable_log(body_)); }
  /// Something else that belongs to the exchange, as `object()` shows the body: what it holds of
  /// the secrets of the exchange, and what is secret in itself, is hidden. masked() is about it
  /// then.
  Json redacted(Json object, const ObjectKind& kind) {
    return redactor_.redact(std::move(object), kind);
  }
  /// The Helm release that the body holds (helm_release.h). masked() is about it then.
  Result<Json> helm_release() {
    return open_helm_release(body_, asked_.kind == "Secret", redactor_);
  }
  /// Another text of the exchange: a warning, a message.
  std::string scrub(std::string_view text) const { return redactor_.scrub(text); }
  /// Warnings of the server, for people.
  const std::vector<std::string>& warnings() const { return warnings_; }
  /// The body had more than may be kept.
  bool is_cut() const { return is_cut_; }
  void note_cut() { is_cut_ = true; }
  void add_warning(std::string_view text) { warnings_.push_back(scrub(text)); }

 private:
  int http_status_;
  std::string content_type_;
  std::string body_;
  ObjectKind asked_;
  bool has_objects_;
  Redactor redactor_;
  std::vector<std::string> warnings_;
  bool is_cut_ = false;
  bool is_parsed_ = false;
  Json object_;
};

/// The text of a Warning header (`299 - "text"`, RFC 7234 section 5.5); the whole when it has
/// another form. Pure.
std::string warning_text(std::string_view header);

}  // namespace filecall::worker::kube
