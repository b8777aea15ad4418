import { randomBytes } from 'node:crypto';
import type { MailgunProvider } from '../../../src/providers/mailgun/mailgun-provider.js';
import { MailgunStub } from '../../support/mailgun-stub.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { endlessBody } from '../../support/scripted-responses.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { describeCallsWithoutEmail } from '../calls-without-email.js';
import { describeProvider } from '../conformance.js';
import { toArrival } from '../mime-arrival.js';
import { mailgunBench, providerAt } from './mailgun-bench.js';

describeProvider('Mailgun', mailgunBench);
describeCallsWithoutEmail('Mailgun', mailgunBench);

describe('Mailgun', () => {
  let stub: MailgunStub;
  let provider: MailgunProvider;
  beforeEach(async () => {
    stub = await MailgunStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  const mailbox = (name: string) => ({ address: `${name}@example.test` });

  it('returns the ID of Mailgun without brackets, and our own if there is none', async () => {
    const email = outgoingEmail();
    expect(await provider.deliver(email, longDeadline(), claimed)).toEqual({
      kind: 'accepted',
      providerId: 'mg-1@mg.example',
      response: 'Mailgun responded with 200: Queued. Thank you.',
    });
    stub.scripts.add('*', { status: 200, body: { message: 'Queued. Thank you.' } });
    expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ providerId: email.messageId });
  });

  it('authenticates, names its domain, passes our IDs and disables tracking by Mailgun', async () => {
    const email = outgoingEmail({ attempt: 7 });
    await provider.deliver(email, longDeadline(), claimed);
    const [{ path, headers, fields } = {} as never] = stub.requests;
    expect(path).toBe('/v3/mg.example.test/messages.mime');
    expect(headers.authorization).toBe(`Basic ${btoa('api:key-1')}`);
    expect(Object.fromEntries(fields)).toEqual({
      to: 'reader@example.test',
      'o:tracking': 'no',
      'o:tracking-clicks': 'no',
      'o:tracking-opens': 'no',
      'v:mailbeacon_email_id': email.emailId,
      'v:mailbeacon_attempt': '7',
      'v:mailbeacon_message_id': email.messageId,
    });
  });

  it('sends the two headers of one-click unsubscription only for mail that has it, and no return path', async () => {
    const unsubscribeUrl = `https://t.example/api/t/u/${'x'.repeat(500)}`;
    const returnPath = 'b+token@bounces.example.test';
    await provider.deliver(outgoingEmail({ unsubscribeUrl, returnPath }), longDeadline(), claimed);
    await provider.deliver(outgoingEmail(), longDeadline(), claimed);
    const [withIt, without] = await Promise.all(stub.messages.map(toArrival));
    expect(withIt?.headers.get('list-unsubscribe')).toBe(`<${unsubscribeUrl}>`);
    expect(withIt?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(without?.headers.has('list-unsubscribe')).toBe(false);
    expect(stub.messages[0]?.content.toString()).not.toContain(returnPath);
  });

  it('reaches only the recipients who are left, shows all of to and cc, and hides those of bcc', async () => {
    const email = outgoingEmail({
      to: ['a', 'b'].map(mailbox),
      cc: [mailbox('c')],
      bcc: ['d', 'e'].map(mailbox),
      envelopeRecipients: ['d@example.test', 'e@example.test', 'd@example.test'],
    });
    await provider.deliver(email, longDeadline(), claimed);
    const [request] = stub.requests;
    expect(request?.recipients).toEqual(['d@example.test', 'e@example.test']);
    expect(await toArrival(request!)).toMatchObject({ to: email.to, cc: email.cc });
    expect(request?.content.toString()).not.toMatch(/[de]@example\.test/);
  });

  it.each([0, 1, 2, 3, 56, 57, 58, 114, 6_000])(
    'knows the length of a message with %i attached bytes',
    async (size) => {
      const bytes = randomBytes(size);
      const image = { contentId: 'logo@acme', contentType: 'image/png' };
      const attachments = [outgoingAttachment(bytes), outgoingAttachment(bytes, image), outgoingAttachment(bytes)];
      expect((await provider.deliver(outgoingEmail({ attachments }), longDeadline(), claimed)).kind).toBe('accepted');
      const arrival = await toArrival(stub.messages[0]!);
      expect(arrival.attachments.map((one) => one.bytes.equals(bytes))).toEqual([true, true, true]);
      expect(
        stub.messages[0]?.content
          .toString()
          .split('\r\n')
          .every((line) => line.length <= 998),
      ).toBe(true);
    },
  );

  it('a connection cut during the request means not accepted; after it, the outcome is unknown', async () => {
    const large = outgoingEmail({ attachments: [outgoingAttachment(randomBytes(20_000_000))] });
    stub.scripts.add('*', { fault: 'reset-before-body' }, 1);
    expect(await provider.deliver(large, longDeadline(), claimed)).toMatchObject({ kind: 'retry' });
    const email = outgoingEmail();
    stub.scripts.add(email.emailId, { fault: 'close' }, 1);
    expect(await provider.deliver(email, longDeadline(), claimed)).toMatchObject({ kind: 'ambiguous' });
  });

  it('accepts a status whose body never ends', async () => {
    const email = outgoingEmail();
    const { step, deadline } = endlessBody(200);
    stub.scripts.add(email.emailId, step, 1);
    expect(await provider.deliver(email, deadline, claimed)).toMatchObject({
      kind: 'accepted',
      providerId: email.messageId,
    });
    await eventually(() => stub.openConnections === 0);
  });

  it('includes no key in reasons', async () => {
    const secretive = providerAt(stub.url, 'very-secret');
    stub.apiKey = 'another';
    const outcome = await secretive.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome).toEqual({ kind: 'credential-refused', reason: 'Mailgun responded with 401: Forbidden' });
    await secretive.close();
  });
});
