import { PassThrough, type Readable } from 'node:stream';
import type { SMTPServerDataStream } from 'smtp-server';
import { collectMessage } from '../../../src/emails/submission/collect-message.js';
import { BodyBudget, BodyShareExceededError } from '../../../src/platform/http/body-budget.js';
import { eventually } from '../../support/eventually.js';

const CHUNK = 10;

let budget: BodyBudget;
let stream: PassThrough & { sizeExceeded: boolean };
let collected: Promise<Buffer | undefined>;
beforeEach(() => {
  // An organization may hold half of it.
  budget = new BodyBudget(4 * CHUNK, CHUNK);
  stream = Object.assign(new PassThrough(), { sizeExceeded: false });
  collected = collectMessage(stream as Readable as SMTPServerDataStream, budget.open('acme'));
});

async function receive(content: string): Promise<void> {
  stream.write(Buffer.alloc(CHUNK, content));
  await eventually(() => stream.readableLength === 0);
}

it('reserves the bytes of a message while it arrives', async () => {
  await receive('a');
  await receive('b');
  expect(budget.held).toBe(2 * CHUNK);
  stream.end();
  expect(String(await collected)).toBe('a'.repeat(CHUNK) + 'b'.repeat(CHUNK));
});

it('holds nothing of a message that is refused, although the rest of it still arrives', async () => {
  for (const content of ['a', 'b', 'c']) await receive(content);
  await eventually(() => budget.held === 0);
  // Now others have the room that it needs.
  await receive('d');
  expect(budget.held).toBe(0);
  stream.end();
  await expect(collected).rejects.toThrow(BodyShareExceededError);
});

it('holds nothing of a message that is too large, although the rest of it still arrives', async () => {
  await receive('a');
  stream.sizeExceeded = true;
  await receive('b');
  await eventually(() => budget.held === 0);
  stream.end();
  expect(await collected).toBeUndefined();
});
