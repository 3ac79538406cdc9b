// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace endpoint {

/// How one request shall be served. A request says it in its model's name, so that any client can:
/// "some-model;status=429;retry_after=2". Values are texts without ';'.
///
/// - latency, ttft, itl: milliseconds before the head, before the first token, between tokens
/// - tokens=N: words of the answer; text=T: the answer; finish=R: finish reason; tool=1: a call
/// - usage=none: the answer does not say what it used (chat, not as a stream)
/// - status, type, code, message, retry_after, retry_after_ms: an error answer
/// - several choices (n in the body) have the parts of text=A|B; logprobs: one token for each
/// - times=N: the script counts for the first N requests of that very name, later ones succeed (and
///   say `text` all the same)
/// - fault: stall, stall_mid, reset, reset_mid, truncate, drip, garbage, html, utf8, giant
/// (bytes=N),
///   error_in_200, error_mid, no_choices, empty, close, pings, bad_json, no_end, plain_error,
///   loading
class Script {
 public:
  /// Reads a model's name. Never fails: what is not understood is not there.
  static Script parse(std::string_view model);

  const std::string& fault() const { return get("fault"); }
  /// Empty when absent.
  const std::string& get(const std::string& key) const;
  long number(const std::string& key, long fallback) const;
  /// The name before the first ';'.
  const std::string& model() const { return model_; }
  void clear_faults() {
    std::erase_if(values_, [](const auto& entry) { return entry.first != "text"; });
  }

 private:
  std::string model_;
  std::map<std::string, std::string> values_;
};

}  // namespace endpoint
