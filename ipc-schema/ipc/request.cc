// SPDX-License-Identifier: MIT
#include "ipc/request.h"

#include <fmt/core.h>

#include <utility>

namespace filecall {
namespace {

constexpr std::size_t kCommandBytesMax = 200;

RequestFault invalid(std::string pointer, const std::string& rule) {
  std::string message = fmt::format("{}: {}", pointer.empty() ? "request" : pointer, rule);
  return {RequestFault::Kind::kInvalid, std::move(message), std::move(pointer)};
}

/// An integer within [min, max]; floats that happen to be whole are refused like every float.
std::optional<std::int64_t> integer_in(const Json& value, std::int64_t min, std::int64_t max) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(max)) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  if (number < min || number > max) return std::nullopt;
  return number;
}

std::optional<RequestFault> read_identity(Json::object_t& members, std::string_view stem,
                                          Request& request) {
  const auto id = members.find("request_id");
  if (id == members.end())
    return invalid("/request_id", "is missing; it must equal the file name without .json");
  if (!id->second.is_string()) return invalid("/request_id", "must be a string");
  request.request_id = std::move(id->second.get_ref<std::string&>());
  if (request.request_id != stem) {
    return invalid("/request_id",
                   fmt::format("is '{}' but the file is named '{}.json'; they must be equal",
                               request.request_id.substr(0, 256), stem));
  }
  const auto command = members.find("command");
  if (command == members.end())
    return invalid("/command", "is missing; name a command, e.g. \"system.echo\"");
  if (!command->second.is_string()) return invalid("/command", "must be a string");
  request.command = std::move(command->second.get_ref<std::string&>());
  if (request.command.empty() || request.command.size() > kCommandBytesMax) {
    return invalid("/command", fmt::format("must have 1 to {} bytes", kCommandBytesMax));
  }
  const auto params = members.find("params");
  if (params == members.end())
    return invalid("/params", "is missing; write {} when there are none");
  if (!params->second.is_object()) return invalid("/params", "must be an object");
  request.params = std::move(params->second);
  return std::nullopt;
}

std::optional<RequestFault> read_optional(Json::object_t& members, Request& request) {
  for (auto& [name, value] : members) {
    if (name == "timeout_ms") {
      request.timeout_ms = integer_in(value, 1, limits::kTimeoutMsMax);
      if (!request.timeout_ms) {
        return invalid("/timeout_ms",
                       fmt::format("must be an integer from 1 to {}", limits::kTimeoutMsMax));
      }
    } else if (name == "priority") {
      const auto priority = integer_in(value, limits::kPriorityMin, limits::kPriorityMax);
      if (!priority) {
        return invalid("/priority", fmt::format("must be an integer from {} to {}",
                                                limits::kPriorityMin, limits::kPriorityMax));
      }
      request.priority = static_cast<int>(*priority);
    } else if (name == "metadata") {
      if (!value.is_object()) return invalid("/metadata", "must be an object");
      request.metadata = std::move(value);
    } else if (name == "stream") {
      if (!value.is_boolean()) return invalid("/stream", "must be true or false");
      request.stream = value.get<bool>();
    }
  }
  return std::nullopt;
}

}  // namespace

std::variant<Request, RequestFault> parse_request(std::string_view bytes, std::string_view stem,
                                                  const RequestLimits& limits) {
  if (bytes.size() > limits.bytes_max) {
    return invalid(
        "", fmt::format("has {} bytes; at most {} are read", bytes.size(), limits.bytes_max));
  }
  auto parsed = parse_json_strict(bytes, limits.depth_max);
  if (auto* fault = std::get_if<RequestFault>(&parsed)) return std::move(*fault);
  Json& value = std::get<Json>(parsed);
  if (!value.is_object()) return invalid("", "must be a JSON object");
  auto& members = value.get_ref<Json::object_t&>();
  Request request;
  if (auto fault = read_identity(members, stem, request)) return std::move(*fault);
  if (auto fault = read_optional(members, request)) return std::move(*fault);
  return request;
}

std::string render_request(const Request& request) {
  std::string out = "{\"request_id\":" + dump_json(request.request_id) +
                    ",\"command\":" + dump_json(request.command) +
                    ",\"params\":" + dump_json(request.params);
  if (request.timeout_ms) out += fmt::format(",\"timeout_ms\":{}", *request.timeout_ms);
  if (request.priority != 0) out += fmt::format(",\"priority\":{}", request.priority);
  if (request.metadata.is_object()) out += ",\"metadata\":" + dump_json(request.metadata);
  if (request.stream) out += ",\"stream\":true";
  return out + "}\n";
}

}  // namespace filecall
