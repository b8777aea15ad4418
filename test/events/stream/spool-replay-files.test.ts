import { chmod, chown, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import type { Redis } from 'ioredis';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { connectForBlocking } from '../../../src/platform/redis/connect.js';
import { ClaimedSegment } from '../../../src/events/stream/claimed-segment.js';
import { EntryStore } from '../../../src/events/stream/entry-store.js';
import { Spool } from '../../../src/events/stream/spool.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { PrivateRedis } from '../../support/private-redis.js';
import { endingsIn, leaveSegmentIn, streamedEntries } from './left-segments.js';

const NOBODY = 65_534;
let server: PrivateRedis;
let redis: Redis;
let directory: string;
let store: EntryStore;
let log: CapturedLog;

beforeAll(async () => {
  server = await PrivateRedis.start('--save', '');
  // Without the timeout of commands, because the test reads megabytes by it.
  redis = connectForBlocking(server.url);
});

afterAll(async () => {
  redis.disconnect();
  await server.remove();
});

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
  log = new CapturedLog('info', []);
  store = new EntryStore(redis, new Spool(directory), systemClock, log.logger);
});

afterEach(async () => {
  await store.close();
  await redis.flushall();
  await rm(directory, { recursive: true, force: true });
});

const leaveSegment = (payloads: readonly string[]) => leaveSegmentIn(directory, payloads);
const streamed = () => streamedEntries(redis);
const endings = () => endingsIn(directory);

describe('replaying a spool with files that refuse it', () => {
  it('replays the segments after one of another account', async () => {
    await chmod(directory, 0o777);
    const theirs = [await leaveSegment(['unreadable']), await leaveSegment(['not to be renamed'])];
    await leaveSegment(['a']);
    await leaveSegment(['b']);
    const asRoot = process.getuid?.() === 0;
    for (const name of await readdir(directory)) if (asRoot) await chown(join(directory, name), NOBODY, NOBODY);
    if (asRoot) for (const path of theirs) await chown(path, 0, 0);
    await chmod(theirs[0]!, asRoot ? 0o600 : 0);
    await chmod(theirs[1]!, asRoot ? 0o644 : 0);
    if (asRoot) process.seteuid!(NOBODY);
    try {
      store.start();
      await eventually(async () => (await streamed()).length === 2);
      await eventually(() => store.unreadableSegments === 2);
      await store.close();
    } finally {
      if (asRoot) process.seteuid!(0);
    }
    expect((await streamed()).sort()).toEqual(['a', 'b']);
    expect((await readdir(directory)).map((name) => join(directory, name)).sort()).toEqual(theirs.sort());
    const lines = log.text.trimEnd().split('\n');
    expect(lines.filter((line) => line.includes('A spool segment cannot be read'))).toHaveLength(2);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ folder: directory });
  });

  it('replays the segments after one that cannot be removed, and appends that one once', async () => {
    for (const entry of ['a', 'b', 'c']) await leaveSegment([entry]);
    const attempts: string[] = [];
    let isRemovable = false;
    const remove = ClaimedSegment.prototype.remove;
    const removal = jest.spyOn(ClaimedSegment.prototype, 'remove').mockImplementation(async function (
      this: ClaimedSegment,
    ) {
      attempts.push(this.path);
      if (this.path === attempts[0] && !isRemovable) throw new Error('EIO: i/o error, unlink');
      await remove.call(this);
    });
    try {
      store.start();
      await eventually(async () => (await endings()).join() === 'replaying');
      await eventually(() => attempts.filter((path) => path === attempts[0]).length > 1, 15_000);
      expect((await streamed()).sort()).toEqual(['a', 'b', 'c']);
      isRemovable = true;
      await eventually(async () => (await endings()).length === 0, 15_000);
      expect((await streamed()).sort()).toEqual(['a', 'b', 'c']);
    } finally {
      removal.mockRestore();
    }
  });
});
