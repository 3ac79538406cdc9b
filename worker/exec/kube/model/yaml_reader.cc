// SPDX-License-Identifier: MIT
#include "worker/exec/kube/model/yaml_reader.h"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <sstream>

#include "base/base64.h"
#include "base/result.h"
#include "base/utf8.h"
#include "ipc/json_text.h"
#include "ipc/strict_parser.h"

namespace filecall::worker::kube {
namespace {

constexpr std::string_view kCoreTag = "tag:yaml.org,2002:";

/// What stops the reading; kept inside this file.
struct YamlFault {
  YAML::Mark mark;
  std::string reason;
};

Unexpected<Error> fault_error(const YAML::Mark& mark, std::string_view reason) {
  // An alias or an empty node may have no place of its own.
  if (mark.line < 0) return fail(ErrorCode::kInvalidArgument, fmt::format("YAML: {}", reason));
  return fail(ErrorCode::kInvalidArgument,
              fmt::format("YAML: line {}, column {}: {}", mark.line + 1, mark.column + 1, reason));
}

/// Copies nodes into JSON, counting what aliases multiply.
class YamlCopy {
 public:
  explicit YamlCopy(const YamlLimits& limits) : limits_(limits) {}

  Json value(const YAML::Node& node, int depth) {
    if (depth > limits_.depth_max) {
      throw YamlFault{node.Mark(), fmt::format("nested deeper than {}", limits_.depth_max)};
    }
    if (++values_ > limits_.values_max) {
      throw YamlFault{node.Mark(),
                      fmt::format("more than {} values after aliases", limits_.values_max)};
    }
    if (node.IsMap()) return mapping(node, depth);
    if (!node.IsSequence()) return scalar(node);
    Json out = Json::array();
    for (const YAML::Node& item : node) out.push_back(value(item, depth + 1));
    return out;
  }

 private:
  static bool is_merge(const YAML::Node& key) {
    return key.IsScalar() && key.Scalar() == "<<" && key.Tag() == "?";
  }

  Json mapping(const YAML::Node& node, int depth) {
    Json out = Json::object();
    std::set<std::string> written;
    for (const auto& entry : node) {
      if (is_merge(entry.first)) {
        // As kubectl has it, what is merged replaces what stands before it.
        merge(out, entry.second, depth);
        continue;
      }
      std::string key = key_text(entry.first);
      if (!written.insert(key).second) {
        throw YamlFault{entry.first.Mark(),
                        fmt::format("key {} is given twice", dump_json(Json(excerpt(key))))};
      }
      out[key] = value(entry.second, depth + 1);
    }
    return out;
  }

  void merge(Json& out, const YAML::Node& from, int depth) {
    if (from.IsSequence()) {
      for (std::size_t i = from.size(); i > 0; --i) {
        if (!from[i - 1].IsMap()) throw YamlFault{from.Mark(), "<< takes mappings"};
        merge(out, from[i - 1], depth);
      }
    } else if (from.IsMap()) {
      out.update(value(from, depth + 1));
    } else {
      throw YamlFault{from.Mark(), "<< takes a mapping or a list of mappings"};
    }
  }

  std::string key_text(const YAML::Node& key) {
    if (!key.IsScalar()) {
      throw YamlFault{key.Mark(), key.IsNull() ? "a key is null" : "a key is not a scalar"};
    }
    const std::string& tag = key.Tag();
    if (tag == "?" || tag.empty()) {
      std::optional<std::string> name = resolve_plain_key(key.Scalar());
      if (!name) throw YamlFault{key.Mark(), "a key is null or too large a number"};
      return *std::move(name);
    }
    const Json value = scalar(key);
    if (value.is_string()) return value.get<std::string>();
    return dump_json(value);
  }

  static Json scalar(const YAML::Node& node) {
    if (!node.IsScalar()) return nullptr;
    const std::string& text = node.Scalar();
    const std::string& tag = node.Tag();
    if (!is_valid_utf8(text)) throw YamlFault{node.Mark(), "not UTF-8"};
    Json value = text;
    if (tag == "?" || tag.empty()) {
      value = resolve_plain_scalar(text);
    } else if (tag.starts_with(kCoreTag)) {
      value = tagged(node, tag.substr(kCoreTag.size()));
    }
    if (value.is_number_float() && !std::isfinite(value.get<double>())) {
      throw YamlFault{node.Mark(), "JSON has no infinite numbers"};
    }
    return value;
  }

