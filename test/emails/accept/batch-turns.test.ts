import { takeStepInTurns } from '../../../src/emails/accept/batch/batch-entries.js';
import { readMessages } from '../../../src/emails/accept/batch/read-messages.js';

const MESSAGES = 100;
const BATCHES = 5;
const MESSAGES_PER_TURN = 25;

/** Counts the messages that are handled in each turn of the event loop. */
class MessagesOfTurns {
  private readonly counts = [0];
  private next = setImmediate(() => this.count());

  readonly handle = (): void => void this.counts[this.counts.length - 1]!++;

  stop(): readonly number[] {
    clearImmediate(this.next);
    return this.counts;
  }

  private count(): void {
    this.counts.push(0);
    this.next = setImmediate(() => this.count());
  }
}

/** @param handle called when the message is read */
function messageOf(handle: () => void): object {
  const message = { from: 'ada@acme.example', to: 'alan@example.com', subject: 'Hello', textContent: 'Hello' };
  return new Proxy(message, {
    getOwnPropertyDescriptor: (target, field) => {
      if (field === 'to') handle();
      return Reflect.getOwnPropertyDescriptor(target, field);
    },
  });
}

const HANDLINGS = [
  ['read', (handle: () => void) => readMessages({ emails: Array(MESSAGES).fill(messageOf(handle)) })],
  ['composed', (handle: () => void) => takeStepInTurns(Array(MESSAGES).fill('message'), handle)],
] as const;

it.each(HANDLINGS)('Few messages of batches are %s in one turn of the event loop', async (_, handleBatch) => {
  const turns = new MessagesOfTurns();
  await Promise.all(Array.from({ length: BATCHES }, () => handleBatch(turns.handle)));
  const [first, ...later] = turns.stop();
  // The first few of a batch wait for no turn: a small batch does not wait behind large ones.
  expect(first).toBe(BATCHES * MESSAGES_PER_TURN);
  expect(Math.max(...later)).toBe(MESSAGES_PER_TURN);
  expect(later.reduce((sum, count) => sum + count)).toBe(BATCHES * (MESSAGES - MESSAGES_PER_TURN));
});
