import { setTimeout as delay } from 'node:timers/promises';
import { waitSeconds, kill, start } from '../actions.js';
import type { Scenario } from '../scenario.js';

/** Enough to schedule all of them before the first is due. */
const AHEAD_MS = 6_000;
/** The cancellations begin this long before the emails are due, and spread over twice as long. */
const SPREAD_MS = 1_200;

/**
 * Scheduled emails are canceled around the moment they are due, while the workers that claim them are killed. The
 * response to each cancellation is correct: a canceled email reaches no recipient, and one that could not be canceled
 * is sent.
 */
export function canceledWhenDue(emails: number, id: string): Scenario {
  const statuses = new Map<string, number>();
  return {
    id,
    fault: `${emails} scheduled emails canceled around the time they are due, while workers are killed -9`,
    withinMs: 180_000,
    allowance: { failures: 'unknown' },
    async inject({ testbed, clients, note }) {
      const dueAt = Date.now() + AHEAD_MS;
      const sendAt = new Date(dueAt).toISOString();
      const sends = await Promise.all(
        Array.from({ length: emails }, () => clients.send({ sendAt, respondAsync: true })),
      );
      const canceling = sends.map(async ({ key, responses }, n) => {
        const trackingId = responses.at(-1)!.email!.emailTrackingId;
        await delay(dueAt - SPREAD_MS + (2 * SPREAD_MS * n) / emails - Date.now());
        statuses.set(key, (await clients.api.request(`/api/emails/${trackingId}/cancel`, {})).status);
      });
      await delay(dueAt - Date.now());
      await waitSeconds(0.3);
      await kill(testbed.workers);
      await Promise.all(canceling);
      await start(testbed.workers);
      note(`${countOf(200)} canceled, ${countOf(409)} not`);
    },
    async verify({ testbed, expect }) {
      const rows = await testbed.database.query<{ key: string; status: string }>(
        `select c.metadata ->> 'sendKey' as key, e.status from emails e join email_contents c on c.email_id = e.id
          where c.metadata ->> 'sendKey' = any($1::text[])`,
        [[...statuses.keys()]],
      );
      expect(`all ${emails} got 200 or 409`, countOf(200) + countOf(409) === emails);
      expect('some were canceled', countOf(200) > 0);
      const wrong = rows.filter(({ key, status }) => (status === 'canceled') !== (statuses.get(key) === 200));
      expect(`exactly those with a 200 are canceled: ${JSON.stringify(wrong.slice(0, 3))}`, wrong.length === 0);
    },
  };

  function countOf(status: number): number {
    return [...statuses.values()].filter((each) => each === status).length;
  }
}
