// SPDX-License-Identifier: MIT
#include "ipc/request.h"

#include <gtest/gtest.h>

#include <string>

namespace filecall {
namespace {

using Kind = RequestFault::Kind;

Json seed() {
  return {{"request_id", "r-1"}, {"command", "system.echo"}, {"params", {{"text", "hi"}}}};
}
Json seed_with(const char* name, const Json& value) {
  Json request = seed();
  request[name] = value;
  return request;
}
Json seed_without(const char* name) {
  Json request = seed();
  request.erase(name);
  return request;
}

TEST(Request, ReadsTheSeedsThreeMembers) {
  const auto parsed = parse_request(seed().dump(), "r-1");
  ASSERT_TRUE(parsed);
  const Request& request = *parsed;
  EXPECT_EQ(request.request_id, "r-1");
  EXPECT_EQ(request.command, "system.echo");
  EXPECT_EQ(request.params, Json({{"text", "hi"}}));
  EXPECT_EQ(request.timeout_ms, std::nullopt);
  EXPECT_EQ(request.priority, 0);
  EXPECT_TRUE(request.metadata.is_null());
  EXPECT_FALSE(request.stream);
}

TEST(Request, TakesEveryMemberWithinItsRange) {
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, Json>>{
           {"timeout_ms", 1},
           {"timeout_ms", limits::kTimeoutMsMax},
           {"priority", -10},
           {"priority", 10},
           {"priority", 0},
           {"metadata", Json::object()},
           {"metadata", {{"a", {1, 2}}}},
           {"stream", true},
           {"stream", false},
           {"params", Json::object()},
           {"command", std::string(limits::kCommandBytesMax, 'c')},
           {"colour", {{"unknown", "members are ignored"}}},
       }) {
    const auto parsed = parse_request(seed_with(name, value).dump(), "r-1");
    EXPECT_TRUE(parsed) << name << ": " << value;
  }
}

TEST(Request, NamesThePointerAndTheRuleOfEveryBrokenMember) {
  struct Row {
    Json request;
    const char* pointer;
    const char* rule;
  };
  const char* kTimeout = "must be an integer from 1 to 604800000";
  const char* kPriority = "must be an integer from -10 to 10";
  const Row rows[] = {
      {Json::array(), "", "must be an object at the top, is array"},
      {Json("x"), "", "must be an object at the top, is string"},
      {Json(), "", "must be an object at the top, is null"},
      {seed_without("request_id"), "/request_id", "is missing; write \"r-1\""},
      {seed_with("request_id", 1), "/request_id", "must be a string, is number"},
      {seed_with("request_id", "r-2"), "/request_id", "the file is named \"r-1.json\""},
      {seed_with("request_id", ""), "/request_id", "make them equal"},
      {seed_without("command"), "/command", "is missing"},
      {seed_with("command", nullptr), "/command", "must be a string, is null"},
      {seed_with("command", ""), "/command", "must not be empty"},
      {seed_with("command", std::string(201, 'c')), "/command", "at most 200 bytes, is 201"},
      {seed_without("params"), "/params", "is missing; write {}"},
      {seed_with("params", Json::array()), "/params", "must be an object, is array"},
      {seed_with("params", nullptr), "/params", "must be an object, is null"},
      {seed_with("timeout_ms", 0), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", -1), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", limits::kTimeoutMsMax + 1), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", 18446744073709551615ULL), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", 1.5), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", 1000.0), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", "10s"), "/timeout_ms", kTimeout},
      {seed_with("timeout_ms", nullptr), "/timeout_ms", kTimeout},
      {seed_with("priority", -11), "/priority", kPriority},
      {seed_with("priority", 11), "/priority", kPriority},
      {seed_with("priority", true), "/priority", kPriority},
      {seed_with("metadata", "x"), "/metadata", "must be an object, is string"},
      {seed_with("metadata", nullptr), "/metadata", "must be an object, is null"},
      {seed_with("stream", 1), "/stream", "must be true or false, is number"},
  };
  for (const Row& row : rows) {
    const auto parsed = parse_request(row.request.dump(), "r-1");
    ASSERT_FALSE(parsed) << row.request;
    const RequestFault& fault = parsed.error();
    EXPECT_EQ(fault.kind, Kind::kInvalid) << row.request;
    EXPECT_EQ(fault.pointer, row.pointer) << row.request;
    EXPECT_NE(fault.message.find(row.rule), std::string::npos) << fault.message;
    EXPECT_NE(fault.message.find(row.pointer), std::string::npos) << fault.message;
  }
}

TEST(Request, DuplicateKeysAreAFaultAtEveryLevelOnesWeDoNotKnowIncluded) {
  const auto pointer = [](const char* text) {
    const auto parsed = parse_request(text, "a");
    return parsed ? "accepted" : parsed.error().pointer;
  };
  EXPECT_EQ(pointer(R"({"request_id":"a","request_id":"a","command":"c","params":{}})"),
            "/request_id");
  EXPECT_EQ(pointer(R"({"request_id":"a","command":"c","params":{"x":1,"x":1}})"), "/params/x");
  EXPECT_EQ(pointer(R"({"request_id":"a","command":"c","params":{},"z":{"y":[{"x":1,"x":2}]}})"),
            "/z/y/0/x");
}

TEST(Request, LimitsOfSizeAndDepthAreArguments) {
  const std::string text = seed().dump();
  EXPECT_TRUE(parse_request(text, "r-1", {.bytes_max = text.size()}));
  const auto large = parse_request(text, "r-1", {.bytes_max = text.size() - 1});
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().kind, Kind::kInvalid);
  EXPECT_NE(large.error().message.find(std::to_string(text.size() - 1)), std::string::npos);
  EXPECT_TRUE(parse_request(text, "r-1", {.depth_max = 2}));
  EXPECT_FALSE(parse_request(text, "r-1", {.depth_max = 1}));
}

TEST(Request, HalfWrittenTextIsASyntaxFaultAtEveryLength) {
  const std::string text = seed().dump();
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto parsed = parse_request(text.substr(0, size), "r-1");
    ASSERT_FALSE(parsed) << size;
    EXPECT_EQ(parsed.error().kind, Kind::kSyntax) << size;
  }
}

TEST(Request, RendersOneLineWithTheSeedsMembersFirst) {
  Request request{.request_id = "r-1", .command = "system.echo"};
  EXPECT_EQ(render_request(request),
            "{\"request_id\":\"r-1\",\"command\":\"system.echo\",\"params\":{}}\n");
}

TEST(Request, SurvivesARoundTrip) {
  Request request{.request_id = "отчёт \"17\"",
                  .command = "tool.run",
                  .params = {{"argv", {"a", "\x01\n😀"}}, {"n", 2.0}},
                  .timeout_ms = 60'000,
                  .priority = -3,
                  .metadata = {{"batch", 7}},
                  .stream = true};
  const std::string text = render_request(request);
  auto parsed = parse_request(text, request.request_id);
  ASSERT_TRUE(parsed) << parsed.error().message;
  const Request& again = *parsed;
  EXPECT_EQ(again.command, request.command);
  EXPECT_EQ(again.params, request.params);
  EXPECT_EQ(again.timeout_ms, request.timeout_ms);
  EXPECT_EQ(again.priority, request.priority);
  EXPECT_EQ(again.metadata, request.metadata);
  EXPECT_EQ(again.stream, request.stream);
  EXPECT_EQ(render_request(again), text);
}

}  // namespace
}  // namespace filecall
