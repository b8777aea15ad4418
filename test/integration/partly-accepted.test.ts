import { listUnknownOutcomes } from '../../src/emails/delivery/unknown-outcomes.js';
import { settleUnknownOutcome, type OutcomeDecision } from '../../src/emails/delivery/settle-unknown-outcome.js';
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

describe('a recipient whose outcome is unknown, and whose second copy the server refuses, although others have the email', () => {
  const listed = () => listUnknownOutcomes(service.database, client.organizationId, 10);

  /**
   * The connection is cut when the second recipient, or both, get the end of the email. The next attempt gets the reply
   * for the second.
   */
  async function refuseAfterDoubt(name: string, reply: string, isDoubtAboutBoth: boolean): Promise<EmailDetail> {
    const [prompt, late] = [`${name}@example.com`, `late-${name}@example.com`];
    if (!isDoubtAboutBoth) service.mailServer.scripts.add(prompt, { phase: 'dot' }, 1);
    service.mailServer.scripts.add(isDoubtAboutBoth ? prompt : late, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    const { path } = await sendPartly(name, isDoubtAboutBoth ? 0 : 1);
    const { id } = await eventually(async () => (await listed()).find(({ to }) => to.includes(late)));
    service.mailServer.scripts.add(late, { phase: 'rcpt', reply }, 1);
    expect(await settleUnknownOutcome(service.database, id, 'resend', () => [URL])).toBe(true);
    return eventually(async () => {
      const now = await read(path);
      return now.status === 'sent' && now;
    });
  }
  const about = (email: EmailDetail) => listed().then((emails) => emails.find(({ id }) => id === email.id));

  it.each([
    ['alone', false],
    ['with the others', true],
  ])('stays listed when it was in doubt %s, until an operator settles it', async (_, isDoubtAboutBoth) => {
    const name = `refused-${isDoubtAboutBoth}`;
    const email = await refuseAfterDoubt(name, '550 5.7.1 Not here', isDoubtAboutBoth);
    const reason = expect.stringMatching(
      /^Delivery outcome unknown: an earlier copy may .*550 5\.7\.1 Not here/,
    ) as string;
    expect(email.recipients[1]).toMatchObject({ state: 'failed', reason });
    expect(await about(email)).toMatchObject({ to: [`late-${name}@example.com`], state: 'sent', reason });
    expect(await settleUnknownOutcome(service.database, email.id, 'sent', () => [URL])).toBe(true);
    expect((await read(`/api/emails/${email.id}`)).recipients[1]).toMatchObject({ state: 'sent', reason: null });
    expect(await about(email)).toBeUndefined();
  });

  it('is settled with the others while these wait for another attempt', async () => {
    const [prompt, late] = ['waiting@example.com', 'late-waiting@example.com'];
    service.mailServer.scripts.add(prompt, { phase: 'dot', fault: 'drop', accepts: true }, 1);
    const { path } = await sendPartly('waiting', 0);
    const { id } = await eventually(async () => (await listed()).find(({ to }) => to.includes(late)));
    service.mailServer.scripts.add(prompt, { phase: 'rcpt', reply: '450 4.2.1 Busy' });
    service.mailServer.scripts.add(late, { phase: 'rcpt', reply: '550 5.7.1 Not here' });
    expect(await settleUnknownOutcome(service.database, id, 'resend', () => [URL])).toBe(true);
    await eventually(async () => (await read(path)).recipients[1]?.state === 'failed');
    await eventually(() => settleUnknownOutcome(service.database, id, 'sent', () => [URL]));
    expect(await read(path)).toMatchObject({ status: 'sent', recipients: [{ state: 'sent' }, { state: 'sent' }] });
    expect((await listed()).map((email) => email.id)).not.toContain(id);
  });

  it('is not in doubt any more if its address does not exist', async () => {
    const email = await refuseAfterDoubt('nobody', '550 5.1.1 No such user', false);
    expect(email.recipients[1]).toMatchObject({
      state: 'bounced',
      reason: expect.stringMatching(/^The SMTP server responded: 550 5\.1\.1/) as string,
    });
    expect(await about(email)).toBeUndefined();
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
