// SPDX-License-Identifier: MIT
// The worker's configuration: any text is a configuration or a list of mistakes, each with its
// place.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "worker/config/config_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string yaml(reinterpret_cast<const char*>(data), size);
  const auto config = filecall::worker::read_config(yaml, "worker.yaml");
  if (!config) {
    CHECK(config.error().message.find("worker.yaml") != std::string::npos, "a mistake has a place");
  }
  return 0;
}
