import type { OutgoingAttachment } from '../../../src/providers/provider.js';
import { messagesOf } from '../../../src/providers/postmark/postmark-message.js';
import { postmarkBatchBody } from '../../../src/providers/postmark/request-body.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';

const hidden = ['d', 'Ünal, “U”', 'f', 'g'].map((name, index) => ({ address: `${index}@example.test`, name }));
const messages = messagesOf(outgoingEmail({ to: [], bcc: hidden }), 'outbound');

it.each([0, 1, 2, 1_000])('knows the length of a batch with %i attached bytes', async (size) => {
  const attachments = size === 0 ? [] : [outgoingAttachment(Buffer.alloc(size, 7))];
  const { body, sent, left } = postmarkBatchBody(messages, attachments);
  const pieces: Buffer[] = [];
  for await (const piece of body.head!) pieces.push(Buffer.from(piece));
  const bytes = Buffer.concat([...pieces, Buffer.from(body.end)]);
  expect(bytes.length).toBe(body.length);
  expect([sent.length, left.length, (JSON.parse(bytes.toString()) as unknown[]).length]).toEqual([4, 0, 4]);
});

it.each([
  [9_000_000, 4],
  [13_000_000, 2],
  [20_000_000, 1],
  [60_000_000, 1],
])('a batch has at most 50 MB, but at least one message: %i attached bytes, %i messages', (size, count) => {
  const large: OutgoingAttachment = { ...outgoingAttachment(Buffer.alloc(0)), size };
  const { body, sent, left } = postmarkBatchBody(messages, [large]);
  expect([...sent, ...left]).toEqual(messages);
  expect(sent).toHaveLength(count);
  expect(body.length <= 50_000_000 || count === 1).toBe(true);
});
