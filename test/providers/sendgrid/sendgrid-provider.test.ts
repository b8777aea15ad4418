import type { SendGridProvider } from '../../../src/providers/sendgrid/sendgrid-provider.js';
import { outgoingEmail } from '../../support/outgoing-email.js';
import { endlessBody, type ScriptedStep } from '../../support/scripted-responses.js';
import { SendGridStub } from '../../support/sendgrid-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { describeCallsWithoutEmail } from '../calls-without-email.js';
import { describeProvider } from '../conformance.js';
import { providerAt, sendGridBench } from './sendgrid-bench.js';

describeProvider('SendGrid', sendGridBench);
describeCallsWithoutEmail('SendGrid', sendGridBench);

describe('SendGrid', () => {
  let stub: SendGridStub;
  let provider: SendGridProvider;
  beforeEach(async () => {
    stub = await SendGridStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  async function outcomeOf(...scripted: ScriptedStep[]): Promise<unknown> {
    const email = outgoingEmail();
    for (const step of scripted) stub.scripts.add(email.emailId, step, 1);
    return provider.deliver(email, longDeadline(), claimed);
  }

  it('returns the X-Message-Id of SendGrid as the ID, and our own if there is none', async () => {
    const email = outgoingEmail();
    expect(await provider.deliver(email, longDeadline(), claimed)).toEqual({
      kind: 'accepted',
      providerId: 'sg-1',
      response: 'SendGrid responded with 202, message ID sg-1',
    });
    stub.scripts.add('*', { status: 202 });
    expect(await provider.deliver(email, longDeadline(), claimed)).toEqual({
      kind: 'accepted',
      providerId: email.messageId,
      response: 'SendGrid responded with 202',
    });
  });

  it('authenticates, passes our ID and attempt, and disables tracking by SendGrid', async () => {
    const email = outgoingEmail({ attempt: 7 });
    await provider.deliver(email, longDeadline(), claimed);
    const [request] = stub.requests;
    expect(request).toMatchObject({ emailId: email.emailId, attempt: 7 });
    expect(request?.headers.authorization).toBe('Bearer SG.key');
    expect(request?.body.custom_args?.['mailbeacon_message_id']).toBe(email.messageId);
    expect(request?.body.tracking_settings).toEqual({
      click_tracking: { enable: false, enable_text: false },
      open_tracking: { enable: false },
      subscription_tracking: { enable: false },
      ganalytics: { enable: false },
    });
  });

  it('sends the two headers of one-click unsubscription only for mail that has it', async () => {
    const unsubscribeUrl = `https://t.example/api/t/u/${'x'.repeat(500)}`;
    await provider.deliver(outgoingEmail({ unsubscribeUrl }), longDeadline(), claimed);
    await provider.deliver(outgoingEmail(), longDeadline(), claimed);
    const [withIt, without] = stub.requests.map(({ body }) => body.headers);
    expect(withIt).toMatchObject({
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
    expect(Object.keys(without ?? {})).toEqual(['Message-ID']);
  });

  it('goes to every recipient once', async () => {
    const email = outgoingEmail({
      to: [{ address: 'a@example.test' }, { address: 'A@example.test' }],
      cc: [{ address: 'a@example.test' }, { address: 'b@example.test' }],
      bcc: [{ address: 'B@example.test' }],
      envelopeRecipients: ['a@example.test', 'b@example.test'],
    });
    expect((await provider.deliver(email, longDeadline(), claimed)).kind).toBe('accepted');
    expect(stub.requests[0]?.body.personalizations).toEqual([
      { to: [{ email: 'a@example.test' }], cc: [{ email: 'b@example.test' }] },
    ]);
  });

  it.each([
    [['c', 'd', 'e'], [{ to: ['c'], bcc: ['d', 'e'] }]],
    [['a', 'd'], [{ to: ['a'], bcc: ['d'] }]],
    // Recipients in bcc must not see each other.
    [
      ['d', 'e'],
      [{ to: ['d'] }, { to: ['e'] }],
    ],
  ])('leaves out all but %j, and always has a `to`', async (left, expected) => {
    const mailbox = (name: string) => ({ address: `${name}@example.test` });
    const email = outgoingEmail({
      to: ['a', 'b'].map(mailbox),
      cc: ['c'].map(mailbox),
      bcc: ['d', 'e'].map(mailbox),
      envelopeRecipients: left.map((name) => `${name.toUpperCase()}@example.test`),
    });
    await provider.deliver(email, longDeadline(), claimed);
    const addressees = expected.map((lists) =>
      Object.fromEntries(
        Object.entries(lists).map(([name, list]) => [name, list.map((one) => ({ email: `${one}@example.test` }))]),
      ),
    );
    expect(stub.requests[0]?.body.personalizations).toEqual(addressees);
  });

  it('sends no empty text part', async () => {
    await provider.deliver(outgoingEmail({ text: '' }), longDeadline(), claimed);
    expect(stub.requests[0]?.body.content).toEqual([{ type: 'text/html', value: '<p>Hello</p>' }]);
  });

  it('a connection cut during the request means not accepted; after it, the outcome is unknown', async () => {
    const large = outgoingEmail({ html: 'x'.repeat(20_000_000) });
    stub.scripts.add('*', { fault: 'reset-before-body' }, 1);
    expect(await provider.deliver(large, longDeadline(), claimed)).toMatchObject({ kind: 'retry' });
    expect(await outcomeOf({ fault: 'reset' })).toMatchObject({ kind: 'ambiguous' });
    expect(await outcomeOf({ fault: 'close' })).toMatchObject({ kind: 'ambiguous' });
  });

  it('accepts a status whose body never ends', async () => {
    const email = outgoingEmail();
    const [accepted, refused] = [endlessBody(202), endlessBody(400)];
    for (const { step } of [accepted, refused]) stub.scripts.add(email.emailId, step, 1);
    expect(await provider.deliver(email, accepted.deadline, claimed)).toMatchObject({
      kind: 'accepted',
      providerId: 'sg-drip',
    });
    expect(await provider.deliver(email, refused.deadline, claimed)).toMatchObject({ kind: 'refused' });
    await eventually(() => stub.openConnections === 0);
  });

  it('does not wait for such a body until the deadline', async () => {
    const email = outgoingEmail();
    // The bytes of 15 seconds, three times as long as a body may take. A busy machine sends fewer in that time.
    const { step, deadline } = endlessBody(202, 3_000);
    stub.scripts.add(email.emailId, step);
    expect(await provider.deliver(email, deadline, claimed)).toMatchObject({ kind: 'accepted', providerId: 'sg-drip' });
    expect(deadline.aborted).toBe(false);
    await eventually(() => stub.openConnections === 0);
  });

  it('reports an acceptance after the deadline as ambiguous', async () => {
    const email = outgoingEmail();
    let accept = (): void => undefined;
    const after = new Promise<void>((resolve) => (accept = resolve));
    stub.scripts.add(email.emailId, { status: 202, after });
    const deadline = new AbortController();
    const delivery = provider.deliver(email, deadline.signal, claimed);
    await eventually(() => stub.requests.length === 1);
    deadline.abort();
    expect(await delivery).toMatchObject({ kind: 'ambiguous' });
    accept();
    expect(stub.messages).toHaveLength(1);
  });

  it('retries when the name does not resolve', async () => {
    const lost = providerAt('http://no-such-host.invalid');
    const outcome = await lost.deliver(outgoingEmail(), longDeadline(), claimed);
    const reason = expect.stringMatching(/ENOTFOUND|EAI_AGAIN/);
    expect(outcome).toEqual({ kind: 'retry', reason, unreachable: true });
  });

  it('retries when the TLS handshake fails', async () => {
    const plain = providerAt(stub.url.replace('http:', 'https:'));
    expect(await plain.deliver(outgoingEmail(), longDeadline(), claimed)).toMatchObject({ kind: 'retry' });
    await plain.close();
  });

  it('retries if its key is invalid in a header', async () => {
    const misconfigured = providerAt(stub.url, 'SG.key\n');
    expect(await misconfigured.deliver(outgoingEmail(), longDeadline(), claimed)).toMatchObject({ kind: 'retry' });
    expect(stub.requests).toHaveLength(0);
  });

  it('includes no key in reasons', async () => {
    const secretive = providerAt(stub.url, 'SG.very-secret');
    stub.apiKey = 'SG.another';
    const outcome = await secretive.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome.kind).toBe('credential-refused');
    expect(JSON.stringify(outcome)).not.toContain('very-secret');
    await secretive.close();
  });
});
