-- Posts the body of a file again and again, and tells what came of it as one line of JSON.
function init(arguments)
  local file = io.open(arguments[1], "rb")
  wrk.body = file:read("*a")
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Api-Key"] = arguments[2]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"units":%d,"seconds":%f,"p50":%f,"p99":%f,"errors":%d}\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
