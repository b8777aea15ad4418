import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EntryStore } from '../../../src/events/stream/entry-store.js';
import { Spool } from '../../../src/events/stream/spool.js';
import { systemClock } from '../../../src/platform/clock/clock.js';
import { connectForCommands } from '../../../src/platform/redis/connect.js';
import { CapturedLog } from '../../support/captured-log.js';

it('says in plain words why events go to the spool', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'mailbeacon-spool-'));
  const redis = connectForCommands('redis://127.0.0.1:9');
  redis.on('error', () => undefined);
  const log = new CapturedLog('warn', ['tracking']);
  const store = new EntryStore(redis, new Spool(directory), systemClock, log.logger);
  try {
    expect(await store.store(Buffer.from('entry'))).toBe('spool');
    expect(log.text).toContain('"reason":"the connection was lost","msg":"Redis does not accept events;');
  } finally {
    await store.close();
    redis.disconnect();
    await rm(directory, { recursive: true });
  }
});
