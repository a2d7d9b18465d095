// The files of server/page and web/studio, in the binary.
#pragma once

#include <string_view>

namespace muster {

extern const std::string_view kPageHtml, kPageScript, kPageStyle, kDocsHtml, kOpenApi;
extern const std::string_view kStudioHtml, kStudioScript, kStudioStyle;

}  // namespace muster
