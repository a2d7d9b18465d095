// The studio changes files on the machine that it runs on, and any web site that the same browser
// shows can send requests there. These are refused.
#pragma once

#include "server/http.h"

namespace muster::server {

// Pages and their scripts: 403 if the request names another host than this machine, as it does
// when a foreign name was made to lead here.
void refuse_foreign_host(const Request& request);
// Everything else: also 403 for a request that a page of another site sent, and for a POST without
// the header that only a page of ours can set.
void refuse_foreign_page(const Request& request);

}  // namespace muster::server
