// SPDX-License-Identifier: MIT
#include "worker/exec/file/file_text.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/utf8.h"

namespace filecall::worker::file {
namespace {

/// As many bytes of it as end with a whole character.
std::string_view whole_characters(std::string_view text) {
  return text.substr(0, text.size() - unfinished_utf8_end(text));
}

}  // namespace

std::string_view encoding_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv)) return "utf-32le";
  if (bytes.starts_with("\xFF\xFE")) return "utf-16le";
  if (bytes.starts_with("\xFE\xFF")) return "utf-16be";
  if (bytes.find('\0') != bytes.npos) return "binary";
  return is_valid_utf8(bytes) ? "utf-8" : "unknown";
}

std::size_t count_lines(std::string_view text) {
  const auto feeds = static_cast<std::size_t>(std::ranges::count(text, '\n'));
  return feeds + (text.empty() || text.ends_with('\n') ? 0 : 1);
}

LineSlice slice_lines(std::string_view text, std::size_t offset, std::size_t limit,
                      std::size_t bytes_max) {
  std::size_t begin = 0;
  for (std::size_t line = 1; line < offset && begin < text.size(); ++line) {
    const std::size_t feed = text.find('\n', begin);
    begin = feed == text.npos ? text.size() : feed + 1;
  }
  LineSlice slice;
  std::size_t end = begin;
  while (end < text.size() && slice.lines < limit) {
    const std::size_t feed = text.find('\n', end);
    const std::size_t next = feed == text.npos ? text.size() : feed + 1;
    if (next - begin > bytes_max) {
      slice.is_whole = false;
      break;
    }
    end = next;
    ++slice.lines;
  }
  slice.text = text.substr(begin, end - begin);
  if (!slice.is_whole && slice.lines == 0 && bytes_max > 0) {
    slice.text = whole_characters(text.substr(begin, bytes_max));
    slice.lines = slice.text.empty() ? 0 : 1;
    slice.is_line_cut = slice.lines > 0;
  }
  return slice;
}

std::string sha256_hex(std::string_view bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  CHECK(EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_sha256(), nullptr) == 1,
        "SHA-256 is always there");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (unsigned int i = 0; i < size; ++i) {
    out += kDigits[digest[i] >> 4U];
    out += kDigits[digest[i] & 15U];
  }
  return out;
}

}  // namespace filecall::worker::file
