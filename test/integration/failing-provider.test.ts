import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { SendingStateView } from '../../src/emails/sending-state/sending-state.js';
import { bringForward } from '../support/bring-forward.js';
import { eventually } from '../support/eventually.js';
import { SendGridStub } from '../support/sendgrid-stub.js';
import { TestService, type TestClient } from '../support/service.js';
import { throughSendGrid } from '../support/through-sendgrid.js';

const CONCURRENCY = 5;
const EMAILS = 40;
/** Pauses take 10 to 60 seconds. */
const PAUSE_ENDS_MS = 120_000;

let sendGrid: SendGridStub;
let service: TestService;
let client: TestClient;

beforeAll(async () => {
  sendGrid = await SendGridStub.listen();
  const settings = { WORKER_CONCURRENCY: String(CONCURRENCY), SEND_RESPONSE_TIMEOUT_MS: '0' };
  service = await TestService.start({ environment: { ...throughSendGrid(sendGrid), ...settings } });
  client = await service.organization();
});
afterAll(async () => {
  await service?.stop();
  await sendGrid?.close();
});

async function send(to: string): Promise<string> {
  const email = { from: 'a@acme.example', to, subject: 'S', htmlContent: '<p>x</p>' };
  return (await client.post<SendResponse>('/api/send', email)).body.emailTrackingId;
}
const detail = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;
/**
 * One after the other: of many reads at once, a busy machine refuses those that wait for their turn for five seconds.
 */
async function details(ids: readonly string[]): Promise<EmailDetail[]> {
  const read: EmailDetail[] = [];
  for (const id of ids) read.push(await detail(id));
  return read;
}

it('passes no email while even calls without one have no known outcome', async () => {
  sendGrid.scripts.add('*', { status: 502, body: 'Bad gateway' });
  for (let n = 0; n < 5; n++) await send(`first-${n}@example.com`);
  const state = async () => (await client.get<SendingStateView>('/api/sending')).body.provider.state;
  await eventually(async () => (await state()) === 'failing');
  const { length: passed } = sendGrid.requests;
  const { played } = sendGrid.scripts;
  const id = await send('later@example.com');
  // The pause of ten seconds ends, and the email asks for its turn.
  await eventually(async () => {
    await bringForward(service.database, client.organizationId, 180_000);
    return sendGrid.scripts.played > played;
  }, PAUSE_ENDS_MS);
  await eventually(async () => (await state()) === 'failing');
  expect(sendGrid.requests).toHaveLength(passed);
  sendGrid.scripts.clear();
  await eventually(async () => {
    await bringForward(service.database, client.organizationId, 180_000);
    return (await detail(id)).status === 'sent' && (await state()) === 'available';
  }, PAUSE_ENDS_MS);
});

it('fails no email and leaves few in doubt while the provider leaves open whether it accepts them', async () => {
  const before = sendGrid.requests.length;
  sendGrid.scripts.add('*', { status: 500, body: { errors: [] } });
  const ids = await Promise.all(Array.from({ length: EMAILS }, (_, number) => send(`reader-${number}@example.com`)));
  const state = async () => (await client.get<SendingStateView>('/api/sending')).body.provider.state;
  await eventually(async () => (await state()) === 'failing');
  // The calls that were under way.
  expect(sendGrid.requests.length - before).toBeLessThanOrEqual(2 * CONCURRENCY);
  await eventually(async () => (await details(ids)).every(({ status }) => status === 'queued'));
  sendGrid.scripts.clear();
  await eventually(async () => {
    await bringForward(service.database, client.organizationId, 180_000);
    return (await details(ids)).every(({ status }) => status === 'sent');
  }, PAUSE_ENDS_MS);
  const flagged = (await details(ids)).filter(({ possibleDuplicate }) => possibleDuplicate);
  expect(flagged.length).toBeLessThanOrEqual(2 * CONCURRENCY);
  expect(await state()).toBe('available');
});
