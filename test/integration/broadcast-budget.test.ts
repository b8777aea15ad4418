import type { UsageView } from '../../src/organizations/budgets/usage.js';
import { BroadcastClient, people } from '../support/broadcast-client.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const DAY_MS = 86_400_000;
const LIMIT = 7;
const startMs = Date.now();
/** Starts at noon in UTC. */
let offsetMs = DAY_MS / 2 - (startMs % DAY_MS);
const clock = { now: () => Date.now() + offsetMs };

let service: TestService;
let client: TestClient;
let broadcasts: BroadcastClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { BUDGET_EMAILS_PER_DAY: `free=${LIMIT}` }, clock });
});
beforeEach(async () => {
  client = await service.organization('free');
  broadcasts = new BroadcastClient(client);
});
afterAll(() => service?.stop());

const used = async () => (await client.get<UsageView>('/api/usage')).body.budgets.emailsPerDay.used;
const midnight = () => new Date(clock.now() - (clock.now() % DAY_MS) + DAY_MS).toISOString();
const started = async (recipients: number): Promise<string> => {
  const id = await broadcasts.create();
  await broadcasts.add(id, people(recipients));
  await broadcasts.move(id, 'send');
  return id;
};
const waiting = (id: string) =>
  eventually(async () => {
    const broadcast = await broadcasts.read(id);
    return broadcast.waitsUntil !== null && broadcast.progress.sent === LIMIT && broadcast;
  }, 15_000);
/** Moves the last step a minute back, so that the next one is due. */
const makeStepDue = (id: string) => service.database.query('update broadcasts set step_at = now() where id = $1', [id]);

describe('a broadcast over its budget waits until the budget renews, and reports that', () => {
  it('sends what the budget of the day allows, then the rest after midnight', async () => {
    const id = await started(LIMIT + 3);
    const { status, waitsUntil, progress } = await waiting(id);
    expect({ status, waitsUntil }).toEqual({ status: 'sending', waitsUntil: midnight() });
    expect(progress).toMatchObject({ total: LIMIT + 3, queued: 3, sent: LIMIT });
    await eventually(async () => (await used()) === LIMIT);
    const single = { from: 'a@acme.example', to: 'ada@example.com', subject: 'S', htmlContent: 'x' };
    expect((await client.post('/api/send', single)).status).toBe(429);

    offsetMs += DAY_MS;
    await makeStepDue(id);
    const sent = await broadcasts.settled(id, 'sent');
    expect(sent).toMatchObject({ waitsUntil: null, progress: { sent: LIMIT + 3, failed: 0 } });
    await eventually(async () => (await used()) === 3);
  });

  it('is charged for recipients who get an email, not for those who are suppressed by then', async () => {
    const id = await broadcasts.create();
    await broadcasts.add(id, people(3));
    await client.post('/api/suppressions', { address: people(1)[0]!.to });
    await broadcasts.move(id, 'send');
    expect((await broadcasts.settled(id, 'sent')).progress).toMatchObject({ sent: 2, suppressed: 1 });
    await eventually(async () => (await used()) === 2);
  });

  it('can be paused, resumed and canceled while it waits', async () => {
    const id = await started(LIMIT + 3);
    await waiting(id);
    expect((await broadcasts.move(id, 'pause')).is).toBe('paused');
    expect((await broadcasts.read(id)).waitsUntil).toBeNull();
    expect((await broadcasts.move(id, 'resume')).is).toBe('sending');
    await waiting(id);
    expect((await broadcasts.move(id, 'cancel')).is).toBe('canceled');
    const canceled = await broadcasts.settled(id, 'canceled');
    expect(canceled.progress).toMatchObject({ sent: LIMIT, canceled: 3 });
  });

  it('continues once a new plan allows more', async () => {
    const id = await started(LIMIT + 3);
    await waiting(id);
    await service.database.query(`update organizations set plan = 'pro' where id = $1`, [client.organizationId]);
    await makeStepDue(id);
    expect(await broadcasts.settled(id, 'sent')).toMatchObject({ progress: { sent: LIMIT + 3 } });
  });
});
