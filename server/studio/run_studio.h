// `muster studio`, which `muster-serve --studio` is.
#pragma once

namespace muster::server {

// Throws an Error for arguments that cannot be used.
int run_studio(int argc, char** argv);

}  // namespace muster::server
