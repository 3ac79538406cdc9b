// SPDX-License-Identifier: MIT
#include "spool/request_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "os/unique_fd.h"
#include "spool/identify.h"
#include "temporary_root.h"

namespace filecall::spool {
namespace {

TEST(RequestReader, TakesAFileThatGrewAfterItWasReadForOneThatIsBeingWritten) {
  const TemporaryRoot root;
  const std::string path = root.path() + "/half.json";
  write_text(path, "{\"request_id\":");
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat info {};
  ASSERT_EQ(::fstat(fd.get(), &info), 0);
  const FileIdentity half = identify(info);
  EXPECT_NE(confirm_writer(fd.get(), half), Writer::kOpen);

  // Its writer finishes and closes between our read and our question who writes.
  UniqueFd writer(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  EXPECT_EQ(confirm_writer(fd.get(), half), Writer::kOpen);
  ASSERT_EQ(::write(writer.get(), "\"half\"}", 7), 7);
  ASSERT_EQ(::close(writer.release()), 0);
  EXPECT_EQ(confirm_writer(fd.get(), half), Writer::kOpen);

  ASSERT_EQ(::fstat(fd.get(), &info), 0);
  EXPECT_NE(confirm_writer(fd.get(), identify(info)), Writer::kOpen);
}

}  // namespace
}  // namespace filecall::spool
