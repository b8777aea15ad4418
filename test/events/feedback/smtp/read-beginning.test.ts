import { PassThrough, type Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { MAX_READ_BYTES } from '../../../../src/events/feedback/smtp/mail-message.js';
import { readBeginning } from '../../../../src/events/feedback/smtp/read-beginning.js';
import { collectGarbage } from '../../../support/collect-garbage.js';

const heapBytes = (): number => {
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** Writes a message in chunks of the given length, and waits until all of them are read. */
async function write(stream: PassThrough, bytes: Buffer, lengthOfChunk: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += lengthOfChunk) {
    if (!stream.write(bytes.subarray(at, at + lengthOfChunk))) await setImmediate();
  }
  while (stream.readableLength > 0 || stream.writableLength > 0) await setImmediate();
}

it('keeps the beginning of a message, in chunks of any lengths', async () => {
  const lengths = fc.array(fc.oneof(fc.nat(9), fc.nat(70_000)), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(lengths, async (chunks) => {
      const bytes = Buffer.from(Array.from({ length: chunks.reduce((sum, one) => sum + one, 0) }, (_, at) => at % 251));
      const stream = new PassThrough();
      const beginning = readBeginning(stream);
      let at = 0;
      for (const length of chunks) stream.write(bytes.subarray(at, (at += length)));
      stream.end();
      expect((await beginning).equals(bytes.subarray(0, MAX_READ_BYTES))).toBe(true);
    }),
    { numRuns: 30 },
  );
});

it('needs little more memory than that, even if ten messages arrive in tiny chunks and never end', async () => {
  const streams = Array.from({ length: 10 }, () => new PassThrough());
  const before = heapBytes();
  const readings = streams.map((stream: Readable) => readBeginning(stream));
  await Promise.all(streams.map((stream) => write(stream, Buffer.alloc(MAX_READ_BYTES, '.\r\n'), 3)));
  expect(heapBytes() - before).toBeLessThan(20_000_000);
  for (const stream of streams) stream.end();
  expect((await Promise.all(readings)).map(({ length }) => length)).toEqual(streams.map(() => MAX_READ_BYTES));
});
