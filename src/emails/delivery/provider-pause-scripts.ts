import type { RedisConnection } from '../../platform/redis/connect.js';
import { LONGEST_PAUSE_MS } from '../../providers/http/provider-response.js';
import { providerPauseKey, type PauseCause } from './provider-pause-key.js';

/** Pauses with less than this time between them count as one, unless the provider accepted an email meanwhile. */
const GAP_MS = 600_000;
/** The pause of a failing provider doubles with each email that finds out whether it still fails, up to the longest. */
const FIRST_PROBE_PAUSE_MS = 10_000;
const LONGEST_PROBE_PAUSE_MS = 60_000;
/** After a pause, emails of other organizations than the last one find out first: one may cause the failures. */
const OTHERS_FIRST_MS = 2_000;
/** An email in doubt finds out only if no other email has come for so long after a pause. */
const DOUBTS_LAST_MS = 180_000;
/** Of so many turns, one is for an email in any case: a provider may work and yet fail with calls without an email. */
const TURNS_PER_EMAIL = 10;

/** A key that expires later was written by a server whose clock was ahead: its pause must not last for as long. */
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if redis.call('PTTL', KEYS[1]) > ${LONGEST_PAUSE_MS} then redis.call('PEXPIRE', KEYS[1], ${LONGEST_PAUSE_MS}) end`;

/*
 * A short pause does not end a longer one that another worker began. It is kept beside that of a failing provider,
 * which may end early. ARGV: the cause and the milliseconds of the pause, and the gap.
 */
const BEGIN = `${NOW}
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
elseif redis.call('GET', KEYS[1]) == 'failing' then
  local other = redis.call('HGET', KEYS[3], 'otherUntil')
  if now + ARGV[2] > tonumber(other or 0) then
    redis.call('HSET', KEYS[3], 'otherCause', ARGV[1], 'otherUntil', now + ARGV[2])
  end
end
redis.call('SET', KEYS[2], now, 'NX')
redis.call('PEXPIRE', KEYS[2], redis.call('PTTL', KEYS[1]) + ARGV[3])`;

const READ = `${NOW}
local since = redis.call('GET', KEYS[2])
return {redis.call('PTTL', KEYS[1]), redis.call('GET', KEYS[1]), since and math.max(1, now - since) or 0,
  redis.call('EXISTS', KEYS[3]), redis.call('EXISTS', KEYS[4])}`;

/* ARGV: the organization of the email, 1 if the email is in doubt, and 1 if the provider begins to fail. */
const PROBE = `${NOW}
local left = redis.call('PTTL', KEYS[1])
if left > 0 then return {left, 'paused'} end
local last = redis.call('HMGET', KEYS[3], 'organization', 'until')
if not last[2] and ARGV[3] == '0' then return {0, 'over'} end
local patience = math.max(last[1] == ARGV[1] and ${OTHERS_FIRST_MS} or 0, ARGV[2] == '1' and ${DOUBTS_LAST_MS} or 0)
local isFromAhead = last[2] and last[2] - now > ${LONGEST_PROBE_PAUSE_MS}
local turn = last[2] and not isFromAhead and last[2] + patience - now or 0
if turn > 0 then return {turn, 'turn'} end
local probes = redis.call('HINCRBY', KEYS[3], 'probes', 1)
local pause = math.min(${FIRST_PROBE_PAUSE_MS} * 2 ^ (probes - 1), ${LONGEST_PROBE_PAUSE_MS})
redis.call('HSET', KEYS[3], 'organization', ARGV[1], 'until', now + pause)
redis.call('SET', KEYS[1], 'failing', 'PX', pause)
redis.call('SET', KEYS[2], now, 'NX')
for _, key in ipairs({KEYS[2], KEYS[3]}) do redis.call('PEXPIRE', key, pause + ${GAP_MS}) end
return {pause, probes % ${TURNS_PER_EMAIL} == 0 and 'email' or 'probe'}`;

const RECOVER = `${NOW}
if redis.call('GET', KEYS[1]) == 'failing' then
  redis.call('DEL', KEYS[1])
  local other = redis.call('HMGET', KEYS[3], 'otherCause', 'otherUntil')
  local left = other[2] and other[2] - now or 0
  if left > 0 then redis.call('SET', KEYS[1], other[1], 'PX', left) end
