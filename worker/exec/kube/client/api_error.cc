// SPDX-License-Identifier: MIT
#include "worker/exec/kube/client/api_error.h"

#include <fmt/core.h>

#include <algorithm>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::kube {
namespace {

constexpr std::size_t kMessageBytes = 2000;
constexpr std::size_t kForeignBodyBytes = 512;
constexpr std::size_t kCausesMax = 50;

/// What follows from an answer.
struct Ruling {
  ErrorCode code = ErrorCode::kUnknown;
  bool is_retryable = false;
};

struct Row {
  int http_status;
  std::string_view reason;  ///< Empty: any.
  Ruling ruling;
};

/// The first row that fits counts.
constexpr Row kRows[] = {
    {400, "Expired", {ErrorCode::kOutOfRange, false}},
    {400, "", {ErrorCode::kInvalidArgument, false}},
    {401, "", {ErrorCode::kUnauthenticated, false}},
    {403, "", {ErrorCode::kPermissionDenied, false}},
    {404, "", {ErrorCode::kNotFound, false}},
    {405, "", {ErrorCode::kUnimplemented, false}},
    {406, "", {ErrorCode::kUnimplemented, false}},
    {408, "", {ErrorCode::kUnavailable, true}},
    {409, "AlreadyExists", {ErrorCode::kAlreadyExists, false}},
    {409, "", {ErrorCode::kAborted, false}},
    {410, "", {ErrorCode::kOutOfRange, false}},
    {413, "", {ErrorCode::kInvalidArgument, false}},
    {415, "", {ErrorCode::kUnimplemented, false}},
    {422, "", {ErrorCode::kInvalidArgument, false}},
    {429, "", {ErrorCode::kResourceExhausted, true}},
    {501, "", {ErrorCode::kUnimplemented, false}},
};

/// An apply with a field that the kind does not have is answered with HTTP 500 and no reason; no
/// repetition helps.
bool is_schema_mistake(std::string_view message) {
  return message.find("failed to create typed patch object") != std::string_view::npos ||
         message.find("field not declared in schema") != std::string_view::npos;
}

/// What a message of the server means beyond its code, which is the same for much: every plug-in of
/// admission says "Forbidden" as RBAC does.
struct Known {
  std::string_view part;
  std::string_view more;
};
constexpr Known kKnown[] = {
    {"denied the request",
     "an admission webhook of the cluster decided so, not RBAC; it says why, and the same again is "
     "denied again"},
    {"failed calling webhook",
     "an admission webhook of the cluster did not answer; nothing was written"},
    {"does not support dry run",
     "an admission webhook forbids dry runs, so the server cannot preview this write"},
    {"field is immutable",
     "what cannot be changed once the object is there must be sent as it is, or left out"},
    {"updates to statefulset spec for fields other than",
     "what cannot be changed once the object is there must be sent as it is, or left out"},
    {"because it is being terminated",
     "the namespace is being deleted; nothing new can be made in it"},
    {"exceeded quota", "a quota of the namespace refuses it, not RBAC"},
    {"violates PodSecurity", "the pod security level of the namespace refuses it, not RBAC"},
};

bool is_denied_by_webhook(std::string_view message) {
  return message.find("admission webhook") != std::string_view::npos &&
         message.find("denied the request") != std::string_view::npos;
}

Ruling ruling_of(int http_status, std::string_view reason, std::string_view message) {
  for (const Row& row : kRows) {
    if (row.http_status == http_status && (row.reason.empty() || row.reason == reason)) {
      return row.ruling;
    }
  }
  // A webhook chooses the code of its denial; a repetition is denied again.
  if (http_status >= 500 && is_denied_by_webhook(message)) {
    return {ErrorCode::kPermissionDenied, false};
  }
  if (http_status >= 500) {
    return is_schema_mistake(message) ? Ruling{ErrorCode::kInvalidArgument, false}
                                      : Ruling{ErrorCode::kUnavailable, true};
  }
  // A redirection, or something that is not for us.
  return http_status >= 400 ? Ruling{ErrorCode::kInvalidArgument, false}
                            : Ruling{ErrorCode::kUnavailable, false};
}

/// The server has ended the TLS handshake because of the client's certificate.
bool is_certificate_refused(std::string_view transport_message) {
  constexpr std::string_view kAlerts[] = {"alert certificate expired", "alert certificate revoked",
                                          "alert certificate required", "alert bad certificate",
                                          "alert unknown ca"};
  return std::ranges::any_of(kAlerts, [&](std::string_view alert) {
    return transport_message.find(alert) != std::string_view::npos;
  });
}

/// What the transport's end means when no whole answer came.
Ruling ruling_of(HttpEnd end, std::string_view transport_message) {
  if (is_certificate_refused(transport_message)) return {ErrorCode::kUnauthenticated, false};
  switch (end) {
    case HttpEnd::kBadUrl:
      return {ErrorCode::kFailedPrecondition, false};
    case HttpEnd::kTls:
      return {ErrorCode::kUnavailable, false};
    case HttpEnd::kTooLarge:
      return {ErrorCode::kResourceExhausted, false};
    case HttpEnd::kTimeoutFirstEvent:
    case HttpEnd::kTimeoutIdle:
    case HttpEnd::kTimeoutTotal:
      return {ErrorCode::kDeadlineExceeded, true};
    default:
      return {ErrorCode::kUnavailable, true};
  }
}

/// `conflict with "manager" with subresource "scale" using apps/v1 at 2026-...`, as a row: the
/// manager, and what is said of it. A manager that has applied is named alone.
Json conflict_row(std::string_view message, std::string field) {
  Json row{{"manager", ""}, {"field", std::move(field)}};
  const std::size_t begin = message.find('"');
  if (begin == message.npos) return row;
  std::string_view rest = message.substr(begin + 1);
  const auto quoted_text = [&rest] {
    std::string out;
    std::size_t i = 0;
    for (; i < rest.size() && rest[i] != '"'; ++i) {
      if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
      out += rest[i];
    }
    rest.remove_prefix(std::min(i + 1, rest.size()));
    return out;
  };
  row["manager"] = quoted_text();
  constexpr std::string_view kPart = " with subresource \"";
  if (rest.starts_with(kPart)) {
    rest.remove_prefix(kPart.size());
    row["subresource"] = quoted_text();
  }
  row["operation"] = rest.starts_with(" using ") ? "Update" : "Apply";
  const std::size_t at = rest.rfind(" at ");
  if (at != rest.npos && rest.starts_with(" using ")) row["time"] = rest.substr(at + 4);
  return row;
}

void add_causes(const Json& causes, Json& details) {
  if (!causes.is_array() || causes.empty()) return;
  Json list = Json::array();
  Json conflicts = Json::array();
  for (const Json& cause : causes) {
    if (list.size() >= kCausesMax) break;
    const std::string message = excerpt(text_member(cause, "message"), kMessageBytes);
    const std::string field = text_member(cause, "field");
    if (text_member(cause, "reason") == "FieldManagerConflict") {
      conflicts.push_back(conflict_row(message, field));
    }
    list.push_back(
        {{"reason", text_member(cause, "reason")}, {"message", message}, {"field", field}});
  }
  details["causes"] = std::move(list);
  if (causes.size() > kCausesMax) details["causes_left_out"] = causes.size() - kCausesMax;
  if (!conflicts.empty()) details["conflicts"] = std::move(conflicts);
}

/// What the server gives in place of a continue token that is too old.
std::string continue_of(const ApiProblem& problem) {
  return text_member(member(problem.status, "metadata"), "continue");
}

/// Whether a write that was sent may have been done all the same. A 408 says that the server waited
/// for the rest of the request (RFC 9110, 15.5.9); what was sent whole needs no waiting for, and
/// there are gateways that say so of an answer which does not come. An API server says in a Status
/// that it could not do it (500, 503), and that it does not know any more (504, reason Timeout);
/// where somebody else speaks, the server behind may have done it.
bool may_have_been_done(const ApiProblem& problem) {
  const int status = problem.http_status;
  if (status < 300) return true;  // No answer, or a good one that cannot be read.
  if (status == 408 || status == 504) return true;
  const bool is_of_server = problem.status.is_object() && !problem.status.empty();
  return status >= 500 && status != 501 && !is_of_server;
}

Json details_of(const ApiProblem& problem) {
  Json details = Json::object();
  if (problem.http_status > 0) details["http_status"] = problem.http_status;
  if (problem.end != HttpEnd::kComplete) details["transport"] = to_string(problem.end);
  if (problem.may_change && problem.was_sent && may_have_been_done(problem)) {
    details["ambiguous"] = true;
  }
  if (!problem.status.is_object()) return details;
  details["reason"] = text_member(problem.status, "reason");
  if (const std::string next = continue_of(problem); !next.empty()) details["continue"] = next;
  const Json& of = member(problem.status, "details");
  for (const char* name : {"kind", "name", "group"}) {
    if (const std::string text = text_member(of, name); !text.empty()) details[name] = text;
  }
  add_causes(member(of, "causes"), details);
  return details;
}

std::string message_of(const ApiProblem& problem) {
  if (problem.http_status < 300 && problem.end != HttpEnd::kComplete) {
    const std::string& more = problem.transport_message;
    return fmt::format("the API server did not answer ({}){}{}", to_string(problem.end),
                       more.empty() ? "" : ": ", more);
  }
  std::string text = text_member(problem.status, "message");
  if (text.empty() && problem.status.is_object()) text = text_member(problem.status, "reason");
  if (text.empty()) {
    text = problem.body_text.empty() ? "no reason was given"
                                     : "not the response of an API server: " +
                                           excerpt(problem.body_text, kForeignBodyBytes);
  }
  std::string out = fmt::format("HTTP {}: {}", problem.http_status, excerpt(text, kMessageBytes));
  for (const Known& known : kKnown) {
    if (text.find(known.part) == std::string::npos) continue;
    out += fmt::format("; {}", known.more);
    break;
  }
  if (problem.http_status == 410) {
    out += continue_of(problem).empty()
               ? "; begin the list again, without a continue token"
               : "; error_details.continue goes on with the objects as they are now (what changed "
                 "meanwhile may be missing or come twice), or begin again without a token";
  }
  return out;
}

std::optional<Duration> delay_of(const ApiProblem& problem) {
  if (problem.retry_after) return problem.retry_after;
  const auto of_status =
      count_member(member(problem.status, "details"), "retryAfterSeconds").value_or(0);
  if (of_status <= 0) return std::nullopt;
  return seconds(std::min<std::int64_t>(of_status, 86400));
}

}  // namespace

Failure failure_of(const ApiProblem& problem) {
  const bool is_answered = problem.http_status >= 300 || problem.end == HttpEnd::kComplete;
  const Ruling ruling = is_answered
                            ? ruling_of(problem.http_status, text_member(problem.status, "reason"),
                                        text_member(problem.status, "message"))
                            : ruling_of(problem.end, problem.transport_message);
  Failure failure;
  failure.code = ruling.code;
  failure.retryable = ruling.is_retryable;
  failure.message = message_of(problem);
  failure.details = details_of(problem);
  // A write that may have been done must not be done again unseen.
  if (failure.details.contains("ambiguous")) failure.retryable = false;
  if (const auto delay = delay_of(problem)) failure.retry_after_ms = to_ms(*delay);
  return failure;
}

}  // namespace filecall::worker::kube
