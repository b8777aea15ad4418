/** For scripts: the order of IDs, and the first entry that a group still needs, see `XINFO GROUPS`. */
const NEEDED_BY = `
local function parts(id)
  local ms, seq = string.match(id, '^(%d+)-(%d+)$')
  return ms, tonumber(ms), tonumber(seq)
end
local function lower(a, b)
  local _, ams, aseq = parts(a)
  local _, bms, bseq = parts(b)
  if ams < bms or (ams == bms and aseq < bseq) then return a end
  return b
end
local function following(id)
  local ms, _, seq = parts(id)
  return ms .. '-' .. string.format('%.0f', seq + 1)
end
local function fields(list)
  local info = {}
  for at = 1, #list, 2 do info[list[at]] = list[at + 1] end
  return info
end
local function neededBy(stream, info)
  local bound = following(info['last-delivered-id'])
  local pending = redis.call('XPENDING', stream, info['name'])
  if pending[1] > 0 then bound = lower(bound, pending[2]) end
  return bound
end
`;

/**
 * Creates group ARGV[1] at the start of the stream, unless it exists. A Redis whose memory is full refuses `XGROUP
 * CREATE` even then, and only a member of the group can free that memory.
 */
export const JOIN_GROUP = `${NEEDED_BY}
local stream, name = KEYS[1], ARGV[1]
if redis.call('EXISTS', stream) == 1 then
  for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
    if fields(group)['name'] == name then return end
  end
end
redis.call('XGROUP', 'CREATE', stream, name, '0', 'MKSTREAM')
`;

/**
 * XACK of ARGV[2…] in group ARGV[1], then a trim of the entries that every group has received and acknowledged: those
 * below its oldest pending entry, and never beyond its last delivered one.
 * A script runs atomically, so concurrent reads, acknowledgements and appends cannot lose an entry.
 */
export const ACKNOWLEDGE_AND_TRIM = `${NEEDED_BY}
local stream = KEYS[1]
redis.call('XACK', stream, ARGV[1], unpack(ARGV, 2))

local needed = nil
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local bound = neededBy(stream, fields(group))
  needed = needed and lower(needed, bound) or bound
end
return redis.call('XTRIM', stream, 'MINID', '=', needed)
`;

/**
 * How many entries group ARGV[1] has not acknowledged, and the ID of the oldest. If the group does not exist, that is
 * all entries; a Redis that does not know the lag also counts entries that only other groups still need.
 */
export const BACKLOG = `${NEEDED_BY}
local stream = KEYS[1]
local entries, from = redis.call('XLEN', stream), '-'
if entries == 0 then return {0, false} end
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local info = fields(group)
  if info['name'] == ARGV[1] then
    from = neededBy(stream, info)
    if info['lag'] then entries = info['pending'] + info['lag'] end
  end
end
local oldest = redis.call('XRANGE', stream, from, '+', 'COUNT', 1)[1]
if not oldest then return {0, false} end
return {entries, oldest[1]}
`;

/** The last entry that group ARGV[1] has acknowledged together with all before it, if it is still in the stream. */
export const DONE_UNTIL = `${NEEDED_BY}
for _, group in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do
  local info = fields(group)
  if info['name'] == ARGV[1] then
    local last = redis.call('XREVRANGE', KEYS[1], '(' .. neededBy(KEYS[1], info), '-', 'COUNT', 1)[1]
    return last and last[1]
  end
end
`;

/** Acknowledges every entry up to ARGV[2] in group ARGV[1], delivered or not. */
export const SKIP_TO = `${NEEDED_BY}
local stream, name, last = KEYS[1], ARGV[1], ARGV[2]
repeat
  local page = redis.call('XPENDING', stream, name, '-', last, 1000)
  for _, entry in ipairs(page) do redis.call('XACK', stream, name, entry[1]) end
until #page == 0
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local info = fields(group)
  if info['name'] == name and lower(info['last-delivered-id'], last) ~= last then
    redis.call('XGROUP', 'SETID', stream, name, last)
  end
end
`;

/** Deletes consumers of group ARGV[1] that have been idle for ARGV[2] milliseconds and hold no entry. */
export const REMOVE_IDLE_CONSUMERS = `
local removed = 0
for _, consumer in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local info = {}
  for at = 1, #consumer, 2 do info[consumer[at]] = consumer[at + 1] end
  if info['pending'] == 0 and info['idle'] >= tonumber(ARGV[2]) then
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], info['name'])
    removed = removed + 1
  end
end
return removed
`;

/** Deletes consumer ARGV[2] of group ARGV[1] if it holds no entry; otherwise its entries would be lost. */
export const LEAVE_GROUP = `
if #redis.call('XPENDING', KEYS[1], ARGV[1], '-', '+', 1, ARGV[2]) == 0 then
  redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
end
`;
