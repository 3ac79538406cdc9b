// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "client/batch/column_types.h"
#include "client/batch/request_matrix.h"
#include "client/batch/request_template.h"
#include "client/batch/scripted_request.h"
#include "client/core/row_selection.h"
#include "ipc/json.h"

namespace filecall::client {

/// What the rows of a batch are.
enum class BatchFormat : std::uint8_t {
  kDetect,       ///< Row by row: OpenAI's lines have a custom_id and no command.
  kRequests,     ///< Request objects.
  kOpenAiBatch,  ///< Lines of OpenAI's Batch API.
};

/// What becomes of a row.
struct BatchPlan {
  BatchFormat format = BatchFormat::kDetect;
  /// Not empty: rows are variables, and each row is asked with each of these.
  std::vector<RequestTemplate> templates{};
  Json variables = Json::object();  ///< Beside a row's own.
  RequestMatrix matrix{};
  RowSelection selection{};  ///< Which rows are meant.
  ColumnTypes types{};       ///< Of the columns of tables.
  int max_turns = 50;        ///< Of a conversation; a row with more is refused.
  ImageReader read_image{};  ///< Of places {{column|image}} and of templates' images.
  /// Ends every id; empty: ids are as they are, and what was asked once is not asked again.
  std::string id_ending{};
};

/// What a request that was made of a row's variables has beside its text.
struct MadeOfRow {
  /// All of its metadata, as JSON text: the row's columns (`vars`) among them, which no model sees
  /// and the text has not.
  std::string metadata;
  /// Hash of what the model sees, and of the repeat. Labels, unused columns and names are not in
  /// it: who corrects them asks nothing again.
  std::uint64_t identity = 0;
  /// What follows the request, see ConversationScript: its JSON text, but with all of its turns'
  /// contents. Empty: nothing follows.
  std::string conversation{};
  int turns = 0;  ///< Of the conversation.
};

/// What one row asks for.
struct MadeRequests {
  /// The row's name: the ids of its requests begin with it. Empty: the row is a request and its
  /// text is `texts[0]`, unchanged.
  std::string item;
  bool is_named = false;           ///< The row states the name, so no other row may have it.
  std::vector<std::string> texts;  ///< Request objects.
  /// One for each text, of rows of variables; of other rows, empty.
  std::vector<MadeOfRow> of_row{};
};

/// Makes requests of the rows of a batch. Pure: equal rows make equal requests.
class RequestMaker {
 public:
  explicit RequestMaker(BatchPlan plan);

  /// Whether the row is a request already, as far as a cheap look can tell.
  bool leaves_as_it_is(std::string_view row) const;
  /// What people call the name of a row.
  std::string_view row_noun() const { return plan_.templates.empty() ? "custom_id" : "id"; }
  const BatchPlan& plan() const { return plan_; }
  /// `stem`: of the file that the row is, if it is one. The string says what is wrong with the row.
  Result<MadeRequests, std::string> make(std::string_view row,
                                         const std::optional<std::string>& stem) const;

 private:
  Json used_columns(const Json& row) const;
  Result<void> fill_template(const RequestTemplate& one, const Json& variables,
                             MadeRequests& made) const;
  Result<std::string> image_of(const Json& variables, const std::string& column) const;
  Result<Json> with_images(const Json& variables) const;
  Result<MadeRequests> fill_templates(const Json& row,
                                      const std::optional<std::string>& stem) const;
  Result<MadeRequests> make_of_line(const Json& row) const;
  Result<MadeRequests> make_of_request(Json row, const std::optional<std::string>& stem) const;

  BatchPlan plan_;
  std::set<std::string, std::less<>> places_;  ///< Variables that the templates use.
  bool has_image_places_ = false;
};

}  // namespace filecall::client
