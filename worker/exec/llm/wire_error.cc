// SPDX-License-Identifier: MIT
#include "worker/exec/llm/wire_error.h"

#include <fmt/core.h>

#include "ipc/json_text.h"
#include "worker/exec/json_read.h"

namespace filecall::worker::llm {
namespace {

constexpr std::size_t kMessageBytes = 500;

void read_members(const Json& error, WireError& out) {
  out.type = text_member(error, "type");
  out.code = code_member(error, "code");
  out.message = text_member(error, "message");
  out.detail_code = text_member(member(error, "details"), "error_code");
}

std::string detail_text(const Json& detail) {
  return detail.is_string() ? detail.get<std::string>() : dump_json(detail);
}

}  // namespace

std::optional<WireError> find_wire_error(const Json& body, int status) {
  WireError out;
  out.status = status;
  out.request_id = text_member(body, "request_id");
  const Json& error = member(body, "error");
  if (error.is_object() && !error.empty()) {
    read_members(error, out);
  } else if (error.is_string() && !error.get_ref<const std::string&>().empty()) {
    out.message = error.get<std::string>();
  } else if (text_member(body, "object") == "error" || text_member(body, "type") == "error") {
    read_members(body, out);
    if (out.type == "error") out.type.clear();
  } else if (status >= 400 && !member(body, "detail").is_null()) {
    out.message = detail_text(member(body, "detail"));
  } else if (status >= 400 && !text_member(body, "message").empty()) {
    read_members(body, out);
  } else {
    return std::nullopt;
  }
  out.message = excerpt(out.message, kMessageBytes);
  return out;
}

WireError wire_error_of_body(std::string_view body, int status) {
  if (const auto json = parse_foreign(body)) {
    if (auto found = find_wire_error(*json, status)) return std::move(*found);
  }
  WireError out;
  out.status = status;
  out.message = excerpt(body, kMessageBytes);
  return out;
}

}  // namespace filecall::worker::llm
