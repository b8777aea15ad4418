import { ERASED_ADDRESS } from '../../../src/emails/mailbox.js';
import { eraseFromClicks } from '../../../src/events/ingest/erased-links.js';
import type { EventOfEmail } from '../../../src/events/ingest/event-rows.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { NO_SIGN } from '../../../src/events/verdict.js';
import { clicked } from '../../roles/flusher/sent-mail.js';
import { processorTime } from '../../support/processor-time.js';

const EMAIL = { id: ERASED_ADDRESS } as EventOfEmail['email'];
/** Finds an erased recipient, and no link: the email was never recorded as sent. */
const sql = { query: async () => [{ id: EMAIL.id, urls: null }] } as unknown as Sql;

/** The URLs of clicks as they are stored. */
async function stored(urls: readonly string[]): Promise<string[]> {
  const events = urls.map((url): EventOfEmail => {
    const event = clicked('tracking', 0, url) as EventOfEmail['event'];
    return { event, email: EMAIL, verdict: NO_SIGN };
  });
  await eraseFromClicks(sql, events);
  return events.map(({ event }) => (event.type === 'clicked' ? event.url : ''));
}

it.each([
  ['https://shop.example/u/ada@example.com/x?y=1', 'https://shop.example/u/erased/x?y=1'],
  ['https://shop.example/?to=ada%2540example.com&to=b', 'https://shop.example/?to=erased&to=b'],
  ['https://shop.example/?to=ada&#064;example.com;x=b', 'https://shop.example/?to=erased;x=b'],
  ['https://shop.example/?to=a@b@c.example&cc=d&#X40;e', 'https://shop.example/?to=erased&cc=erased'],
])('an address in %s is erased', async (url, erased) => {
  expect(await stored([url])).toEqual([erased]);
});

it('the longest URLs take a time that grows with their length only', async () => {
  const url = `https://shop.example/${'%25'.repeat(2_700)}/ada@example.com`;
  const spentMs = processorTime();
  const urls = await stored(Array.from({ length: 100 }, () => url));
  expect(spentMs()).toBeLessThan(1_500);
  expect(urls[0]).toBe(`https://shop.example/${'%25'.repeat(2_700)}/erased`);
});
