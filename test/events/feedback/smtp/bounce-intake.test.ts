import { setImmediate } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { BounceIntake } from '../../../../src/events/feedback/smtp/bounce-intake.js';
import { BounceMetrics } from '../../../../src/events/feedback/smtp/bounce-metrics.js';
import { keysWith } from '../../../links/keys.js';

const append = (): Promise<void> => Promise.resolve();

it('messages that arrive at once are read in different turns of the event loop, so that others get a turn', async () => {
  const clock = { now: () => Date.now() };
  const intake = new BounceIntake(
    () => keysWith(1),
    'bounces.example.com',
    { append },
    new BounceMetrics(new Registry()),
    clock,
  );
  let turn = 0;
  let isOver = false;
  const turns = (async () => {
    for (; !isOver; turn++) await setImmediate();
  })();
  const parts = '--a\r\n\r\n'.repeat(100);
  const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=a\r\n\r\n${parts}--a--\r\n`);
  const ends = await Promise.all(
    Array.from({ length: 5 }, async () => {
      expect(await intake.take({ transport: 'smtp', raw, sender: '', paths: [] })).toBe('unnamed');
      return turn;
    }),
  );
  isOver = true;
  await turns;
  expect(new Set(ends).size).toBe(ends.length);
});
