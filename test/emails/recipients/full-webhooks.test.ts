import { MAX_PENDING } from '../../../src/webhooks/full-endpoints.sql.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import {
  flushReported,
  mailToReportOn,
  readWebhooks,
  reportOf,
  RECIPIENTS,
  type ReportedMail,
} from './reported-mail.js';

const [ann, bob, carol] = RECIPIENTS;
const FILLING = 'EMAIL_SENT';

let open: OpenTestDatabase;
let mail: ReportedMail;
beforeEach(async () => {
  open = await openTestDatabase();
  mail = await mailToReportOn(open.database, 1);
  await flushReported(open.database, [reportOf(mail.emails[0]!.id, ann, 'unsubscribed')]);
});
afterEach(() => open.close());

/** Deliveries that wait for the webhook, with the one that is there already. */
async function fillTo(pending: number): Promise<void> {
  await open.database.query(
    `insert into webhook_deliveries (id, endpoint_id, type, body)
     select gen_random_uuid(), w.id, '${FILLING}', '{"type":"${FILLING}"}' from webhook_endpoints w, generate_series(2, $1::int)`,
    [pending],
  );
}

/** The types of the new deliveries after three changes of mind and the first reports of others. */
async function changeMind(): Promise<{ types: string[]; full: number }> {
  const { id } = mail.emails[0]!;
  const result = await flushReported(open.database, [
    reportOf(id, ann, 'resubscribed'),
    reportOf(id, ann, 'unsubscribed', { at: Date.now() + 1 }),
    reportOf(id, ann, 'resubscribed', { at: Date.now() + 2 }),
    reportOf(id, bob, 'unsubscribed'),
    reportOf(id, carol, 'delivered'),
  ]);
  const types = (await readWebhooks(open.database, mail)).map(({ type }) => type).filter((type) => type !== FILLING);
  return { types: types.sort(), full: result.fullEndpoints };
}

const OF_OTHERS = ['EMAIL_DELIVERED', 'EMAIL_UNSUBSCRIBED', 'EMAIL_UNSUBSCRIBED'];

it('an endpoint with too many pending deliveries gets no repeated changes of mind, but everything else', async () => {
  await fillTo(MAX_PENDING + 1);
  expect(await changeMind()).toEqual({ types: OF_OTHERS, full: 1 });
});

it('an endpoint with as many pending deliveries as are allowed gets them all', async () => {
  await fillTo(MAX_PENDING);
  const all = ['EMAIL_RESUBSCRIBED', 'EMAIL_RESUBSCRIBED', 'EMAIL_UNSUBSCRIBED', ...OF_OTHERS].sort();
  expect(await changeMind()).toEqual({ types: all, full: 0 });
});
