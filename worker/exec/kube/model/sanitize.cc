// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/sanitize.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/utf8.h"
#include "ipc/strict_parser.h"

namespace filecall::worker::kube {
namespace {

constexpr std::array kShownMetadata = std::to_array<std::string_view>(
    {"name", "namespace", "labels", "annotations", "ownerReferences", "finalizers",
     "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"});
constexpr std::size_t kCutsMax = 100;
constexpr std::size_t kTextBytesMin = 64;
constexpr std::size_t kItemsMin = 4;

/// Whether a value needs no cut, found without copying it or writing it out where that is certain.
class Fitting {
 public:
  explicit Fitting(const SanitizeLimits& limits) : limits_(limits) {}

  bool fits(const Json& value) {
    if (!look(value)) return false;
    return bytes_ <= limits_.bytes_max || dump_json(value).size() <= limits_.bytes_max;
  }

 private:
  /// No byte of a text needs more than six ("\u001f"), no number more than this.
  static constexpr std::size_t kEscaped = 6;
  static constexpr std::size_t kScalar = 32;

  /// Adds at least what the value takes as JSON text; false: some part of it is too long.
  bool look(const Json& value) {
    if (value.is_string()) {
      const std::size_t size = value.get_ref<const std::string&>().size();
      bytes_ += kEscaped * size + 3;
      return size <= limits_.text_bytes_max;
    }
    if (!value.is_structured()) {
      bytes_ += kScalar;
      return true;
    }
    bytes_ += 3;
    if (value.size() > limits_.items_max) return false;
    if (value.is_array()) {
      return std::ranges::all_of(value, [this](const Json& item) { return look(item); });
    }
    for (const auto& [key, item] : *value.get_ptr<const Json::object_t*>()) {
      if (key.size() > limits_.text_bytes_max) return false;
      bytes_ += kEscaped * key.size() + 3;
      if (!look(item)) return false;
    }
    return true;
  }

  const SanitizeLimits& limits_;
  std::size_t bytes_ = 0;
};

/// Copies a value, leaving out what is too long.
class Shortening {
 public:
  Shortening(std::size_t text_bytes, std::size_t items) : text_bytes_(text_bytes), items_(items) {}

  Json copy(const Json& value, const std::string& path) {
    if (value.is_string()) return text(value.get_ref<const std::string&>(), path);
    if (!value.is_structured()) return value;
    Json out = value.is_array() ? Json::array() : Json::object();
    std::size_t kept = 0;
    for (auto item = value.begin(); item != value.end() && kept < items_; ++item) {
      if (value.is_array()) {
        out.push_back(copy(*item, fmt::format("{}/{}", path, kept)));
      } else if (item.key().size() <= text_bytes_) {
        out[item.key()] = copy(item.value(), path + pointer_token(item.key()));
      } else {
        continue;  // A name that is too long.
      }
      ++kept;
    }
    if (kept < value.size()) {
      note(path, fmt::format("kept {} of {} {}", kept, value.size(),
                             value.is_array() ? "items" : "members"));
    }
    return out;
  }

  void note(const std::string& path, std::string what) {
    if (++notes_ > kCutsMax) return;
    cut_.push_back({{"path", path}, {"cut", std::move(what)}});
  }

  Json cuts() const {
    Json out = cut_;
    if (notes_ > kCutsMax) {
      out.back() = {{"path", ""}, {"cut", fmt::format("{} more", notes_ - kCutsMax + 1)}};
    }
    return out;
  }

 private:
  Json text(const std::string& value, const std::string& path) {
    if (value.size() <= text_bytes_) return value;
    note(path, fmt::format("kept {} of {} bytes", text_bytes_, value.size()));
    return sanitize_utf8(std::string_view(value).substr(0, text_bytes_)) + "...";
  }

  std::size_t text_bytes_;
  std::size_t items_;
  Json cut_ = Json::array();
  std::size_t notes_ = 0;
};

/// Takes whole members out, the largest first, until the rest fits; the identity stays.
Json without_largest(Json value, std::size_t bytes_max, Shortening& shortening) {
  while (value.is_object() && dump_json(value).size() > bytes_max) {
    std::string largest;
    std::size_t bytes = 0;
    for (const auto& [key, item] : value.items()) {
      const std::size_t size = dump_json(item).size();
      if (key == "apiVersion" || key == "kind" || key == "metadata" || size <= bytes) continue;
      largest = key;
      bytes = size;
    }
    if (largest.empty()) break;
    shortening.note(pointer_token(largest), fmt::format("left out, {} bytes", bytes));
    value.erase(largest);
  }
  return value;
}

}  // namespace

Json shortened(Json value, const SanitizeLimits& limits, Json& cut) {
  if (Fitting(limits).fits(value)) return value;
  std::size_t text_bytes = limits.text_bytes_max;
  std::size_t items = limits.items_max;
  for (;;) {
    Shortening shortening(text_bytes, items);
    Json out = shortening.copy(value, "");
    const bool is_shortest = text_bytes <= kTextBytesMin && items <= kItemsMin;
    const bool fits = dump_json(out).size() <= limits.bytes_max;
    if (!fits && is_shortest) out = without_largest(std::move(out), limits.bytes_max, shortening);
    if (fits || is_shortest) {
      for (Json& entry : shortening.cuts()) cut.push_back(std::move(entry));
      return out;
    }
    text_bytes = std::max(kTextBytesMin, text_bytes / 2);
    items = std::max(kItemsMin, items / 2);
  }
}

Sanitized sanitize(Json redacted, const SanitizeLimits& limits) {
  if (const auto metadata = redacted.is_object() ? redacted.find("metadata") : redacted.end();
      metadata != redacted.end() && metadata->is_object()) {
    for (auto member = metadata->begin(); member != metadata->end();) {
      const bool is_shown = std::find(kShownMetadata.begin(), kShownMetadata.end(), member.key()) !=
                            kShownMetadata.end();
      const bool is_empty = member->is_structured() && member->empty();
      member = is_shown && !is_empty ? ++member : metadata->erase(member);
    }
  }
  Sanitized out;
  out.manifest = shortened(std::move(redacted), limits, out.cut);
  return out;
}

Json precondition_of(const Json& object) {
  Json out = Json::object();
  const auto metadata = object.is_object() ? object.find("metadata") : object.end();
  if (metadata == object.end() || !metadata->is_object()) return out;
  for (const char* member : {"uid", "resourceVersion"}) {
    const auto value = metadata->find(member);
    if (value != metadata->end() && value->is_string()) out[member] = *value;
  }
  return out;
}

}  // namespace filecall::worker::kube
