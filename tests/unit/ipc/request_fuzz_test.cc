// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "base/random.h"
#include "base/utf8.h"
#include "ipc/request.h"
#include "ipc/response.h"

namespace filecall {
namespace {

constexpr std::string_view kRequest =
    R"({"request_id":"a","command":"tool.run","params":{"argv":["é","\u00e9\n"],"n":[1,-2.5e3,)"
    R"(true,null,{"k":{}}]},"timeout_ms":5000,"priority":-3,"metadata":{"x":[]},"stream":false})";
constexpr std::string_view kResponse =
    R"({"request_id":"a","status":"error","error_message":"x","error_code":"aborted",)"
    R"("retryable":false,"retry_after_ms":5,"timing":{"received_at":"2026-11-20T22:31:27.104Z"}})";

/// One to four small damages: a byte changed, removed, inserted, a piece doubled, the end cut off.
std::string damage(std::string_view original, Random& random) {
  constexpr std::string_view kLikely = "{}[]\",:\\u0123eE+-. \n\t\x00\x80\xff";
  std::string text(original);
  for (std::uint64_t left = 1 + random.below(4); left > 0 && !text.empty(); --left) {
    const std::size_t at = random.below(text.size());
    const char byte = random.below(2) == 0 ? kLikely[random.below(kLikely.size())]
                                           : static_cast<char>(random.below(256));
    switch (random.below(5)) {
      case 0:
        text[at] = byte;
        break;
      case 1:
        text.erase(at, 1 + random.below(3));
        break;
      case 2:
        text.insert(at, 1, byte);
        break;
      case 3:
        text.insert(at, text.substr(random.below(text.size()), random.below(30)));
        break;
      default:
        text.resize(at);
    }
  }
  return text;
}

TEST(RequestFuzz, EveryDamageGivesARequestOrAFaultWithAMessage) {
  Random random(1);
  int accepted = 0;
  for (int round = 0; round < 12'000; ++round) {
    const std::string text = damage(kRequest, random);
    const auto parsed = parse_request(text, "a");
    if (parsed) {
      ++accepted;
      EXPECT_EQ(parsed->request_id, "a");
      EXPECT_TRUE(parsed->params.is_object());
      EXPECT_TRUE(parse_request(render_request(*parsed), "a")) << text;
      continue;
    }
    const auto& fault = parsed.error();
    EXPECT_FALSE(fault.message.empty());
    EXPECT_TRUE(is_valid_utf8(fault.message)) << text;
  }
  EXPECT_GT(accepted, 50) << "the damage is so large that nothing else is tested";
}

TEST(RequestFuzz, AgreesWithTheLibraryOnWhatIsJson) {
  Random random(2);
  for (int round = 0; round < 12'000; ++round) {
    const std::string text = damage(kRequest, random);
    const auto parsed = parse_json_strict(text, limits::kDepth);
    const Json library = Json::parse(text, nullptr, false);
    if (parsed) {
      EXPECT_EQ(*parsed, library) << text;
    } else if (parsed.error().kind == RequestFault::Kind::kSyntax) {
      // The library takes a NUL byte for the end of the text.
      const bool has_nul = text.find('\0') != std::string::npos;
      EXPECT_TRUE(library.is_discarded() || has_nul) << text << "\n" << parsed.error().message;
    }
  }
}

TEST(RequestFuzz, EveryDamagedResponseGivesAResponseOrAnError) {
  Random random(3);
  for (int round = 0; round < 8'000; ++round) {
    const auto response = parse_response(damage(kResponse, random), "a");
    if (response) {
      EXPECT_TRUE(parse_response(render_response(*response), "a"));
    } else {
      EXPECT_EQ(response.error().code, ErrorCode::kInvalidArgument);
      EXPECT_FALSE(response.error().message.empty());
    }
  }
}

}  // namespace
}  // namespace filecall
