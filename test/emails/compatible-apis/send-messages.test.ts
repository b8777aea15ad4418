import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SendBatch } from '../../../src/emails/accept/batch/send-batch.js';
import type { SendEmail } from '../../../src/emails/accept/send-email.js';
import { SendMessages } from '../../../src/emails/compatible-apis/send-messages.js';
import type { Caller } from '../../../src/organizations/api-key-authenticator.js';
import { TooManyBodyBytesError } from '../../../src/platform/http/body-budget.js';

const METADATA = { text: 'x'.repeat(1_000) };
const exchange = { request: { headers: {} } as FastifyRequest, reply: {} as FastifyReply };
const batches = { send: () => Promise.resolve({ emails: [] }) } as unknown as SendBatch;
const sender = new SendMessages({} as SendEmail, batches);

let read: number;
beforeEach(() => (read = 0));

/** Messages as personalizations, each with a copy of the metadata of their body. */
function* messages(count: number) {
  while (read < count) {
    read++;
    yield { from: 'a@b.example', to: 'c@d.example', subject: 'x', textContent: 'x', metadata: METADATA };
  }
}

const send = (count: number, reserve: (bytes: number) => void): Promise<unknown> =>
  sender.send({ reserve } as Caller, { messages: messages(count), refusesAll: () => true }, exchange);

it('reserves memory for the copies in every message but the first, whose body is reserved already', async () => {
  const reserved: number[] = [];
  await send(3, (bytes) => void reserved.push(bytes));
  expect(reserved).toHaveLength(2);
  for (const bytes of reserved) expect(bytes).toBeGreaterThan(METADATA.text.length);
});

it('reads no further message once there is no memory', async () => {
  const refuse = (): void => {
    throw new TooManyBodyBytesError();
  };
  await expect(send(3, refuse)).rejects.toThrow(TooManyBodyBytesError);
  expect(read).toBe(2);
});