end
redis.call('DEL', KEYS[3])`;

/** What all workers know about the pause of a provider. */
export interface SharedPause {
  /** At most 0 if there is none. */
  readonly remainingMs: number;
  readonly cause: string | null;
  /** For how long the provider has accepted no mail. */
  readonly refusedForMs: number;
  /** True if single emails find out whether it works again. */
  readonly isFailing: boolean;
  /** True if it accepted an email lately. Only an organization's own provider notes this. */
  readonly isKnownToAccept: boolean;
}

type ReadPause = [remainingMs: number, cause: string | null, refusedForMs: number, isFailing: number, accepts: number];

/** The pauses of providers, in the order of their IDs, by the clock of Redis. */
export async function readPauses(redis: RedisConnection, ids: readonly string[]): Promise<readonly SharedPause[]> {
  if (ids.length === 0) return [];
  const pipeline = redis.pipeline();
  for (const id of ids) pipeline.eval(READ, 4, ...keysOf(id), acceptsKey(id));
  return ((await pipeline.exec()) ?? []).map(([error, read]) => {
    if (error) throw error;
    const [remainingMs, cause, refusedForMs, isFailing, accepts] = read as ReadPause;
    return { remainingMs, cause, refusedForMs, isFailing: isFailing === 1, isKnownToAccept: accepts === 1 };
  });
}

export async function beginPause(redis: RedisConnection, id: string, cause: PauseCause, ms: number): Promise<void> {
  await redis.eval(BEGIN, 3, ...keysOf(id), cause, Math.max(1, Math.round(ms)), GAP_MS);
}

/** An email that may find out whether a failing provider works again. */
export interface ProbingEmail {
  readonly organizationId: string;
  /** True if the provider may have it already: another unknown outcome would be its last. */
  readonly isInDoubt?: boolean;
}

/**
 * `probe`: the pause begins, and this email finds out whether the provider works again; `email`: the same, whatever the
 * provider responds without an email; `paused`: there is a pause already; `turn`: other emails are first for so long;
 * `over`: the provider no longer fails.
 */
export type Probe = [milliseconds: number, kind: 'probe' | 'email' | 'paused' | 'turn' | 'over'];

/** Begins the first pause of a provider that begins to fail, unless there is one. */
export function beginProbes(redis: RedisConnection, id: string, organizationId: string): Promise<Probe> {
  return probe(redis, id, { organizationId }, true);
}

/** Begins the next pause of a failing provider, unless there is one. */
export function beginProbe(redis: RedisConnection, id: string, email: ProbingEmail): Promise<Probe> {
  return probe(redis, id, email, false);
}

async function probe(
  redis: RedisConnection,
  id: string,
  { organizationId, isInDoubt = false }: ProbingEmail,
  begins: boolean,
): Promise<Probe> {
  const flags = [isInDoubt, begins].map(Number);
  return (await redis.eval(PROBE, 3, ...keysOf(id), organizationId, ...flags)) as Probe;
}

/** Ends the pause of a failing provider, but none that began meanwhile for another cause. */
export async function endProbes(redis: RedisConnection, id: string): Promise<void> {
  await redis.eval(RECOVER, 3, ...keysOf(id));
}

/** Forgets since when the provider has accepted no mail. */
export async function forgetRefusals(redis: RedisConnection, id: string): Promise<void> {
  await redis.del(keysOf(id)[1]);
}

/** Notes that the provider accepts mail. */
export async function noteAcceptance(redis: RedisConnection, id: string): Promise<void> {
  await redis.set(acceptsKey(id), 1, 'PX', GAP_MS);
}

function acceptsKey(id: string): string {
  return `${providerPauseKey(id)}:accepts`;
}

/** The pause, since when the provider accepts no mail, and of a failing one its probes and the pause beside its own. */
function keysOf(id: string): readonly [pause: string, since: string, probes: string] {
  const key = providerPauseKey(id);
  return [key, `${key}:since`, `${key}:probes`];
}
