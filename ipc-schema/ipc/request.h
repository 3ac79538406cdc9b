// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/limits.h"

namespace filecall {

/// One request, as it stands in `requests/{request_id}.json`. Checked: every member has its type
/// and range, `params` and `metadata` are objects, `request_id` equals the stem.
struct Request {
  std::string request_id;
  std::string command;
  Json params = Json::object();
  std::optional<std::int64_t> timeout_ms;  ///< 1..kTimeoutMsMax
  int priority = 0;                        ///< kPriorityMin..kPriorityMax, larger first
  Json metadata;                           ///< An object, or null when absent.
  bool stream = false;
};

/// Why bytes are not a request.
struct RequestFault {
  enum class Kind : std::uint8_t {
    kSyntax,   ///< Not (yet) a JSON text: perhaps a writer is still writing it.
    kInvalid,  ///< A JSON text that breaks a rule: waiting will not help.
  };
  Kind kind = Kind::kSyntax;
  /// For people: names line and column (syntax) or JSON pointer and rule (invalid).
  std::string message;
  /// JSON pointer (RFC 6901) of the offending member; empty for the whole text.
  std::string pointer;
};

struct RequestLimits {
  std::size_t bytes_max = limits::kRequestBytes;
  int depth_max = limits::kDepth;
};

/// Reads a request. Strict where a mistake would be silent (duplicate keys, wrong types, ids that
/// differ from `stem`), lenient where growth needs it (unknown top-level members are ignored).
/// A pure function; any thread; never throws.
Result<Request, RequestFault> parse_request(std::string_view bytes, std::string_view stem,
                                            const RequestLimits& limits = {});

/// The same of a JSON value that was read with the same strictness already. Consumes `root`.
Result<Request, RequestFault> read_request(Json&& root, std::string_view stem);

/// Parses any JSON text with the same strictness (UTF-8, duplicate keys, depth).
Result<Json, RequestFault> parse_json_strict(std::string_view bytes, int depth_max);

/// The text to drop as a request file: one line, seed members first, absent members left out.
std::string render_request(const Request& request);

}  // namespace filecall
