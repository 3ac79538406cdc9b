// SPDX-License-Identifier: MIT
#include "tests/support/llm_endpoint/exchange.h"

#include <fmt/core.h>

namespace endpoint {

using filecall::Json;

namespace {

constexpr const char* kJson = "application/json";
constexpr const char* kStreamHead =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    "x-request-id: req_1\r\nrequest-id: req_1\r\n\r\n";

std::string chunked(const std::string& bytes) {
  return fmt::format("{:x}\r\n{}\r\n", bytes.size(), bytes);
}

std::vector<Step> then_end(std::vector<Step> steps, Step::Do end = Step::Do::kEnd) {
  steps.push_back({0, end, ""});
  return steps;
}

std::vector<Step> error_answer(Shape shape, const Script& script, long latency_ms) {
  std::string headers;
  if (!script.get("retry_after").empty()) {
    headers += "retry-after: " + script.get("retry_after") + "\r\n";
  }
  if (!script.get("retry_after_ms").empty()) {
    headers += "retry-after-ms: " + script.get("retry_after_ms") + "\r\n";
  }
  const int status = static_cast<int>(script.number("status", 500));
  std::string body = error_body(shape, script);
  if (script.fault() == "plain_error") body = "upstream connect error";
  if (script.fault() == "loading") {
    body = R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})";
  }
  return then_end({{latency_ms, Step::Do::kWrite, http_answer(status, kJson, body, headers)}});
}

/// Faults that are the same for whole and streamed answers. Empty: it is none of them.
std::vector<Step> transport_fault(Shape shape, const Script& script, long latency_ms) {
  const std::string& fault = script.fault();
  if (fault == "stall") return {{0, Step::Do::kStall, ""}};
  if (fault == "reset") return {{latency_ms, Step::Do::kReset, ""}};
  if (fault == "empty") return {{latency_ms, Step::Do::kClose, ""}};
  if (fault == "garbage") {
    return then_end({{latency_ms, Step::Do::kWrite, "\x16\x03\x01 this is no HTTP\r\n\r\n"}},
                    Step::Do::kClose);
  }
  if (fault == "html") {
    return then_end({{latency_ms, Step::Do::kWrite,
                      http_answer(200, "text/html", "<html>Please log in</html>")}});
  }
  if (fault == "bad_json") {
    return then_end({{latency_ms, Step::Do::kWrite, http_answer(200, kJson, "{\"choices\": [")}});
  }
  if (fault == "error_in_200") {
    return then_end(
        {{latency_ms, Step::Do::kWrite, http_answer(200, kJson, error_body(shape, script))}});
  }
  if (fault == "giant") {
    const auto bytes = static_cast<std::size_t>(script.number("bytes", 100'000'000));
    std::vector<Step> steps = {
        {latency_ms, Step::Do::kWrite,
         fmt::format("HTTP/1.1 200 OK\r\nContent-Type: {}\r\nContent-Length: {}\r\n\r\n", kJson,
                     bytes)}};
    for (std::size_t sent = 0; sent < bytes; sent += 65536) {
      steps.push_back(
          {0, Step::Do::kWrite, std::string(std::min<std::size_t>(65536, bytes - sent), ' ')});
    }
    return then_end(std::move(steps), Step::Do::kClose);
  }
  return {};
}

std::vector<Step> whole_answer(Shape shape, const Script& script, const Json& body,
                               long latency_ms) {
  std::string text = whole_body(shape, script, body);
  if (script.fault() == "utf8") text.insert(text.find("w0"), "\xC3\x28\xFF");
  const std::string answer =
      http_answer(200, kJson, text, "x-request-id: req_1\r\nrequest-id: req_1\r\n");
  if (script.fault() == "truncate" || script.fault() == "reset_mid") {
    return then_end({{latency_ms, Step::Do::kWrite, answer.substr(0, answer.size() - 10)}},
                    script.fault() == "truncate" ? Step::Do::kClose : Step::Do::kReset);
  }
  if (script.fault() == "stall_mid") {
    return then_end({{latency_ms, Step::Do::kWrite, answer.substr(0, answer.size() - 10)}},
                    Step::Do::kStall);
  }
  if (script.fault() == "drip") {
    const std::size_t head = answer.find("\r\n\r\n") + 4;
    std::vector<Step> steps = {{latency_ms, Step::Do::kWrite, answer.substr(0, head)}};
    for (const char byte : answer.substr(head)) {
      steps.push_back({20, Step::Do::kWrite, std::string(1, byte)});
    }
    return then_end(std::move(steps));
  }
  return then_end({{latency_ms, Step::Do::kWrite, answer}},
                  script.fault() == "close" ? Step::Do::kClose : Step::Do::kEnd);
}

