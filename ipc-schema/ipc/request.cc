// SPDX-License-Identifier: MIT
#include "ipc/request.h"

#include <fmt/core.h>

#include <exception>
#include <utility>

#include "base/result.h"
#include "base/stem.h"
#include "ipc/json_text.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

using Fault = RequestFault;
using MaybeFault = std::optional<Fault>;

Fault invalid(std::string_view pointer, std::string_view rule) {
  return {Fault::Kind::kInvalid,
          pointer.empty() ? fmt::format("request: {}", rule)
                          : fmt::format("request: {}: {}", pointer, rule),
          std::string(pointer)};
}

/// "must be an integer, is a string"
Fault wrong_type(std::string_view pointer, std::string_view wanted, const Json& value) {
  return invalid(pointer, fmt::format("must be {}, is {}", wanted, value.type_name()));
}

/// The value as an integer in [low, high], or the fault. A fraction (1000.0) is no integer: what
/// wrote it is likely to write 1000.5 tomorrow.
MaybeFault read_integer(std::string_view pointer, const Json& value, std::int64_t low,
                        std::int64_t high, std::int64_t& out) {
  const auto rule = [&] { return fmt::format("an integer from {} to {}", low, high); };
  if (!value.is_number_integer()) return wrong_type(pointer, rule(), value);
  const bool is_huge = value.is_number_unsigned() &&
                       value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
  out = is_huge ? INT64_MAX : value.get<std::int64_t>();
  if (is_huge || out < low || out > high) {
    return invalid(pointer, fmt::format("must be {}, is {}", rule(), value.dump()));
  }
  return std::nullopt;
}

MaybeFault read_request_id(Json& value, std::string_view stem, Request& request) {
  auto* text = value.get_ptr<std::string*>();
  if (text == nullptr) return wrong_type("/request_id", "a string", value);
  if (*text != stem) {
    return invalid("/request_id",
                   fmt::format("is \"{}\" but the file is named \"{}.json\"; make them equal",
                               excerpt(*text), stem));
  }
  request.request_id = std::move(*text);
  return std::nullopt;
}

MaybeFault read_command(Json& value, Request& request) {
  auto* text = value.get_ptr<std::string*>();
  if (text == nullptr) return wrong_type("/command", "a string", value);
  if (text->empty()) return invalid("/command", "must not be empty; name a command");
  if (text->size() > limits::kCommandBytesMax) {
    return invalid("/command", fmt::format("must be at most {} bytes, is {}",
                                           limits::kCommandBytesMax, text->size()));
  }
  request.command = std::move(*text);
  return std::nullopt;
}

/// One top-level member. Unknown names are left alone: a newer writer may know more than we do.
MaybeFault read_member(std::string_view name, Json& value, std::string_view stem,
                       Request& request) {
  if (name == "request_id") return read_request_id(value, stem, request);
  if (name == "command") return read_command(value, request);
  if (name == "params" || name == "metadata") {
    const bool is_params = name == "params";
    if (!value.is_object()) {
      return wrong_type(is_params ? "/params" : "/metadata", "an object", value);
    }
    (is_params ? request.params : request.metadata) = std::move(value);
    return std::nullopt;
  }
  if (name == "timeout_ms") {
    std::int64_t timeout_ms = 0;
    auto fault = read_integer("/timeout_ms", value, 1, limits::kTimeoutMsMax, timeout_ms);
    request.timeout_ms = timeout_ms;
    return fault;
  }
  if (name == "priority") {
    std::int64_t priority = 0;
    auto fault =
        read_integer("/priority", value, limits::kPriorityMin, limits::kPriorityMax, priority);
    request.priority = static_cast<int>(priority);
    return fault;
  }
  // Run too early would be worse than not at all.
  if (name == "after" || name == "after_any") {
    return invalid(name == "after" ? "/after" : "/after_any",
                   "a file in requests/ asks to be executed now, so it cannot wait; put it as a "
                   "line into a batch, and 'filecall run' drops it when its turn has come");
  }
  if (name == "stream") {
    if (!value.is_boolean()) return wrong_type("/stream", "true or false", value);
    request.stream = value.get<bool>();
  }
  return std::nullopt;
}

Result<Request, Fault> request_of(Json&& root, std::string_view stem) {
  auto* members = root.get_ptr<Json::object_t*>();
  if (members == nullptr) return wrong_type("", "an object at the top", root);
  Request request;
  request.params = Json();
  for (auto& [name, value] : *members) {
    if (auto fault = read_member(name, value, stem, request)) return *std::move(fault);
  }
  if (request.request_id.empty() && !members->contains("request_id")) {
    return invalid("/request_id", fmt::format("is missing; write \"{}\", the file's name without "
                                              ".json",
                                              excerpt(stem, kStemBytesMax)));
  }
  if (request.command.empty()) return invalid("/command", "is missing; name a command");
  if (request.params.is_null()) {
    return invalid("/params", "is missing; write {} when the command needs none");
  }
  return request;
}

}  // namespace

Result<Request, RequestFault> parse_request(std::string_view bytes, std::string_view stem,
                                            const RequestLimits& limits) {
  if (bytes.size() > limits.bytes_max) {
    return invalid("", fmt::format("{} bytes are more than the {} that are allowed; pass large "
                                   "data by a file's path",
                                   bytes.size(), limits.bytes_max));
  }
  TRY_ASSIGN(auto parsed, parse_strict(bytes, limits.depth_max, Strictness::kRequest, "request"));
  return read_request(std::move(parsed), stem);
}

Result<Request, RequestFault> read_request(Json&& root, std::string_view stem) {
  try {
    return request_of(std::move(root), stem);
  } catch (const std::exception& e) {  // Memory.
    return invalid("", fmt::format("cannot be read: {}", e.what()));
  }
}

std::string render_request(const Request& request) {
  std::string out = "{\"request_id\":";
  append_json_string(out, request.request_id);
  out += ",\"command\":";
  append_json_string(out, request.command);
  out += ",\"params\":";
  append_json(out, request.params);
  if (request.timeout_ms) {
    out += ",\"timeout_ms\":";
    append_json_integer(out, *request.timeout_ms);
  }
  if (request.priority != 0) {
    out += ",\"priority\":";
    append_json_integer(out, request.priority);
  }
  if (!request.metadata.is_null()) {
    out += ",\"metadata\":";
    append_json(out, request.metadata);
  }
  if (request.stream) out += ",\"stream\":true";
  out += "}\n";
  return out;
}

}  // namespace filecall
