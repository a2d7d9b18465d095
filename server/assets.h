// The files of server/page, in the binary.
#pragma once

#include <string_view>

namespace muster {

extern const std::string_view kPageHtml, kPageScript, kPageStyle, kDocsHtml, kOpenApi;

}  // namespace muster
