// One function per command: it declares its arguments and returns what runs it once they are
// parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace muster::cli {

// Returns the exit code.
using Run = std::function<int()>;

Run add_add_class(CLI::App& app);
Run add_bench(CLI::App& app);
Run add_encode(CLI::App& app);
Run add_evaluate(CLI::App& app);
Run add_explain(CLI::App& app);
Run add_extract(CLI::App& app);
Run add_fuse(CLI::App& app);
Run add_gram(CLI::App& app);
Run add_info(CLI::App& app);
Run add_inspect(CLI::App& app);
Run add_match(CLI::App& app);
Run add_methods(CLI::App& app);
Run add_predict(CLI::App& app);
Run add_reproduce(CLI::App& app);
Run add_serve(CLI::App& app);
Run add_similar(CLI::App& app);
Run add_studio(CLI::App& app);
Run add_synth(CLI::App& app);
Run add_train(CLI::App& app);
Run add_weights(CLI::App& app);

}  // namespace muster::cli
