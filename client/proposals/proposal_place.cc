// SPDX-License-Identifier: MIT
#include "client/proposals/proposal_place.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <utility>

#include "base/stem.h"
#include "client/service/last_answer.h"
#include "ipc/limits.h"
#include "os/io.h"
#include "os/regular_file.h"
#include "spool/scan.h"

namespace filecall::client {
namespace {

/// The id of a proposal that is named by its path in proposals/: what is done with it is noted as
/// of its id. Empty: it is another file.
std::string id_of_file(const spool::Layout& layout, const std::string& path) {
  const auto stem = spool::Layout::stem_of(std::string_view(path).substr(path.rfind('/') + 1));
  if (!stem) return {};
  struct stat named {};
  struct stat there {};
  const bool is_it = ::stat(path.c_str(), &named) == 0 &&
                     ::stat(layout.proposal(*stem).c_str(), &there) == 0 &&
                     named.st_dev == there.st_dev && named.st_ino == there.st_ino;
  return is_it ? std::string(*stem) : std::string();
}

}  // namespace

Result<Proposal> find_proposal(const spool::Layout& layout, const std::string& name) {
  const auto text = read_named_file(name, limits::kResponseBytesMax);
  if (text) {
    TRY_ASSIGN(Proposal proposal, read_proposal(*text, name));
    proposal.is_named_by_path = true;
    if (std::string id = id_of_file(layout, name); !id.empty()) {
      proposal.id = std::move(id);
      proposal.is_of_run = true;
    }
    return proposal;
  }
  if (text.error().code != ErrorCode::kNotFound || !is_valid_stem(name)) {
    return Unexpected(text.error());
  }
  const auto waiting = read_regular_file(layout.proposal(name), limits::kResponseBytesMax);
  if (waiting) {
    TRY_ASSIGN(Proposal proposal, read_proposal(*waiting, layout.proposal(name)));
    proposal.id = name;
    proposal.is_of_run = true;
    return proposal;
  }
  const auto answer = last_answer(layout, name, RequestState::kSuccess);
  if (answer) {
    TRY_ASSIGN(Proposal proposal, read_proposal(answer->bytes, answer->path));
    proposal.id = name;
    return proposal;
  }
  return fail(ErrorCode::kNotFound,
              fmt::format("{}: no file of that name, no {} and no response of a request with that "
                          "id; 'filecall call file.propose' makes a proposal",
                          name, layout.proposal(name)));
}

std::vector<std::string> proposals_in(const spool::Layout& layout) {
  std::vector<std::string> ids;
  const auto folder = open_file(layout.proposals(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!folder) return ids;
  (void)spool::read_directory(folder->get(), [&](const spool::DirectoryEntry& entry) {
    const auto stem = spool::Layout::stem_of(entry.name);
    if (stem) ids.emplace_back(*stem);
  });
  return ids;
}

}  // namespace filecall::client
