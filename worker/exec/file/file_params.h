// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/json.h"
#include "ipc/response.h"
#include "worker/exec/file/path_glob.h"

namespace filecall::worker::file {

/// Reading params that fit their schema already. Pure.

/// Where messages say that the path of a request is wrong.
inline constexpr std::string_view kPathPointer = "/params/path";

inline std::string text_param(const Json& params, const char* name, std::string fallback = "") {
  return params.value(name, std::move(fallback));
}

/// A count that the configuration limits, too.
inline std::size_t count_param(const Json& params, const char* name, std::size_t limit) {
  return std::min(params.value(name, limit), limit);
}

/// Whether .gitignore counts.
inline bool uses_gitignore(const Json& params) { return params.value("ignore", "git") == "git"; }

/// The glob of a request; nullopt when it has none.
inline Result<std::optional<PathGlob>, Failure> glob_param(const Json& params) {
  if (!params.contains("glob")) return std::nullopt;
  auto glob = PathGlob::compile_glob(params["glob"].get<std::string>());
  if (!glob) {
    return Unexpected(
        Failure::of({glob.error().code, "/params/glob: " + std::move(glob).error().message}));
  }
  return *std::move(glob);
}

/// Permissions as octal text.
inline std::optional<unsigned> mode_param(const Json& params) {
  if (!params.contains("mode")) return std::nullopt;
  return static_cast<unsigned>(std::stoul(params["mode"].get<std::string>(), nullptr, 8));
}

inline Unexpected<Failure> refused(Error error) {
  return Unexpected(Failure::of(std::move(error)));
}

}  // namespace filecall::worker::file
