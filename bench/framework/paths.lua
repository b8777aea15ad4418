-- Requests the paths in a file in turn, and prints the result as one line of JSON.
local paths = {}
local at = 0

function init(arguments)
  for line in io.lines(arguments[1]) do paths[#paths + 1] = wrk.format("GET", line) end
  math.randomseed(os.time())
  at = math.random(#paths)
end

function request()
  at = at % #paths + 1
  return paths[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"units":%d,"seconds":%f,"p50":%f,"p99":%f,"errors":%d}\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
