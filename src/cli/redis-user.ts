import { createHash } from 'node:crypto';
import { providerPauseKey } from '../emails/delivery/provider-pause-key.js';
import { channelOf, listenerMarkOf } from '../events/live/live-store.js';
import { EVENT_STREAM, WRITE_CHECK_KEY } from '../events/stream/stream-keys.js';
import type { ProcessRole } from '../platform/database/process-rights.js';
import { DISPATCH_EPOCH_KEY } from '../platform/queue/dispatch-epoch.js';
import { QUEUE_PREFIX, QUEUES } from '../platform/queue/jobs.js';
import { RECURRING_RUNS_KEY } from '../platform/queue/recurring-runs.js';
import { resultChannelOf } from '../platform/queue/result-channel.js';
import { WORK_KEY } from '../platform/queue/work-notifications.js';
import { bucketKey } from '../platform/redis/token-buckets.js';
import { WRITE_PROBE_KEY } from '../platform/redis/write-probe.js';

/** What a process may do in Redis: commands, and patterns of keys and channels, in the syntax of ACL SETUSER. */
interface RedisRights {
  readonly commands: readonly string[];
  readonly keys: readonly string[];
  readonly channels?: readonly string[];
}

/** Channels on which workers report results to the API process that waits. */
const RESULTS = resultChannelOf('*');
/** Live messages: the listeners, and a stream and a channel for each organization. */
const LIVE = channelOf('*');
const LISTENERS = listenerMarkOf('*');
/** The token buckets of limits. */
const BUCKETS = bucketKey('*');
/** The reason why workers do not call the provider. */
const PROVIDER_PAUSE = providerPauseKey('*');
const jobsOf = (queue: string): string => `${QUEUE_PREFIX}:${queue}:*`;
/** The recurring jobs of release 0.2.0, whose workers run beside newer ones during an upgrade, and after a return. */
const EARLIER_RECURRING_JOBS = jobsOf('recurring');

/**
 * Commands of the categories below that no script calls: they read streams as bytes, or the names of other users' keys.
 */
const UNUSED = ['copy', 'dump', 'move', 'randomkey', 'scan'];

/** Connecting, the checks of readiness and of the eviction policy, and finding the primary of a cluster. */
const EVERY = [
  'hello',
  'auth',
  'ping',
  'select',
  'client|id',
  'client|setname',
  'info',
  'time',
  'set',
  'cluster|slots',
];

/**
 * Appends events to the stream, or to the spool. `write-check` shows that Redis takes writes again; a replay of the
 * spool waits while the stream is large; `xlen` is for older builds. The edges and workers do not read the stream.
 */
const APPENDS = { commands: ['xadd', 'xlen', 'memory|usage'], keys: [EVENT_STREAM, WRITE_CHECK_KEY] };

/**
 * Commands that the scripts of BullMQ call; Redis checks each call of a script. The categories of data types contain no
 * command that affects the server, other users or their scripts. `xadd` and `xtrim` are for the event stream of a
 * queue.
 */
const QUEUES_AND_SCRIPTS = [
  ...['@hash', '@list', '@sortedset', '@set', '@string', '@keyspace'],
  ...['xadd', 'xlen', 'xtrim', 'eval', 'evalsha', 'script|load', 'multi', 'exec', 'discard', 'watch', 'unwatch'],
];

const RIGHTS: Readonly<Record<ProcessRole, RedisRights>> = {
  tracking: APPENDS,
  bounces: APPENDS,
  api: {
    // Reads the streams of live messages. Redis 6.2 cannot limit a command to some of a user's keys, so that the API
    // can read the event stream as well, and publish where it only subscribes.
    commands: [
      ...QUEUES_AND_SCRIPTS,
      ...APPENDS.commands,
      'subscribe',
      'unsubscribe',
      'publish',
      'xrange',
      'xrevrange',
    ],
    keys: [
      ...APPENDS.keys,
      ...[jobsOf(QUEUES.emails), jobsOf(QUEUES.webhooks), DISPATCH_EPOCH_KEY, BUCKETS, LIVE, LISTENERS],
      ...[PROVIDER_PAUSE, WORK_KEY],
    ],
    channels: [RESULTS, LIVE],
  },
  // Accepts mail like the API, without waiting for results and without reading live messages.
  smtp: {
    commands: [...QUEUES_AND_SCRIPTS, 'publish'],
    keys: [jobsOf(QUEUES.webhooks), DISPATCH_EPOCH_KEY, BUCKETS, LIVE, LISTENERS, WORK_KEY],
    channels: [LIVE],
  },
  worker: {
    commands: [...QUEUES_AND_SCRIPTS, ...APPENDS.commands, 'publish'],
    keys: [
      ...APPENDS.keys,
      ...Object.values(QUEUES).map(jobsOf),
      ...[WORK_KEY, RECURRING_RUNS_KEY, DISPATCH_EPOCH_KEY, PROVIDER_PAUSE, BUCKETS, LIVE, LISTENERS],
      EARLIER_RECURRING_JOBS,
    ],
    channels: [RESULTS, LIVE],
  },
  // Wakes workers for webhooks.
  flusher: {
    commands: [...QUEUES_AND_SCRIPTS, '@stream', 'client|unblock', 'memory|usage', 'publish'],
    keys: [EVENT_STREAM, jobsOf(QUEUES.webhooks), LIVE, LISTENERS],
    channels: [LIVE],
  },
};

/**
 * The user of a process, as a line of an ACL file, with the hash of its password. Everything that the line does not
 * grant is denied.
 * @param name without spaces
 */
export function redisUser(role: ProcessRole, name: string, password: string): string {
  const { commands, keys, channels = [] } = RIGHTS[role];
  const named = [...EVERY, ...commands];
  return [
    `user ${name} on #${createHash('sha256').update(password).digest('hex')} resetchannels -@all`,
    ...named.filter((command) => command.startsWith('@')).map((category) => `+${category}`),
    // The categories contain commands that read or delete everything, regardless of the key patterns.
    '-@dangerous',
    ...UNUSED.map((command) => `-${command}`),
    ...named.filter((command) => !command.startsWith('@')).map((command) => `+${command}`),
    ...[WRITE_PROBE_KEY, ...keys].map((key) => `~${key}`),
    ...channels.map((channel) => `&${channel}`),
  ].join(' ');
}
