import { randomUUID } from 'node:crypto';
import { BroadcastRunner } from '../../../src/broadcasts/sending/broadcast-runner.js';
import { BroadcastStep } from '../../../src/broadcasts/sending/broadcast-step.js';
import { BroadcastSteps } from '../../../src/broadcasts/sending/broadcast-steps.js';
import { parkEmails } from '../../../src/broadcasts/sending/parked-emails.js';
import type { WorkListener } from '../../../src/platform/queue/work-notifications.js';
import { insertBacklog, insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { eventually } from '../../support/eventually.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { noSingleSends } from '../../support/single-sends.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('the feeder hears at once of emails that are due again, even if the broadcast makes no more', async () => {
  const { database } = open;
  const { logger } = new CapturedLog('warn', ['worker']);
  const [unused, ignored] = [undefined as never, { count: () => undefined, report: () => undefined } as never];
  const step = new BroadcastStep(unused, unused, unused, noSingleSends);
  const steps = new BroadcastSteps(database, step, unused, ignored, ignored, logger);
  const [id, organizationId] = [randomUUID(), await insertOrganization(database)];
  await database.query(
    `with message as (insert into messages (id, organization_id, subject) values ($1, $2, 'Hi') returning id)
     insert into broadcasts (id, organization_id, message_id, name, sender, status, step_at, recipients, emails)
     select $1, $2, id, 'News', 'news@acme.example', 'sending', now(), 1, 1 from message`,
    [id, organizationId],
  );
  await insertBacklog(database, organizationId, 1);
  await database.query('update pending_emails set broadcast_id = $1', [id]);
  await parkEmails(database, id);
  const listener = { on: () => undefined, stop: () => undefined, idleMs: () => 10 } as unknown as WorkListener;
  const runner = new BroadcastRunner(steps, listener, noSingleSends, logger);
  let heard = 0;
  runner.onEmails = () => void heard++;
  runner.onApplicationBootstrap();
  try {
    await eventually(async () => {
      const due = await database.query('select from pending_emails where due_at <= now()');
      return due.length === 1 && heard === 1;
    });
  } finally {
    await runner.onModuleDestroy();
  }
});