  static Json tagged(const YAML::Node& node, std::string_view type) {
    const std::string& text = node.Scalar();
    if (type == "str" || type == "timestamp") return text;
    if (type == "binary") {
      std::string packed = text;
      std::erase_if(packed, [](char c) { return static_cast<unsigned char>(c) <= ' '; });
      const std::optional<std::string> bytes = base64_decode(packed);
      if (!bytes) throw YamlFault{node.Mark(), "!!binary is not base64"};
      if (!is_valid_utf8(*bytes)) throw YamlFault{node.Mark(), "!!binary is not UTF-8"};
      return *bytes;
    }
    Json value = resolve_plain_scalar(text);
    const bool fits = (type == "int" && value.is_number_integer()) ||
                      (type == "float" && value.is_number()) ||
                      (type == "bool" && value.is_boolean()) || (type == "null" && value.is_null());
    if (!fits) {
      throw YamlFault{node.Mark(), fmt::format("{} is not of type !!{}",
                                               dump_json(Json(excerpt(text))), excerpt(type))};
    }
    return value;
  }

  const YamlLimits& limits_;
  std::size_t values_ = 0;
};

/// Sees that each document begins behind the one before: the library finds documents without end
/// where something stands that begins no value, such as "a","b":"c":{}}.
class DocumentBegins final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& mark) override {
    if (mark.pos <= last_) throw YamlFault{mark, "no value can begin here"};
    last_ = mark.pos;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t,
                const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  int last_ = -1;
};

/// A document that is put behind the text: the library takes a quote that nobody closes for one
/// that ends with the text, and this document then is not there.
constexpr std::string_view kEndOfText = "end-of-text";

/// A text that ends without a newline gets one, as with kubectl.
std::vector<YAML::Node> load_all(std::string_view text) {
  const std::string whole =
      fmt::format("{}{}--- {}\n", text, text.ends_with('\n') ? "" : "\n", kEndOfText);
  std::istringstream stream(whole);
  YAML::Parser parser(stream);
  DocumentBegins begins;
  while (parser.HandleNextDocument(begins)) {
  }
  std::vector<YAML::Node> nodes = YAML::LoadAll(whole);
  if (nodes.empty() || !nodes.back().IsScalar() || nodes.back().Scalar() != kEndOfText) {
    throw YamlFault{YAML::Mark::null_mark(), "a quote or bracket is not closed"};
  }
  nodes.pop_back();
  return nodes;
}

}  // namespace

Result<std::vector<Json>> read_yaml(std::string_view text, const YamlLimits& limits) {
  if (text.size() > limits.bytes_max) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("YAML: {} bytes, more than {}", text.size(), limits.bytes_max));
  }
  // The library makes strings of any bytes.
  if (!is_valid_utf8(text)) {
    return fail(ErrorCode::kInvalidArgument, "YAML: the text is not UTF-8; convert it");
  }
  // YAML 1.2.2 section 5.1; the API server's reader refuses them, too.
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r') ||
           c == '\x7f';
  };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return fail(ErrorCode::kInvalidArgument,
                "YAML: the text has control characters; write them as \"\\x..\" in quotes");
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    // JSON is not quite YAML (tabs, long keys); and its reader names duplicates with a pointer.
    auto parsed = parse_strict(text, limits.depth_max, Strictness::kRequest, "manifest");
    if (parsed) return std::vector<Json>{*std::move(parsed)};
  }
  try {
    std::vector<Json> documents;
    YamlCopy copy(limits);
    for (const YAML::Node& node : load_all(text)) {
      Json document = copy.value(node, 1);
      if (!document.is_null()) documents.push_back(std::move(document));
    }
    return documents;
  } catch (const YamlFault& fault) {
    return fault_error(fault.mark, fault.reason);
  } catch (const YAML::Exception& failure) {
    return fault_error(failure.mark, sanitize_utf8(failure.msg));  // It quotes single bytes.
  }
}

}  // namespace filecall::worker::kube
