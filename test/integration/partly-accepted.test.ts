import {
  listUnknownOutcomes,
  settleUnknownOutcome,
  type OutcomeDecision,
} from '../../src/emails/delivery/unknown-outcomes.js';
import type { SendResponse } from '../../src/emails/accept/send-response.js';
import type { EmailDetail } from '../../src/emails/read/email-detail.js';
import { eventually } from '../support/eventually.js';
import { TestService, type TestClient } from '../support/service.js';

const URL = 'https://acme.example/offer';

let service: TestService;
let client: TestClient;
beforeAll(async () => {
  service = await TestService.start();
  client = await service.organization();
});
afterAll(() => service?.stop());

/** Sends an email that the server accepts for the first recipient and defers for the second, so often. */
async function sendPartly(name: string, times?: number): Promise<{ path: string; late: string }> {
  const late = `late-${name}@example.com`;
  service.mailServer.scripts.add(late, { phase: 'rcpt', reply: '450 4.2.1 Busy' }, times);
  const { body } = await client.post<SendResponse>(
    '/api/send',
    {
      from: 'ada@acme.example',
      to: [`${name}@example.com`, late],
      subject: 'x',
      htmlContent: `<a href="${URL}">x</a>`,
    },
    { prefer: 'respond-async' },
  );
  await eventually(() =>
    service.mailServer.messages.some(({ recipients }) => recipients.includes(`${name}@example.com`)),
  );
  return { path: `/api/emails/${body.emailTrackingId}`, late };
}

const read = async (path: string): Promise<EmailDetail> => (await client.get<EmailDetail>(path)).body;
const urlsOf = ({ links }: EmailDetail): string[] => links.map(({ originalUrl }) => originalUrl);

describe('an email that one recipient has and another will get later', () => {
  it('has its links meanwhile', async () => {
    const { path } = await sendPartly('prompt');
    const email = await eventually(async () => {
      const now = await read(path);
      return now.status === 'queued' && now.recipients.some(({ state }) => state === 'sent') && now;
    });
    expect(urlsOf(email)).toEqual([URL]);
  });

  it('keeps them when the other one is suppressed and it therefore counts as sent', async () => {
    const { path, late } = await sendPartly('quick');
    await client.post('/api/suppressions', { address: late });
    const email = await eventually(async () => {
      const now = await read(path);
      return now.status === 'sent' && now;
    });
    expect(urlsOf(email)).toEqual([URL]);
  });
});

describe('an email that one recipient has, while the outcome for the other one is unknown', () => {
  /** The connection is cut when the second recipient gets the end of the email. */
  async function settleAs(verdict: OutcomeDecision): Promise<EmailDetail> {
    const late = `late-doubt-${verdict}@example.com`;
    service.mailServer.scripts.add(`doubt-${verdict}@example.com`, { phase: 'dot' }, 1);
    service.mailServer.scripts.add(late, { phase: 'dot', fault: 'drop' });
    const { path } = await sendPartly(`doubt-${verdict}`, 1);
    const { id } = await eventually(async () => {
      const doubtful = await listUnknownOutcomes(service.database, client.organizationId, 10);
      return doubtful.find(({ to }) => to.includes(late));
    });
    expect(await settleUnknownOutcome(service.database, id, verdict, () => [URL])).toBe(true);
    return read(path);
  }
  const statesOf = ({ recipients }: EmailDetail): string[] => recipients.map(({ state }) => state);

  it('counts as sent to both when an operator settles it so', async () => {
    const email = await settleAs('sent');
    expect([email.status, ...statesOf(email)]).toEqual(['sent', 'sent', 'sent']);
  });

  it('still counts as sent to the first when an operator settles it as not delivered', async () => {
    const email = await settleAs('failed');
    expect([email.status, ...statesOf(email)]).toEqual(['sent', 'sent', 'failed']);
    expect(urlsOf(email)).toEqual([URL]);
  });
});
