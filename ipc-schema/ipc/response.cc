// SPDX-License-Identifier: MIT
#include "ipc/response.h"

#include <fmt/format.h>

#include <iterator>

namespace filecall {
namespace {

void append_text(std::string& out, std::string_view name, std::string_view text) {
  out += name;
  // Ids and messages are mostly plain: only what needs escaping pays for a JSON value.
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f || c == '"' || c == '\\') {
      out += dump_json(Json(std::string(text)));
      return;
    }
  }
  out += '"';
  out += text;
  out += '"';
}

void append_failure(std::string& out, const Failure& failure) {
  append_text(out, R"(,"status":"error","error_message":)", failure.message);
  append_text(out, R"(,"error_code":)", to_string(failure.code));
  out += failure.is_retryable() ? R"(,"retryable":true)" : R"(,"retryable":false)";
  if (failure.retry_after_ms) {
    fmt::format_to(std::back_inserter(out), R"(,"retry_after_ms":{})", *failure.retry_after_ms);
  }
  if (failure.details.is_object()) out += R"(,"error_details":)" + dump_json(failure.details);
}

void append_timing(std::string& out, const ResponseTiming& timing) {
  out += R"(,"timing":{"received_at":")";
  out += format_rfc3339(timing.received_at);
  out += R"(","started_at":")";
  out += format_rfc3339(timing.started_at);
  out += R"(","finished_at":")";
  out += format_rfc3339(timing.finished_at);
  fmt::format_to(std::back_inserter(out), R"(","queued_ms":{},"run_ms":{}}})", timing.queued_ms,
                 timing.run_ms);
}

Unexpected malformed(std::string_view stem, std::string_view reason) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("{}.json: not a response: {}", stem, reason));
}

std::string text_or(const Json& object, const char* name, const std::string& fallback) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : fallback;
}

std::int64_t integer_or(const Json& object, const char* name, std::int64_t fallback) {
  const auto found = object.find(name);
  return found != object.end() && found->is_number() ? found->get<std::int64_t>() : fallback;
}

Failure read_failure(const Json& object) {
  Failure failure;
  failure.message = text_or(object, "error_message", "the response gives no error_message");
  failure.code =
      parse_error_code(text_or(object, "error_code", "unknown")).value_or(ErrorCode::kUnknown);
  // An error without the member counts as retryable, whatever its code.
  const auto retryable = object.find("retryable");
  failure.retryable =
      retryable == object.end() || !retryable->is_boolean() || retryable->get<bool>();
  const auto after = object.find("retry_after_ms");
  if (after != object.end() && after->is_number() && after->get<double>() >= 0) {
    failure.retry_after_ms = after->get<std::int64_t>();
  }
  const auto details = object.find("error_details");
  if (details != object.end() && details->is_object()) failure.details = *details;
  return failure;
}

std::optional<ResponseTiming> read_timing(const Json& object) {
  const auto found = object.find("timing");
  if (found == object.end() || !found->is_object()) return std::nullopt;
  ResponseTiming timing;
  timing.received_at = parse_rfc3339(text_or(*found, "received_at", "")).value_or(WallTime{});
  timing.started_at = parse_rfc3339(text_or(*found, "started_at", "")).value_or(WallTime{});
  timing.finished_at = parse_rfc3339(text_or(*found, "finished_at", "")).value_or(WallTime{});
  timing.queued_ms = integer_or(*found, "queued_ms", 0);
  timing.run_ms = integer_or(*found, "run_ms", 0);
  return timing;
}

}  // namespace

std::string render_response(const Response& response) {
  std::string out;
  out.reserve(384);
  append_text(out, R"({"request_id":)", response.request_id);
  if (response.failure) {
    append_failure(out, *response.failure);
  } else {
    out += R"(,"status":"success","data":)" + dump_json(response.data);
  }
  if (response.timing) append_timing(out, *response.timing);
  if (!response.worker.empty()) append_text(out, R"(,"worker":)", response.worker);
  if (response.metadata.is_object()) out += R"(,"metadata":)" + dump_json(response.metadata);
  out += "}\n";
  return out;
}

Result<Response> parse_response(std::string_view bytes, std::string_view stem) {
  // Not strict: a foreign worker's duplicate key must not make its answer unreadable.
  const Json object = Json::parse(bytes.begin(), bytes.end(), nullptr, false);
  if (object.is_discarded()) return malformed(stem, "not JSON");
  if (!object.is_object()) return malformed(stem, "not a JSON object");
  Response response;
  response.request_id = text_or(object, "request_id", "");
  if (response.request_id != stem) {
    return malformed(stem, "/request_id is missing or differs from the file's name");
  }
  const std::string status = text_or(object, "status", "");
  if (status == "error") {
    response.failure = read_failure(object);
  } else if (status == "success") {
    const auto data = object.find("data");
    if (data == object.end()) return malformed(stem, "/data is missing");
    response.data = *data;
  } else {
    return malformed(stem, "/status must be success or error");
  }
  response.timing = read_timing(object);
  response.worker = text_or(object, "worker", "");
  const auto metadata = object.find("metadata");
  if (metadata != object.end() && metadata->is_object()) response.metadata = *metadata;
  return response;
}

}  // namespace filecall
