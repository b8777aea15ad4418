/**
 * XACK of ARGV[2…] in group ARGV[1], then a trim of the entries that every group has received and acknowledged: those
 * below its oldest pending entry, and never beyond its last delivered one.
 * A script runs atomically, so concurrent reads, acknowledgements and appends cannot lose an entry.
 */
export const ACKNOWLEDGE_AND_TRIM = `
local stream = KEYS[1]
redis.call('XACK', stream, ARGV[1], unpack(ARGV, 2))

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

local needed = nil
for _, group in ipairs(redis.call('XINFO', 'GROUPS', stream)) do
  local info = {}
  for at = 1, #group, 2 do info[group[at]] = group[at + 1] end
  local bound = following(info['last-delivered-id'])
  local pending = redis.call('XPENDING', stream, info['name'])
  if pending[1] > 0 then bound = lower(bound, pending[2]) end
  needed = needed and lower(needed, bound) or bound
end
return redis.call('XTRIM', stream, 'MINID', '=', needed)
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
