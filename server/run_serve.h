// `muster serve`: the command starts the program muster-serve, which runs this.
#pragma once

namespace muster::server {

// Throws an Error for arguments that cannot be used.
int run_serve(int argc, char** argv);

}  // namespace muster::server
