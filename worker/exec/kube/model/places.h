// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ipc/json.h"
#include "worker/exec/kube/model/text_spans.h"

namespace filecall::worker::kube {

/// How a text inside an object is looked at.
enum class TextUse : std::uint8_t {
  kIdentity,  ///< Name and namespace of an object: everybody sees them, they always stay.
  kName,      ///< Structure: stays, unless it has the form of a token or a URL with a password.
  kSentence,  ///< `name=value` counts in it.
  kSettings,  ///< And `name: value`: a ConfigMap's file, an argument.
};

/// Why a value of a Secret is hidden.
inline constexpr std::string_view kSecretValue = "value of a Secret";

/// What a Survey found in a body. The pointers are good until a container of the body changes.
struct Places {
  struct Text {
    Json* value = nullptr;
    TextUse use = TextUse::kSentence;
    bool is_identifier = false;          ///< A name of something: no learned value elsewhere.
    std::vector<TextSpan> secrets = {};  ///< Parts of it that its layout shows.
  };
  /// What stands for the value.
  enum class Mark : std::uint8_t {
    kText,    ///< "[redacted bytes=N digest=D]"
    kObject,  ///< {"redacted": true, "bytes", "digest"}
    kBinary,  ///< "[binary bytes=N digest=D]": not secret, but nothing that can be read.
  };
  struct Hidden {
    Json* value = nullptr;
    Mark mark = Mark::kText;
    std::string bytes;
    std::string why;
    bool is_number = false;
  };
  std::vector<Text> texts;
  std::vector<Hidden> hidden;
  /// Values to be looked for elsewhere: of Secrets, of what has a credential's name, of copies.
  std::vector<std::string> secret_values;
};

}  // namespace filecall::worker::kube
