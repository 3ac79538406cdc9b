// SPDX-License-Identifier: MIT
#include "ipc/response.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/result.h"
#include "ipc/json_discard.h"
#include "ipc/json_text.h"
#include "ipc/limits.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

/// A buffer for rendering that grew beyond this is not kept.
constexpr std::size_t kKeptBytesMax = 64 * 1024;

void append_time(std::string& out, std::string_view name, WallTime time) {
  out += name;
  out += format_rfc3339(time);
  out += '"';
}

void append_failure(std::string& out, const Failure& failure) {
  out += "\"error\",\"error_message\":";
  append_json_string(out, failure.message);
  out += ",\"error_code\":\"";
  out += to_string(failure.code);
  out += failure.is_retryable() ? "\",\"retryable\":true" : "\",\"retryable\":false";
  if (failure.retry_after_ms) {
    out += ",\"retry_after_ms\":";
    append_json_integer(out, *failure.retry_after_ms);
  }
  if (failure.details.is_object()) {
    out += ",\"error_details\":";
    append_json(out, failure.details);
  }
}

void append_timing(std::string& out, const ResponseTiming& timing) {
  append_time(out, ",\"timing\":{\"received_at\":\"", timing.received_at);
  append_time(out, ",\"started_at\":\"", timing.started_at);
  append_time(out, ",\"finished_at\":\"", timing.finished_at);
  out += ",\"queued_ms\":";
  append_json_integer(out, timing.queued_ms);
  out += ",\"run_ms\":";
  append_json_integer(out, timing.run_ms);
  out += '}';
}

/// The member when it is there and of the wanted type, else null: optional members of a foreign
/// worker never make an answer unreadable.
template <typename T>
const T* find_member(const Json& object, const char* name) {
  const auto member = object.find(name);
  return member == object.end() ? nullptr : member->get_ptr<const T*>();
}

std::optional<std::int64_t> find_count(const Json& object, const char* name) {
  const auto member = object.find(name);
  if (member == object.end() || !member->is_number()) return std::nullopt;
  constexpr double kMax = 1e15;  // Far beyond any wait; exact in a double.
  const auto number = member->get<double>();
  if (!(number >= 0)) return std::nullopt;
  return static_cast<std::int64_t>(std::min(number, kMax));
}

std::optional<std::uint32_t> find_user(const Json& object) {
  const auto member = object.find("user");
  if (member == object.end() || !member->is_number_unsigned()) return std::nullopt;
  const auto number = member->get<std::uint64_t>();
  if (number > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(number);
}

std::optional<WallTime> find_time(const Json& object, const char* name) {
  const auto* text = find_member<std::string>(object, name);
  return text == nullptr ? std::nullopt : parse_rfc3339(*text);
}

/// Takes it out of `root`.
Json take_object(Json& root, const char* name) {
  const auto member = root.find(name);
  return member != root.end() && member->is_object() ? std::move(*member) : Json();
}

std::optional<ResponseTiming> read_timing(const Json& root) {
  const auto timing = root.find("timing");
  if (timing == root.end() || !timing->is_object()) return std::nullopt;
  const auto received = find_time(*timing, "received_at");
  const auto started = find_time(*timing, "started_at");
  const auto finished = find_time(*timing, "finished_at");
  if (!received && !started && !finished) return std::nullopt;
  const WallTime epoch{};
  return ResponseTiming{.received_at = received.value_or(epoch),
                        .started_at = started.value_or(epoch),
                        .finished_at = finished.value_or(epoch),
                        .queued_ms = find_count(*timing, "queued_ms").value_or(0),
                        .run_ms = find_count(*timing, "run_ms").value_or(0)};
}

Failure read_failure(Json& root, const std::string& message) {
  Failure failure;
  failure.message = message;
  if (const auto* code = find_member<std::string>(root, "error_code")) {
    failure.code = parse_error_code(*code).value_or(ErrorCode::kUnknown);
  }
  const auto* retryable = find_member<bool>(root, "retryable");
  failure.retryable = retryable == nullptr || *retryable;
  failure.retry_after_ms = find_count(root, "retry_after_ms");
  failure.details = take_object(root, "error_details");
  return failure;
}

Unexpected<Error> broken(std::string_view stem, std::string_view rule) {
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("response {}: {}", excerpt(stem, kStemBytesMax), rule));
}

Result<Response> read_response(Json& root, std::string_view stem) {
  if (!root.is_object()) return broken(stem, "must be a JSON object");
  const auto* id = find_member<std::string>(root, "request_id");
  if (id == nullptr) return broken(stem, "/request_id: must be a string");
  if (*id != stem) {
    return broken(stem,
                  fmt::format("/request_id: is \"{}\": another request's response", excerpt(*id)));
  }
  Response response;
  response.request_id = *id;
  const auto* status = find_member<std::string>(root, "status");
  if (status != nullptr && *status == "success") {
    const auto data = root.find("data");
    if (data == root.end()) return broken(stem, "/data: is missing from a success");
    response.data = std::move(*data);
  } else if (status != nullptr && *status == "error") {
    const auto* message = find_member<std::string>(root, "error_message");
    if (message == nullptr) return broken(stem, "/error_message: must be a string");
    response.failure = read_failure(root, *message);
  } else {
    return broken(stem, "/status: must be \"success\" or \"error\"");
  }
  response.timing = read_timing(root);
  if (const auto* worker = find_member<std::string>(root, "worker")) response.worker = *worker;
  response.user = find_user(root);
  response.metadata = take_object(root, "metadata");
  return response;
}

}  // namespace

std::string render_response(const Response& response) {
  // A text that grows in its own place is copied and cleared several times on its way.
  thread_local std::string out;
  out.clear();
  out += "{\"request_id\":";
  append_json_string(out, response.request_id);
  out += ",\"status\":";
  if (response.failure) {
    append_failure(out, *response.failure);
  } else {
    out += "\"success\",\"data\":";
    append_json(out, response.data);
  }
  if (response.timing) append_timing(out, *response.timing);
  if (!response.worker.empty()) {
    out += ",\"worker\":";
    append_json_string(out, response.worker);
  }
  if (response.user) {
    out += ",\"user\":";
    append_json_integer(out, *response.user);
  }
  if (response.metadata.is_object()) {
    out += ",\"metadata\":";
    append_json(out, response.metadata);
  }
  out += "}\n";
  if (out.capacity() > kKeptBytesMax) return std::move(out);
  return out;
}

Result<Response> parse_response(std::string_view bytes, std::string_view stem) {
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  auto parsed = parse_strict(bytes, limits::kDepthMax, Strictness::kForeign, "response");
  if (!parsed) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{} ({})", parsed.error().message, excerpt(stem, kStemBytesMax)));
  }
  auto response = read_response(*parsed, stem);
  discard(*parsed);
  return response;
}

}  // namespace filecall
