// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/quoted_objects.h"

#include <optional>

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kNone = "...";
constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kKeyBytesMax = 512;

/// Behind the quote that ends the string which begins at `begin` (a quote, in Go's or JSON's
/// notation); kNowhere when nothing ends it.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return kNowhere;
}

/// Behind the brace that closes the one at `begin`. Values printed over several lines are written
/// for eyes, not to be read again: they have no end that can be relied on.
std::size_t end_of_braces(std::string_view text, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < text.size();) {
    const char c = text[i];
    if (c == '\n' || c == '`') return kNowhere;
    if (c == '"') {
      i = end_of_string(text, i);
      continue;  // Ends the loop when it is nowhere.
    }
    ++i;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i;
  }
  return kNowhere;
}

bool begins_go_map(std::string_view text) {
  constexpr std::string_view kMap = "map[";
  if (!text.starts_with(kMap)) return false;
  // A longer key is taken for one as well: what is quoted is left out.
  const std::size_t end = text.substr(0, kKeyBytesMax).find_first_of(":]", kMap.size());
  return end == kNowhere || text[end] == ':';
}

bool begins_object(std::string_view text) {
  while (text.starts_with('[') || text.starts_with(' ')) text.remove_prefix(1);
  return text.starts_with('{') || begins_go_map(text);
}

/// What is quoted at the beginning of `text`: its first bytes that stay, and where it ends.
struct Quote {
  std::string_view opening;
  std::string_view closing;
  std::size_t end = kNowhere;
};

std::optional<Quote> quote_at(std::string_view text) {
  if (text.starts_with('"') && begins_object(text.substr(1))) {
    return Quote{"\"", "\"", end_of_string(text, 0)};
  }
  if (text.starts_with('{') && !text.starts_with("{}"))
    return Quote{"{", "}", end_of_braces(text, 0)};
  if (begins_go_map(text)) {
    // Its texts have no quotes: the last bracket is the only one that is surely behind it.
    const std::size_t last = text.rfind(']');
    return Quote{"map[", "]", last == kNowhere ? kNowhere : last + 1};
  }
  return std::nullopt;
}

/// Without the bytes around a mistake, as the server's JSON reader shows them.
std::string without_excerpts(std::string_view text) {
  constexpr std::string_view kOpening = "...|";
  constexpr std::string_view kClosing = "|...";
  const std::size_t begin = text.find(kOpening);
  if (begin == kNowhere) return std::string(text);
  std::string out(text.substr(0, begin));
  out += kNone;
  const std::size_t end = text.rfind(kClosing);
  if (end != kNowhere && end > begin) out += text.substr(end + kClosing.size());
  return out;
}

}  // namespace

std::string without_quoted_objects(std::string_view text) {
  const std::string rest = without_excerpts(text);
  std::string out;
  for (std::size_t i = 0; i < rest.size();) {
    const auto quote = quote_at(std::string_view(rest).substr(i));
    if (!quote) {
      out += rest[i++];
      continue;
    }
    out += quote->opening;
    out += kNone;
    if (quote->end == kNowhere) return out;
    out += quote->closing;
    i += quote->end;
  }
  return out;
}

void take_out_quoted_objects(Json& status) {
  const auto shorten = [](Json& object) {
    if (!object.is_object()) return;
    const auto message = object.find("message");
    if (message == object.end() || !message->is_string()) return;
    *message = without_quoted_objects(message->get_ref<const std::string&>());
  };
  shorten(status);
  const auto details = status.find("details");
  if (details == status.end() || !details->is_object()) return;
  const auto causes = details->find("causes");
  if (causes == details->end() || !causes->is_array()) return;
  for (Json& cause : *causes) shorten(cause);
}

}  // namespace filecall::worker::kube
