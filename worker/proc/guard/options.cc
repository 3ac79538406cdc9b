// SPDX-License-Identifier: MIT
#include "worker/proc/guard/options.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace filecall::worker::guard {
namespace {

struct NumberOption {
  const char* prefix;
  std::int64_t* value;
};

struct ListOption {
  const char* prefix;
  std::vector<std::string>* values;
};

bool parse_number(const char* text, std::int64_t* value) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < 0) return false;
  *value = number;
  return true;
}

bool parse_level(const char* text, Level* level) {
  if (std::strcmp(text, "read-only") == 0) {
    *level = Level::kReadOnly;
  } else if (std::strcmp(text, "workspace-write") == 0) {
    *level = Level::kWorkspaceWrite;
  } else {
    return false;
  }
  return true;
}

/// What follows `prefix` in `word`; null when it does not start with it.
const char* value_of(const char* word, const char* prefix) {
  const std::size_t size = std::strlen(prefix);
  return std::strncmp(word, prefix, size) == 0 ? word + size : nullptr;
}

}  // namespace

const char* parse_options(int argc, char** argv, Options* options) {
  SandboxOptions& sandbox = options->sandbox;
  std::int64_t protections = 0;
  const NumberOption numbers[] = {
      {"--memory=", &options->limits.memory_bytes}, {"--cpu=", &options->limits.cpu_seconds},
      {"--files=", &options->limits.files},         {"--file-bytes=", &options->limits.file_bytes},
      {"--processes=", &options->limits.processes}, {"--kill-delay-ms=", &options->kill_delay_ms},
      {"--tmp-bytes=", &sandbox.tmp_bytes},         {"--protections=", &protections},
  };
  const ListOption lists[] = {{"--root=", &sandbox.roots},
                              {"--readable=", &sandbox.readable},
                              {"--hide=", &sandbox.hidden},
                              {"--protect=", &sandbox.protect}};
  const auto understand = [&](const char* word) {
    for (const NumberOption& option : numbers) {
      if (const char* text = value_of(word, option.prefix)) return parse_number(text, option.value);
    }
    for (const ListOption& option : lists) {
      const char* text = value_of(word, option.prefix);
      if (text == nullptr) continue;
      option.values->emplace_back(text);
      return *text != '\0';
    }
    if (const char* text = value_of(word, "--group=")) return *(options->group = text) == '/';
    if (const char* text = value_of(word, "--sandbox=")) return parse_level(text, &sandbox.level);
    if (std::strcmp(word, "--no-network") == 0) return sandbox.network = false, true;
    return false;
  };
  int next = 1;
  for (; next < argc && std::strncmp(argv[next], "--", 2) == 0; ++next) {
    if (!understand(argv[next])) return argv[next];
  }
  sandbox.protections = static_cast<std::uint32_t>(protections);
  if (argc - next < 2) return "PROGRAM ARGV0";
  options->program = argv[next];
  options->argv = argv + next + 1;
  return nullptr;
}

}  // namespace filecall::worker::guard
