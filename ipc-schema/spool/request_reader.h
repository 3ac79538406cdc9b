// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "ipc/request.h"
#include "spool/arrival.h"
#include "spool/file_identity.h"
#include "spool/settle_policy.h"

namespace filecall::spool {

struct RequestFile {
  Result<Request, RequestFault> content;
  FileIdentity identity;
  Writer writer = Writer::kUnknown;  ///< Looked at only when the content is a fault.
  FileOwner owner{};                 ///< Unknown (0) of a file that could not be opened.
};

enum class NoRequestFile : std::uint8_t {
  kAbsent,
  kForeign,    ///< A link, directory, FIFO, socket or device: left alone.
  kTransient,  ///< Could not be opened now (out of descriptors or memory): try again.
};

/// Reads and parses request files; keeps its buffer between files. One thread.
class RequestReader {
 public:
  explicit RequestReader(const RequestLimits& limits) : limits_(limits) {}

  /// One openat, fstat, read and close for a good request. Never blocks, never follows a link. A
  /// file that is too large or may not be read is a fault: it is answered like any other bad input.
  Result<RequestFile, NoRequestFile> read(int requests_fd, const std::string& file_name,
                                          std::string_view stem);

 private:
  /// Bytes in buffer_, or a fault's message.
  Result<std::size_t, std::string> fill(int fd, std::size_t expected);

  RequestLimits limits_;
  std::string buffer_;
};

/// Asks for a read lease, which the kernel refuses while anybody has the file open for writing, and
/// gives it back at once. Unknown where leases are not supported or not permitted.
Writer probe_writer(int fd);

/// The same for bytes that were read when the file was `seen` like this: a file that changed since
/// counts as open, whether or not its writer has closed it meanwhile.
Writer confirm_writer(int fd, const FileIdentity& seen);

}  // namespace filecall::spool
