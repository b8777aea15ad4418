-- Posts the body in a file repeatedly, with {{turn}} replaced by the numbers below 500 in turn, and prints the result
-- as one line of JSON.
local pieces = {}
local turn = 0

function init(arguments)
  local file = io.open(arguments[1], "rb")
  local body = file:read("*a")
  local from = 1
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Api-Key"] = arguments[2]
  wrk.headers["Authorization"] = arguments[3]
  for first, last in body:gmatch("(){{turn}}()") do
    pieces[#pieces + 1] = body:sub(from, first - 1)
    from = last
  end
  pieces[#pieces + 1] = body:sub(from)
end

function request()
  turn = (turn + 1) % 500
  return wrk.format(nil, nil, nil, table.concat(pieces, turn))
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('{"units":%d,"seconds":%f,"p50":%f,"p99":%f,"errors":%d}\n', summary.requests,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
