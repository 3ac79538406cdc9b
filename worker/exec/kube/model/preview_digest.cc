// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/preview_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/take_until.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kVersion = "v2";
/// How far the clocks of two machines that share a key may be apart.
constexpr std::int64_t kSkewSeconds = 60;

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::string preview_digest(const DigestKey& key, const BoundWrite& write,
                           const PreviewStamp& stamp) {
  const Json parts = {{"server", write.server},
                      {"context", write.context},
                      {"path", write.path},
                      {"method", write.plan.method},
                      {"content_type", write.plan.content_type},
                      {"query", write.plan.query},
                      {"body", write.plan.body_text(false)},
                      {"issued", stamp.issued_s},
                      {"id", stamp.id}};
  return fmt::format("{}:{}:{}:{}", kVersion, stamp.issued_s, stamp.id,
                     keyed_digest(key, dump_json(parts)));
}

std::optional<PreviewStamp> stamp_of_digest(std::string_view digest) {
  if (take_until(&digest, ':') != kVersion) return std::nullopt;
  const std::string_view issued = take_until(&digest, ':');
  PreviewStamp stamp;
  const auto [end, problem] =
      std::from_chars(issued.data(), issued.data() + issued.size(), stamp.issued_s);
  stamp.id = take_until(&digest, ':');
  const bool is_whole = problem == std::errc() && end == issued.data() + issued.size();
  if (!is_whole || !is_hex(stamp.id) || !is_hex(digest)) return std::nullopt;
  return stamp;
}

std::string mistake_of_digest(const DigestKey& key, const BoundWrite& write,
                              std::string_view digest, std::int64_t now_s,
                              std::int64_t validity_s) {
  const auto stamp = stamp_of_digest(digest);
  if (!stamp) return "this is no digest of kube.diffResource; ask it for one";
  if (digest != preview_digest(key, write, *stamp)) {
    return "this is not the write that was previewed (other values, options, context or "
           "precondition, or another worker's cache directory); ask kube.diffResource again";
  }
  const std::int64_t age_s = now_s - stamp->issued_s;
  if (age_s <= validity_s && age_s >= -kSkewSeconds) return "";
  if (age_s < 0)
    return "the preview comes from the future; set the clock, and ask kube.diffResource again";
  return fmt::format(
      "the preview is {} s old, and counts for {} s (kube.preview_validity); look at "
      "kube.diffResource again",
      age_s, validity_s);
}

}  // namespace filecall::worker::kube
