import { EVENT_STREAM } from '../../../src/events/stream/stream-keys.js';
import { KEY_SLOT } from '../../../src/platform/redis/find-primary.js';
import { QUEUE_PREFIX } from '../../../src/platform/queue/jobs.js';

/** CRC-16/XMODEM of what is between the braces, modulo 16,384 (Redis Cluster specification, "Hash tags"). */
function slotOf(key: string): number {
  let crc = 0;
  for (const byte of Buffer.from(/\{(.+?)\}/.exec(key)?.[1] ?? key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff;
  }
  return crc % 16_384;
}

it('is the slot in the example of the specification', () => {
  expect(slotOf('123456789')).toBe(0x31c3);
});

it.each([QUEUE_PREFIX, EVENT_STREAM])('is the slot of %s', (key) => {
  expect(slotOf(key)).toBe(KEY_SLOT);
});
