import { randomUUID } from 'node:crypto';
import { BroadcastStep } from '../../../src/broadcasts/sending/broadcast-step.js';
import { BroadcastSteps } from '../../../src/broadcasts/sending/broadcast-steps.js';
import { insertOrganization } from '../../support/backlog.js';
import { CapturedLog } from '../../support/captured-log.js';
import { interruptOnce } from '../../support/interrupted-once.js';
import { openTestDatabase, type OpenTestDatabase } from '../../support/test-database.js';
import { noSingleSends } from '../../support/single-sends.js';

let open: OpenTestDatabase;
beforeAll(async () => void (open = await openTestDatabase(2)));
afterAll(() => open?.close());

it('a broadcast whose step is the victim of a deadlock goes on at once', async () => {
  const { database } = open;
  const log = new CapturedLog('warn', ['worker']);
  const [unused, ignored] = [undefined as never, { count: () => undefined, report: () => undefined } as never];
  const step = new BroadcastStep(unused, unused, unused, noSingleSends);
  const steps = new BroadcastSteps(database, step, unused, ignored, ignored, log.logger);
  const id = randomUUID();
  const [broadcast] = await database.query<{ stepAt: Date }>(
    `with message as (insert into messages (id, organization_id, subject) values ($1, $2, 'Hi') returning id)
     insert into broadcasts (id, organization_id, message_id, name, sender, status, step_at)
     select $1, $2, id, 'News', 'news@acme.example', 'canceled', now() - interval '1 minute' from message
     returning step_at as "stepAt"`,
    [id, await insertOrganization(database)],
  );
  await interruptOnce(database, 'update on broadcasts', '40P01');
  const stepAt = () => database.query('select step_at as "stepAt" from broadcasts');
  await expect(steps.next()).rejects.toMatchObject({ code: '40P01' });
  expect(await stepAt()).toEqual([broadcast]);
  for (let step = 0; step < 10 && (await steps.next()).nextInMs === 0; step++);
  expect(await stepAt()).toEqual([{ stepAt: null }]);
  expect(log.text).toBe('');
});