std::vector<Step> streamed_answer(Shape shape, const Script& script, const Json& body,
                                  long latency_ms, const Defaults& defaults) {
  std::vector<std::string> events = stream_events(shape, script, body);
  const std::string& fault = script.fault();
  std::vector<Step> steps = {{latency_ms, Step::Do::kWrite, kStreamHead}};
  if (fault == "pings") {
    for (int i = 0; i < 10'000; ++i) steps.push_back({20, Step::Do::kWrite, chunked(": ping\n\n")});
    return then_end(std::move(steps), Step::Do::kStall);
  }
  if (fault == "utf8") {
    events[1].insert(events[1].find("w0"), "\xC3\x28\xFF");
  }
  const long itl_ms = script.number("itl", defaults.itl_ms);
  const bool is_cut = fault == "truncate" || fault == "reset_mid" || fault == "stall_mid" ||
                      fault == "error_mid" || fault == "no_end";
  // A cut stream has its head and some words; "no_end" ends in order but without its last events.
  const std::size_t last_words = shape == Shape::kAnthropic ? 3 : shape == Shape::kChat ? 3 : 1;
  const std::size_t count = is_cut ? events.size() - last_words : events.size();
  for (std::size_t i = 0; i < count; ++i) {
    const long wait_ms = i == 0 ? script.number("ttft", defaults.ttft_ms) : itl_ms;
    steps.push_back({wait_ms, Step::Do::kWrite, chunked(events[i])});
  }
  if (fault == "truncate") return then_end(std::move(steps), Step::Do::kClose);
  if (fault == "reset_mid") return then_end(std::move(steps), Step::Do::kReset);
  if (fault == "stall_mid") return then_end(std::move(steps), Step::Do::kStall);
  if (fault == "error_mid") {
    steps.push_back({0, Step::Do::kWrite, chunked(error_event(shape, script))});
  }
  steps.push_back({0, Step::Do::kWrite, "0\r\n\r\n"});
  return then_end(std::move(steps), fault == "close" ? Step::Do::kClose : Step::Do::kEnd);
}

}  // namespace

std::vector<Step> rate_limited(long retry_after_s) {
  const Script script = Script::parse(fmt::format(
      "m;status=429;retry_after={};type=requests;code=rate_limit_exceeded", retry_after_s));
  return error_answer(Shape::kChat, script, 0);
}

std::string http_answer(int status, const std::string& content_type, const std::string& body,
                        const std::string& more_headers) {
  return fmt::format("HTTP/1.1 {} Scripted\r\nContent-Type: {}\r\nContent-Length: {}\r\n{}\r\n{}",
                     status, content_type, body.size(), more_headers, body);
}

std::vector<Step> Exchange::answer(const HttpCall& call) {
  const Shape shape = shape_of(call.path);
  if (shape == Shape::kUnknown) {
    return then_end({{0, Step::Do::kWrite, http_answer(404, kJson, "{\"detail\":\"Not Found\"}")}});
  }
  const Json body = call.body.empty() ? Json::object() : Json::parse(call.body, nullptr, false);
  if (!body.is_object()) {
    Script bad = Script::parse("m;status=400;type=invalid_request_error;message=no JSON");
    return error_answer(shape, bad, 0);
  }
  const Json model = body.value("model", Json(""));
  const std::string name = model.is_string() ? model.get<std::string>() : "";
  Script script = Script::parse(name);
  const long times = script.number("times", -1);
  if (times >= 0 && seen_[name]++ >= times) script.clear_faults();
  const long latency_ms = script.number("latency", defaults_.latency_ms);
  auto steps = transport_fault(shape, script, latency_ms);
  if (!steps.empty()) return steps;
  if (script.number("status", 200) != 200) return error_answer(shape, script, latency_ms);
  const bool is_streamed = body.value("stream", Json(false)) == true;
  return is_streamed ? streamed_answer(shape, script, body, latency_ms, defaults_)
                     : whole_answer(shape, script, body, latency_ms);
}

}  // namespace endpoint
