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

bool parse_number(const char* text, std::int64_t* value) {
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(text, &end, 10);
  if (errno != 0 || end == text || *end != '\0' || number < 0) return false;
  *value = number;
  return true;
}

}  // namespace

const char* parse_options(int argc, char** argv, Options* options) {
  const NumberOption known[] = {
      {"--memory=", &options->limits.memory_bytes}, {"--cpu=", &options->limits.cpu_seconds},
      {"--files=", &options->limits.files},         {"--file-bytes=", &options->limits.file_bytes},
      {"--processes=", &options->limits.processes}, {"--kill-delay-ms=", &options->kill_delay_ms},
  };
  int next = 1;
  for (; next < argc && std::strncmp(argv[next], "--", 2) == 0; ++next) {
    bool understood = false;
    for (const NumberOption& option : known) {
      const std::size_t size = std::strlen(option.prefix);
      if (std::strncmp(argv[next], option.prefix, size) != 0) continue;
      understood = parse_number(argv[next] + size, option.value);
    }
    if (!understood) return argv[next];
  }
  if (argc - next < 2) return "PROGRAM ARGV0";
  options->program = argv[next];
  options->argv = argv + next + 1;
  return nullptr;
}

}  // namespace filecall::worker::guard
