// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "ipc/request.h"
#include "ipc/strict_parser.h"

namespace filecall {
namespace {

using Kind = RequestFault::Kind;

RequestFault fault_of(std::string_view text, int depth_max = limits::kDepth) {
  auto parsed = parse_json_strict(text, depth_max);
  EXPECT_FALSE(parsed) << "accepted: " << text.substr(0, 80);
  return parsed ? RequestFault{} : parsed.error();
}

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

TEST(ParseJsonStrict, ReadsWhatTheLibraryReads) {
  for (const char* text :
       {"0", "null", "true", "false", R"("x")", "[]", "{}", " [ 1 , [ ] , { } , [ [ 2 ] ] ] ",
        R"({"a":{"b":[{"c":1},{"c":2}]},"":3,"d":"é\u00e9"})", "[1.5,-2,1e3,18446744073709551615]",
        R"([[[],[]],{"x":[]},"",[{}]])", "\r\n\t {\"a\" : \n1}\n"}) {
    auto parsed = parse_json_strict(text, limits::kDepth);
    ASSERT_TRUE(parsed) << text << ": " << parsed.error().message;
    EXPECT_EQ(*parsed, Json::parse(text)) << text;
  }
}

struct Text {
  const char* text;
  const char* says;
};

TEST(ParseJsonStrict, SaysLineColumnAndWhatWasExpected) {
  for (const auto& [text, says] : {
           Text{"", "line 1, column 1: the file is empty"},
           Text{"  ", "line 1, column 3: the text ends where a value is expected"},
           Text{"{", "line 1, column 2: the text ends where a key"},
           Text{"[1", "line 1, column 3: the text ends where ',' or ']' is expected"},
           Text{"{\"a\"", "line 1, column 5: the text ends where ':' after the key"},
           Text{"{\"a\":", "line 1, column 6: the text ends where a value"},
           Text{"{\"a\":1", "line 1, column 7: the text ends where ',' or '}'"},
           Text{"{\n  \"a\": 1,\n}",
                "line 3, column 1: expected a key in double quotes, found '}'"},
           Text{"[1,]", "line 1, column 4: expected a value, found ']'"},
           Text{"[1 2]", "line 1, column 4: expected ',' or ']', found '2]'"},
           Text{"{'a':1}", "line 1, column 2: expected a key in double quotes, found ''a':1}'"},
           Text{"{a:1}", "expected a key in double quotes, found 'a:1}'"},
           Text{"[1}", "expected ',' or ']', found '}'"},
           Text{"{\"a\" 1}", "expected ':' after the key, found '1}'"},
           Text{"{} {}", "line 1, column 4: expected the end of the text, found '{}'"},
           Text{"nul", "line 1, column 4: the text ends inside a word"},
           Text{"nule", "line 1, column 1: an unknown word"},
           Text{"NaN", "expected a value, found 'NaN'"},
           Text{"[Infinity]", "expected a value, found 'Infinity]'"},
           Text{"// note\n{}", "expected a value, found '//'"},
           Text{"[01]", "a number with a leading zero"},
           Text{"[+1]", "expected a value, found '+1]'"},
           Text{"[\"a\n\"]", "a control character inside a string"},
           Text{"[\"\xff\"]", "line 1, column 3: a byte that is not UTF-8"},
           Text{"\xef\xbb\xbf{}", "a byte order mark (EF BB BF) stands before the text"},
           Text{"\xff\xfe{", "UTF-16"},
           Text{"\xc3\xa9", "expected a value, found 'é'"},
       }) {
    const RequestFault fault = fault_of(text);
    EXPECT_EQ(fault.kind, Kind::kSyntax) << text;
    EXPECT_NE(fault.message.find(says), std::string::npos) << text << "\n" << fault.message;
    EXPECT_NE(fault.message.find("line "), std::string::npos) << fault.message;
  }
}

TEST(ParseJsonStrict, RefusesNulBytesAfterTheText) {
  EXPECT_NE(fault_of(std::string("{}\0\0\0", 5)).message.find("0x00"), std::string::npos);
  EXPECT_EQ(fault_of(std::string(64, '\0')).kind, Kind::kSyntax);
}

TEST(ParseJsonStrict, NamesTheDuplicateKey) {
  const auto pointer = [](const char* text) {
    const RequestFault fault = fault_of(text);
    EXPECT_EQ(fault.kind, Kind::kInvalid);
    EXPECT_NE(fault.message.find(fault.pointer + ": a duplicate key"), std::string::npos)
        << fault.message;
    return fault.pointer;
  };
  EXPECT_EQ(pointer(R"({"a":1,"a":2})"), "/a");
  EXPECT_EQ(pointer(R"({"x":[0,{"k":[],"k":{}}]})"), "/x/1/k");
  EXPECT_EQ(pointer(R"({"a/b":{"~":{"":1,"":2}}})"), "/a~1b/~0/");
  EXPECT_EQ(pointer(R"({"a":1,"\u0061":2})"), "/a") << "equal after unescaping";
  EXPECT_EQ(pointer(R"([[[{"b":1,"a":2,"b":3}]]])"), "/0/0/0/b");
}

TEST(ParseJsonStrict, StopsAtTheDepthLimitWithoutRecursion) {
  EXPECT_TRUE(parse_json_strict(repeat("[", 4) + repeat("]", 4), 4));
  for (const std::string_view opening : {"[", "{\"a\":", "[{\"a\":"}) {
    const RequestFault fault = fault_of(repeat(opening, 100'000));
    EXPECT_EQ(fault.kind, Kind::kInvalid);
    EXPECT_NE(fault.message.find("nested deeper than 128 levels"), std::string::npos);
    EXPECT_LT(fault.message.size(), 1000U);
  }
  EXPECT_EQ(fault_of("[[1],[[2]]]", 2).pointer, "/1/0");
  EXPECT_EQ(fault_of(R"({"a":{"b":{"c":1}}})", 2).pointer, "/a/b");
  EXPECT_TRUE(parse_json_strict(repeat("[", 512) + repeat("]", 512), 512));
}

TEST(ParseJsonStrict, NamesTheNumberThatCannotBeKept) {
  for (const char* text : {R"({"a":[0,1e999]})", R"({"a":[0,18446744073709551616]})"}) {
    const RequestFault fault = fault_of(text);
    EXPECT_EQ(fault.kind, Kind::kInvalid);
    EXPECT_EQ(fault.pointer, "/a/1");
    EXPECT_NE(fault.message.find("write it as a string"), std::string::npos);
  }
}

Result<Json, RequestFault> parse_without(std::string_view text, int depth_max = 8) {
  return parse_strict(text, depth_max, Strictness::kForeign, "answer", {"meta", "fields"});
}

TEST(ParseStrict, TakesKeysInAnyOrderAndTheLastOfEqualOnes) {
  Random random(5);
  const std::vector<std::string> keys = {"a", "b",       "b\\u0063", "bc",
                                         "é", "\\u00e9", "",         "metadata"};
  int unique = 0;
  for (int round = 0; round < 5'000; ++round) {
    std::string text = "{";
    for (std::uint64_t left = random.below(5); left > 0; --left) {
      text += '"' + keys[random.below(keys.size())] + "\":\"v" + std::to_string(left) + "\",";
    }
    if (text.ends_with(',')) text.pop_back();
    text += '}';
    const Json library = Json::parse(text);
    const auto foreign = parse_strict(text, 4, Strictness::kForeign, "text");
    ASSERT_TRUE(foreign) << text;
    EXPECT_EQ(*foreign, library) << text;
    const bool is_unique =
        library.size() == static_cast<std::size_t>(std::count(text.begin(), text.end(), ':'));
    unique += is_unique ? 1 : 0;
    EXPECT_EQ(parse_json_strict(text, 4).has_value(), is_unique) << text;
  }
  EXPECT_GT(unique, 500);
}

TEST(ParseStrict, LeavesAMemberOutWhereItsParentHasIt) {
  const auto kept = [](std::string_view text) {
    auto parsed = parse_without(text);
    return parsed ? dump_json(*parsed) : parsed.error().message;
  };
  for (const char* value : {"1", "null", "true", "\"x\"", "[]", "{}", R"([{"a":[1,{"b":{}}]},2])",
                            R"({"fields":{"meta":[]},"meta":[]})"}) {
    const std::string left_out = std::string("\"fields\":") + value;
    EXPECT_EQ(kept("{\"meta\":{" + left_out + "}}"), R"({"meta":{}})");
    EXPECT_EQ(kept("{\"meta\":{\"a\":1," + left_out + ",\"b\":[2]},\"c\":3}"),
              R"({"c":3,"meta":{"a":1,"b":[2]}})");
    EXPECT_EQ(kept("[{\"meta\":{" + left_out + "}},{\"meta\":{\"z\":0," + left_out + "}}]"),
              R"([{"meta":{}},{"meta":{"z":0}}])");
    // Elsewhere it is a member like any other.
    for (const std::string& whole :
         {"{" + left_out + "}", "{\"spec\":{" + left_out + "}}",
          "{\"meta\":{\"x\":{" + left_out + "}}}", "{\"meta\":[{" + left_out + "}]}"}) {
      EXPECT_EQ(kept(whole), dump_json(Json::parse(whole)));
    }
  }
}

TEST(ParseStrict, LeavesAMemberOutOfTheObjectAtTheTop) {
  const auto kept = [](std::string_view text) {
    const auto parsed =
        parse_strict(text, 8, Strictness::kRequest, "text", {.parent = {}, .member = "params"});
    return parsed ? dump_json(*parsed) : parsed.error().message;
  };
  EXPECT_EQ(kept(R"({"a":1,"params":{"b":[{"params":2}]},"c":3})"), R"({"a":1,"c":3})");
  EXPECT_EQ(kept(R"({"params":7})"), "{}");
  for (const char* whole : {R"({"a":{"params":1}})", R"({"":{"params":1}})", R"([{"params":1}])"}) {
    EXPECT_EQ(kept(whole), whole);
  }
}

TEST(ParseStrict, ChecksWhatItLeavesOut) {
  const auto fault = [](std::string_view text) {
    auto parsed = parse_without(text);
    EXPECT_FALSE(parsed) << text;
    return parsed ? RequestFault{} : parsed.error();
  };
  for (const char* value :
       {"", "[", "[1,]", "{\"a\"}", "[1}", "{\"a\":1]", "01", "\"\xff\"", "nul"}) {
    EXPECT_EQ(fault(std::string("{\"meta\":{\"fields\":") + value + "}}").kind, Kind::kSyntax)
        << value;
  }
  EXPECT_EQ(fault(R"({"meta":{"fields":[0,{"a":1e999}]}})").pointer, "/meta/fields");
  EXPECT_EQ(fault(R"({"meta":{"fields":[[[[[[[[1]]]]]]]]}})").pointer, "/meta/fields");
}

TEST(ParseJsonStrict, NeverGivesBackMegabytesInAMessage) {
  const std::string large(1 << 20, 'z');
  EXPECT_LT(fault_of("\"" + large).message.size(), 1000U);
  EXPECT_LT(fault_of(large).message.size(), 1000U);
  EXPECT_LT(fault_of("{\"" + large + "\":1,\"" + large + "\":2}").message.size(), 1000U);
  EXPECT_LT(fault_of("{\"" + large + "\":1e999}").message.size(), 1000U);
}

}  // namespace
}  // namespace filecall
