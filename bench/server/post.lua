-- For wrk: posts the files named in the environment variable FILES (separated by ':'), one after the other. Prints a line of JSON for bench/server/run.
local bodies = {}
local next_body = 0

function init(arguments)
  for name in string.gmatch(os.getenv("FILES"), "[^:]+") do
    local file = assert(io.open(name, "rb"))
    bodies[#bodies + 1] = file:read("*a")
    file:close()
  end
end

function request()
  next_body = next_body % #bodies + 1
  return wrk.format("POST", nil, nil, bodies[next_body])
end

function done(summary, latency, requests)
  io.write(string.format('{"requests": %d, "seconds": %.6f, "bad_status": %d, "failed": %d, "median_ms": %.3f, "p99_ms": %.3f}\n',
    summary.requests, summary.duration / 1e6, summary.errors.status,
    summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
