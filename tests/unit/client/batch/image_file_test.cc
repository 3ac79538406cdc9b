// SPDX-License-Identifier: MIT
#include "client/batch/image_file.h"

#include <gmock/gmock.h>

namespace filecall::client {
namespace {

using namespace std::string_view_literals;

TEST(ImageFile, ItsFirstBytesSayWhatAnImageIs) {
  const std::pair<std::string_view, std::optional<std::string_view>> table[] = {
      {"\x89PNG\r\n\x1a\n...."sv, "image/png"},
      {"\xff\xd8\xff\xe0...."sv, "image/jpeg"},
      {"GIF89a...."sv, "image/gif"},
      {"GIF87a...."sv, "image/gif"},
      {"RIFF\1\2\3\4WEBPVP8 "sv, "image/webp"},
      {"RIFF\1\2\3\4WAVEfmt "sv, std::nullopt},
      {"RIFF"sv, std::nullopt},
      {"<svg>"sv, std::nullopt},
      {""sv, std::nullopt},
  };
  for (const auto& [bytes, type] : table) EXPECT_EQ(image_type(bytes), type) << bytes;
}

TEST(ImageFile, UrlsAreLeftToTheProvider) {
  const ImageReader read = image_reader({"/nowhere"});
  for (const char* url :
       {"https://example.org/a.png", "http://example.org/a", "data:image/png;base64,AAAA"}) {
    EXPECT_EQ(*read(url), url);
  }
  EXPECT_EQ(read("a.png").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(read(std::string("a\0b", 3)).error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace filecall::client
