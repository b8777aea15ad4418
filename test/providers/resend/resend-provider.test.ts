import { randomBytes } from 'node:crypto';
import type { ResendProvider } from '../../../src/providers/resend/resend-provider.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { addressesOf, resendError, ResendStub } from '../../support/resend-stub.js';
import { endlessBody } from '../../support/scripted-responses.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { describeCallsWithoutEmail } from '../calls-without-email.js';
import { describeProvider } from '../conformance.js';
import { providerAt, resendBench } from './resend-bench.js';

describeProvider('Resend', resendBench);
describeCallsWithoutEmail('Resend', resendBench);

describe('Resend', () => {
  let stub: ResendStub;
  let provider: ResendProvider;
  beforeEach(async () => {
    stub = await ResendStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  const mailbox = (name: string) => ({ address: `${name}@example.test` });
  const addresses = (names: string[]) => names.map((name) => `${name}@example.test`);
  const keys = () => stub.requests.map(({ headers }) => headers['idempotency-key']);

  it('returns the ID of Resend, and our own if there is none', async () => {
    const email = outgoingEmail();
    expect(await provider.deliver(email, longDeadline(), claimed)).toEqual({
      kind: 'accepted',
      providerId: 're-1',
      response: 'Resend responded with 200, email ID re-1',
    });
    stub.scripts.add('*', { status: 200, body: {} });
    expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ providerId: email.messageId });
  });

  it('counts a call without an email as refused by a 403 after which an email would be retried', async () => {
    stub.scripts.add('*', resendError(403, 'validation_error', 'Not this one'));
    expect((await provider.deliver(outgoingEmail(), longDeadline(), claimed)).kind).toBe('retry');
    expect((await provider.callWithoutEmail(longDeadline())).kind).toBe('refused');
  });

  it('authenticates, passes our ID and the number of recipients, and sends no generated text', async () => {
    const email = outgoingEmail({ text: '', cc: [mailbox('c')] });
    await provider.deliver(email, longDeadline(), claimed);
    const [{ path, headers, body } = {} as never] = stub.requests;
    expect(path).toBe('/emails');
    expect(headers).toMatchObject({ authorization: 'Bearer re_key', 'user-agent': 'mailbeacon' });
    expect(body).toMatchObject({ html: '<p>Hello</p>', text: '', cc: ['c@example.test'] });
    expect(body.tags).toEqual([
      { name: 'mailbeacon_email_id', value: email.emailId },
      { name: 'mailbeacon_recipients', value: '2' },
    ]);
    expect(body.headers).toEqual({ 'Message-ID': `<${email.messageId}>`, 'X-Mailbeacon-Id': email.emailId });
  });

  it('sends the two headers of one-click unsubscription only for mail that has it', async () => {
    const unsubscribeUrl = `https://t.example/api/t/u/${'x'.repeat(500)}`;
    await provider.deliver(outgoingEmail({ unsubscribeUrl }), longDeadline(), claimed);
    expect(stub.requests[0]?.body.headers).toMatchObject({
      'List-Unsubscribe': `<${unsubscribeUrl}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    });
  });

  it('goes to every recipient once', async () => {
    const email = outgoingEmail({
      to: [mailbox('a'), mailbox('A')],
      cc: [mailbox('a'), mailbox('b')],
      bcc: [mailbox('B')],
      envelopeRecipients: addresses(['a', 'b']),
    });
    expect((await provider.deliver(email, longDeadline(), claimed)).kind).toBe('accepted');
    expect(stub.requests[0]?.body).toMatchObject({ to: addresses(['a']), cc: addresses(['b']) });
    expect(stub.requests[0]?.body).not.toHaveProperty('bcc');
  });

  describe('the idempotency key', () => {
    it('makes a repeat after a lost response harmless', async () => {
      const email = outgoingEmail();
      stub.scripts.add(email.emailId, { fault: 'reset', accepts: true }, 1);
      expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ kind: 'ambiguous' });
      const again = await provider.deliver({ ...email, attempt: 2 }, longDeadline(), claimed);
      expect(again).toMatchObject({ kind: 'accepted', providerId: 're-1' });
      expect(stub.messages).toHaveLength(1);
      expect(stub.requests[1]?.body).toEqual(stub.requests[0]?.body);
    });

    it('differs by email and by recipients, but not by their order', async () => {
      const email = outgoingEmail({ to: [mailbox('a'), mailbox('b')], bcc: [mailbox('c')] });
      for (const envelopeRecipients of [
        ['a', 'b', 'c'],
        ['C', 'b', 'a'],
        ['a', 'b'],
        ['a', 'c'],
      ].map(addresses))
        await provider.deliver({ ...email, envelopeRecipients }, longDeadline(), claimed);
      await provider.deliver({ ...email, emailId: 'x'.repeat(200) }, longDeadline(), claimed);
      const [first, second, ...others] = keys();
      expect(second).toBe(first);
      expect(new Set([first, ...others]).size).toBe(4);
      expect(stub.messages).toHaveLength(4);
    });

    it.each(['invalid_idempotent_request', 'concurrent_idempotent_requests'])(
      'leaves the outcome unknown after %s',
      async (name) => {
        const email = outgoingEmail();
        stub.scripts.add(email.emailId, resendError(409, name, 'Same idempotency key'));
        expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ kind: 'ambiguous' });
      },
    );
  });

  it.each([
    [['c', 'd', 'e'], { to: ['c'], bcc: ['d', 'e'] }],
    [['a', 'd'], { to: ['a'], bcc: ['d'] }],
    [['e'], { to: ['e'] }],
  ])('leaves out all but %j, and always has a `to`', async (left, lists) => {
    const email = outgoingEmail({
      to: ['a', 'b'].map(mailbox),
      cc: [mailbox('c')],
      bcc: ['d', 'e'].map(mailbox),
      envelopeRecipients: addresses(left),
    });
    expect(await provider.deliver(email, longDeadline(), claimed)).not.toHaveProperty('recipients');
    const { to, cc, bcc } = stub.requests[0]!.body;
    const expected = Object.fromEntries(Object.entries(lists).map(([name, list]) => [name, addresses(list)]));
    expect({ to, ...(cc && { cc }), ...(bcc && { bcc }) }).toEqual(expected);
  });

  describe('several hidden recipients who are left', () => {
    const hidden = () =>
      outgoingEmail({ bcc: ['d', 'e', 'f'].map(mailbox), envelopeRecipients: addresses(['d', 'e', 'f']) });
    const deliver = (email = hidden()) => provider.deliver(email, longDeadline(), claimed);
    const result = (name: string, state: string) => ({ address: `${name}@example.test`, state });

    it('each get their own message', async () => {
      const email = hidden();
      const outcome = await deliver(email);
      expect(outcome).toMatchObject({ kind: 'accepted', providerId: 're-1' });
      expect(outcome).toHaveProperty(
        'recipients',
        ['d', 'e', 'f'].map((name) => result(name, 'accepted')),
      );
      expect(stub.messages.map(({ body }) => addressesOf(body))).toEqual(
        ['d', 'e', 'f'].map((one) => addresses([one])),
      );
      // A later attempt to one of them is the same call.
      await deliver({ ...email, envelopeRecipients: addresses(['e']) });
      expect(keys()[3]).toBe(keys()[1]);
      expect(stub.messages).toHaveLength(3);
    });

    it('wait for another attempt if the limit is reached between them', async () => {
      stub.scripts.add('e@example.test', resendError(429, 'rate_limit_exceeded', 'Too many requests'), 1);
      expect(await deliver()).toMatchObject({
        kind: 'accepted',
        recipients: [result('d', 'accepted'), result('e', 'deferred'), result('f', 'deferred')],
      });
    });

    it('are refused one by one', async () => {
      stub.scripts.add('d@example.test', resendError(422, 'validation_error', 'Invalid `to` field.'), 1);
      expect(await deliver()).toMatchObject({
        kind: 'accepted',
        recipients: [result('d', 'refused'), result('e', 'accepted'), result('f', 'accepted')],
      });
      stub.scripts.add('*', resendError(422, 'validation_error', 'Invalid `to` field.'));
      expect(await deliver()).toMatchObject({
        kind: 'refused',
        recipients: ['d', 'e', 'f'].map((name) => result(name, 'refused')),
      });
    });

    it('are all in doubt if a response is lost, because a repeat is harmless', async () => {
      stub.scripts.add('e@example.test', { fault: 'reset', accepts: true }, 1);
      const email = hidden();
      expect(await deliver(email)).toMatchObject({ kind: 'ambiguous' });
      expect(await deliver(email)).toMatchObject({ kind: 'accepted' });
      expect(stub.messages).toHaveLength(3);
    });

    it('get nothing if another worker has the email', async () => {
      await provider.deliver(hidden(), longDeadline(), () => Promise.resolve(false));
      expect(stub.messages).toHaveLength(0);
    });
  });

  it('a connection cut during the request means not accepted', async () => {
    const large = outgoingEmail({ attachments: [outgoingAttachment(randomBytes(20_000_000))] });
    stub.scripts.add('*', { fault: 'reset-before-body' }, 1);
    expect(await provider.deliver(large, longDeadline(), claimed)).toMatchObject({ kind: 'retry' });
  });

  it('accepts a status whose body never ends', async () => {
    const email = outgoingEmail();
    const { step, deadline } = endlessBody(200);
    stub.scripts.add(email.emailId, step, 1);
    expect(await provider.deliver(email, deadline, claimed)).toMatchObject({ kind: 'accepted' });
    await eventually(() => stub.openConnections === 0);
  });

  it('includes no key in reasons', async () => {
    const secretive = providerAt(stub.url, 'very-secret');
    stub.apiKey = 'another';
    const outcome = await secretive.deliver(outgoingEmail(), longDeadline(), claimed);
    const reason = 'Resend responded with 401: validation_error: API key is invalid';
    expect(outcome).toEqual({ kind: 'credential-refused', reason });
    await secretive.close();
  });
});
