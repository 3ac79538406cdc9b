// SPDX-License-Identifier: MIT
// Usage: llm-endpoint [--port N] [--log FILE] [--latency MS] [--ttft MS] [--itl MS] [--tokens N]
//                     [--limit CALLS_A_SECOND] [--retry-after SECONDS]
// Speaks the wire formats of OpenAI (Chat Completions, Responses, Embeddings, Models) and Anthropic
// (Messages) on 127.0.0.1, prints "port N", and does what each request's model name says
// (script.h). Beyond the limit it answers 429 with that Retry-After (rate_limit.h). The log has one
// JSON line a call: when it came, on which connection, its path, the hashes of its key and its
// body (with --texts 1 both as they are), its model, and the seconds it was told to wait when it
// was refused for the limit.
#include <fmt/core.h>
#include <sys/resource.h>
#include <uv.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/hash.h"
#include "tests/support/llm_endpoint/listener.h"
#include "tests/support/llm_endpoint/rate_limit.h"

namespace {

using endpoint::HttpCall;

std::string short_hash(const std::string& text) {
  return text.empty() ? "" : filecall::hash128(text).hex().substr(0, 16);
}

struct CallLog {
  std::FILE* file = nullptr;
  bool has_texts = false;  ///< Keys and bodies, too, and not only their hashes.
};

void write_log(const CallLog& log, const HttpCall& call, int connection, long refused_for_s) {
  if (log.file == nullptr) return;
  const std::string key =
      call.header("authorization") + call.header("x-api-key") + call.header("api-key");
  // Found by eye and not by parsing: bodies may be large.
  std::string model;
  if (const auto at = call.body.find("\"model\":\""); at != std::string::npos) {
    model = call.body.substr(at + 9, call.body.find('"', at + 9) - at - 9);
  }
  filecall::Json line = {
      {"t_ns", uv_hrtime()},       {"connection", connection}, {"method", call.method},
      {"path", call.path},         {"key", short_hash(key)},   {"body", short_hash(call.body)},
      {"bytes", call.body.size()}, {"model", model},           {"refused_for_s", refused_for_s}};
  if (log.has_texts) {
    line["sent_key"] = key;
    line["sent"] = filecall::Json::parse(call.body, nullptr, false);
  }
  const std::string text = filecall::dump_json(line) + "\n";
  std::fwrite(text.data(), 1, text.size(), log.file);
  std::fflush(log.file);
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

int main(int argc, char** argv) {
  int port = 0;
  endpoint::Defaults defaults;
  CallLog log;
  long calls_a_second = 0;
  long retry_after_s = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const long number = std::strtol(argv[i + 1], nullptr, 10);
    if (name == "--port") port = static_cast<int>(number);
    if (name == "--latency") defaults.latency_ms = number;
    if (name == "--ttft") defaults.ttft_ms = number;
    if (name == "--itl") defaults.itl_ms = number;
    if (name == "--tokens") defaults.tokens = number;
    if (name == "--limit") calls_a_second = number;
    if (name == "--retry-after") retry_after_s = number;
    if (name == "--log") log.file = std::fopen(argv[i + 1], "ae");
    if (name == "--texts") log.has_texts = number != 0;
  }
  std::signal(SIGPIPE, SIG_IGN);
  raise_descriptor_limit();
  endpoint::Exchange exchange(defaults);
  endpoint::RateLimit limit(calls_a_second, retry_after_s);
  const auto answer = [&](const HttpCall& call, int connection) {
    const long seconds = limit.refuse_for_s(static_cast<std::int64_t>(uv_hrtime() / 1'000'000));
    write_log(log, call, connection, seconds);
    return seconds != 0 ? endpoint::rate_limited(seconds) : exchange.answer(call);
  };
  const endpoint::Listener listener(uv_default_loop(), port, answer);
  if (listener.port() == 0) {
    fmt::print(stderr, "llm-endpoint: cannot listen on port {}\n", port);
    return 1;
  }
  fmt::print("port {}\n", listener.port());
  std::fflush(stdout);
  uv_run(uv_default_loop(), UV_RUN_DEFAULT);
  return 0;
}
