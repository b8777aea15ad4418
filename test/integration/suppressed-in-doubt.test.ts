import type { SendResponse } from '../../src/emails/accept/send-response.js';
import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const SETTLED_AS_FAILED = 'Settled by an operator as not delivered';

let service: TestService;
let client: TestClient;
let made = 0;
beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(() => service?.stop());

const listed = () => listUnknownOutcomes(service.database, client.organizationId, 10);
const settle = (id: string, verdict: OutcomeDecision) => settleUnknownOutcome(service.database, id, verdict, () => []);
const read = async (id: string) => (await client.get<EmailDetail>(`/api/emails/${id}`)).body;

interface InDoubt {
  readonly id: string;
  readonly prompt: string;
  readonly late: string;
}

/**
 * The connection is cut when both recipients get the end of the email, or when only the second one gets it, in a later
 * attempt. Then the second is suppressed.
 */
async function suppressInDoubt(isDoubtAboutBoth: boolean): Promise<InDoubt> {
  const [prompt, late] = [`prompt-${++made}@example.com`, `late-${made}@example.com`];
  const { scripts } = service.mailServer;
  if (!isDoubtAboutBoth) {
    scripts.add(late, { phase: 'rcpt', reply: '450 4.2.1 Busy' }, 1);
    scripts.add(prompt, { phase: 'dot' }, 1);
  }
  scripts.add(isDoubtAboutBoth ? prompt : late, { phase: 'dot', fault: 'drop', accepts: true }, 1);
  const email = { from: 'ada@acme.example', to: [prompt, late], subject: 'x', htmlContent: '<p>x</p>' };
  await client.post<SendResponse>('/api/send', email, { prefer: 'respond-async' });
  const { id } = await eventually(async () => (await listed()).find(({ to }) => to.includes(late)));
  expect((await client.post('/api/suppressions', { address: late })).status).toBe(201);
  return { id, prompt, late };
}

async function resend({ id }: InDoubt): Promise<EmailDetail> {
  expect(await settle(id, 'resend')).toBe(true);
  return eventually(async () => {
    const email = await read(id);
    return email.status === 'sent' && email;
  });
}

const reason = expect.stringMatching(
  /^Delivery outcome unknown: an earlier copy may .*: The address is suppressed: manual$/,
) as string;

describe('a recipient in doubt who is suppressed before the second copy, although others have the email', () => {
  it.each([
    ['with the others', 'sent', null],
    ['alone', 'sent', null],
    ['with the others', 'failed', SETTLED_AS_FAILED],
    ['alone', 'failed', SETTLED_AS_FAILED],
  ] as const)(
    'stays listed when it was in doubt %s, until an operator settles it as %s',
    async (who, verdict, told) => {
      const doubt = await suppressInDoubt(who === 'with the others');
      const email = await resend(doubt);
      expect(email.recipients).toMatchObject([{ state: 'sent' }, { state: 'suppressed', reason }]);
      const ofEmail = (await listed()).filter(({ id }) => id === doubt.id);
      expect(ofEmail).toMatchObject([{ to: [doubt.late], state: 'sent', reason }]);
      expect(await settle(doubt.id, verdict)).toBe(true);
      expect((await read(doubt.id)).recipients).toMatchObject([{ state: 'sent' }, { state: verdict, reason: told }]);
      expect((await listed()).map(({ id }) => id)).not.toContain(doubt.id);
      expect(await settle(doubt.id, verdict)).toBe(false);
    },
  );

  it('is settled with the others while these wait for another attempt, or have failed', async () => {
    const [waiting, failed] = [await suppressInDoubt(true), await suppressInDoubt(true)];
    service.mailServer.scripts.add(waiting.prompt, { phase: 'rcpt', reply: '450 4.2.1 Busy' });
    service.mailServer.scripts.add(failed.prompt, { phase: 'rcpt', reply: '554 5.7.1 Not here' });
    for (const [{ id, late }, state] of [
      [waiting, 'waiting'],
      [failed, 'failed'],
    ] as const) {
      expect(await settle(id, 'resend')).toBe(true);
      await eventually(async () => {
        const email = (await listed()).find((one) => one.id === id);
        return email?.state === state && (await read(id)).recipients[1]?.state === 'suppressed';
      });
      await eventually(() => settle(id, 'failed'));
      const { recipients } = await read(id);
      expect(recipients[1]).toMatchObject({ address: late, state: 'failed', reason: SETTLED_AS_FAILED });
    }
  });
});
