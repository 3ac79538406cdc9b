// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/llm_endpoint/reply.h"

namespace endpoint {

struct HttpCall {
  std::string method;
  std::string path;
  std::map<std::string, std::string> headers;  ///< Names in lower case.
  std::string body;

  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
};

/// One thing to do after a wait.
struct Step {
  enum class Do { kWrite, kClose, kReset, kEnd, kStall };
  long wait_ms = 0;
  Do what = Do::kWrite;
  std::string bytes;
};

/// What is set for all requests on the command line.
struct Defaults {
  long latency_ms = 0;
  long ttft_ms = 0;
  long itl_ms = 0;
  long tokens = 3;
};

/// Decides the whole answer to one call: pure, but for counting how often a model's name was seen.
class Exchange {
 public:
  explicit Exchange(Defaults defaults) : defaults_(defaults) {}
  /// A list that ends in kEnd (next call on that connection), kClose, kReset or kStall.
  std::vector<Step> answer(const HttpCall& call);

 private:
  Defaults defaults_;
  std::map<std::string, long> seen_;
};

/// 429 in the shape of Chat Completions.
std::vector<Step> rate_limited(long retry_after_s);

/// A whole HTTP answer.
std::string http_answer(int status, const std::string& content_type, const std::string& body,
                        const std::string& more_headers = "");

}  // namespace endpoint
