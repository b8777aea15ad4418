import { DeliveryState } from '../../../src/emails/delivery/delivery-state.js';
import type { Database } from '../../../src/platform/database/database.js';
import { WebhookOutbox } from '../../../src/webhooks/webhook-outbox.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { dispatchEmails, leaseOn } from '../dispatch/dispatched-emails.js';

let database: Database;
let state: DeliveryState;
let emailId: string;
let opened: OpenTestDatabase;

beforeEach(async () => {
  opened = await openTestDatabase();
  ({ database } = opened);
  state = new DeliveryState(database, new WebhookOutbox());
  emailId = (await dispatchEmails(database, 1))[0]!;
});

afterEach(() => opened.close());

describe('a run that fails before its claim', () => {
  it('is counted, and delays its email', async () => {
    await state.recordCrash(emailId, 60_000);
    const [row] = await database.query(
      `select crashes, generation, dispatched_at, due_at > now() as waits from pending_emails where email_id = $1`,
      [emailId],
    );
    expect(row).toEqual({ crashes: 1, generation: 1, dispatched_at: null, waits: true });
    expect(await state.claim(leaseOn(emailId), 1)).toBeUndefined();
  });

  it('delays twice as long each time, and never less than the delay before', async () => {
    const dueInMs = async (): Promise<number> => {
      const [row] = await database.query<{ ms: number }>(
        'select extract(epoch from due_at - now())::float8 * 1000 as ms from pending_emails where email_id = $1',
        [emailId],
      );
      return row!.ms;
    };
    const waits: number[] = [];
    for (let run = 0; run < 3; run++) {
      await state.recordCrash(emailId, 10_000);
      waits.push(Math.round((await dueInMs()) / 10_000));
    }
    expect(waits).toEqual([1, 2, 4]);
    await database.query(`update pending_emails set due_at = now() + interval '10 min' where email_id = $1`, [emailId]);
    await state.recordCrash(emailId, 10_000);
    expect(await dueInMs()).toBeGreaterThan(590_000);
  });
});
