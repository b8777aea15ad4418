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

describe('with AMBIGUOUS_SEND=hold, an email that one recipient has, while the outcome for the other one is unknown', () => {
  let holding: TestService;
  beforeAll(async () => {
    holding = await TestService.start({ environment: { AMBIGUOUS_SEND: 'hold' } });
  });
  afterAll(() => holding?.stop());

  async function doubt(name: string): Promise<{ id: string; late: string; read: () => Promise<EmailDetail> }> {
    const owner = await holding.organization();
    const late = `late-${name}@example.com`;
    holding.mailServer.scripts.add(late, { phase: 'rcpt', reply: '450 4.2.1 Busy' }, 1);
    holding.mailServer.scripts.add(`first-${name}@example.com`, { phase: 'dot' }, 1);
    holding.mailServer.scripts.add(late, { phase: 'dot', fault: 'drop' });
    const fields = { from: 'ada@acme.example', to: [`first-${name}@example.com`, late], subject: 'x' };
    const accepted = await owner.post<SendResponse>(
      '/api/send',
      { ...fields, htmlContent: `<a href="${URL}">x</a>` },
      { prefer: 'respond-async' },
    );
    const read = async () => (await owner.get<EmailDetail>(`/api/emails/${accepted.body.emailTrackingId}`)).body;
    const email = await eventually(async () => {
      const now = await read();
      return now.status === 'sent' && now;
    });
    return { id: email.id, late, read };
  }
  const listed = () => listUnknownOutcomes(holding.database, null, 10);
  const settle = (id: string, verdict: OutcomeDecision) =>
    settleUnknownOutcome(holding.database, id, verdict, () => [URL]);

  it('counts as sent, and is listed with the recipient in doubt', async () => {
    const { id, late, read } = await doubt('listed');
    expect((await listed()).find((email) => email.id === id)).toMatchObject({
      ...{ to: [late], subject: 'x', state: 'sent', resendAt: null },
      reason: expect.stringMatching(/^Delivery outcome unknown/) as string,
    });
    expect((await read()).recipients).toMatchObject([{ state: 'sent' }, { address: late, state: 'failed' }]);
  });

  it.each([
    ['sent', 'sent', null],
    ['failed', 'failed', 'Settled by an operator as not delivered'],
  ] as const)('has that recipient as %s once an operator settles it so', async (verdict, state, reason) => {
    const { id, late, read } = await doubt(verdict);
    expect(await settle(id, verdict)).toBe(true);
    expect((await read()).recipients).toMatchObject([{ state: 'sent' }, { address: late, state, reason }]);
    expect((await listed()).map((email) => email.id)).not.toContain(id);
    expect(await settle(id, verdict)).toBe(false);
  });

  it('is not resent, because it counts as sent', async () => {
    const { id, late } = await doubt('resend');
    expect(await settle(id, 'resend')).toBe(false);
    expect((await listed()).find((email) => email.id === id)?.to).toEqual([late]);
  });
});
