import { randomBytes } from 'node:crypto';
import type { PostmarkProvider } from '../../../src/providers/postmark/postmark-provider.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { postmarkError, PostmarkStub } from '../../support/postmark-stub.js';
import { endlessBody } from '../../support/scripted-responses.js';
import { claimed, longDeadline } from '../bench.js';
import { eventually } from '../../support/eventually.js';
import { describeCallsWithoutEmail } from '../calls-without-email.js';
import { describeProvider } from '../conformance.js';
import { postmarkBench, providerAt, toArrival } from './postmark-bench.js';

describeProvider('Postmark', postmarkBench);
describeCallsWithoutEmail('Postmark', postmarkBench);

describe('Postmark', () => {
  let stub: PostmarkStub;
  let provider: PostmarkProvider;
  beforeEach(async () => {
    stub = await PostmarkStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  const mailbox = (name: string) => ({ address: `${name}@example.test` });
  const deliver = (email = outgoingEmail()) => provider.deliver(email, longDeadline(), claimed);

  it('returns the ID of Postmark, and our own if there is none', async () => {
    const email = outgoingEmail();
    expect(await deliver(email)).toEqual({
      kind: 'accepted',
      providerId: 'pm-1-0',
      response: 'Postmark responded with 200: OK',
    });
    stub.scripts.add('*', { status: 200, body: { ErrorCode: 0, Message: 'OK' } });
    expect(await deliver(email)).toMatchObject({ providerId: email.messageId });
  });

  it('authenticates, passes our IDs and disables tracking by Postmark', async () => {
    const email = outgoingEmail({ attempt: 7 });
    await deliver(email);
    const [{ path, headers, messages } = {} as never] = stub.requests;
    expect(path).toBe('/email');
    expect(headers['x-postmark-server-token']).toBe('token-1');
    expect(messages).toEqual([
      {
        To: '"Reader" <reader@example.test>',
        From: '"Sender" <sender@example.test>',
        Subject: 'A subject',
        TextBody: 'Hello',
        HtmlBody: '<p>Hello</p>',
        Headers: [
          { Name: 'Message-ID', Value: `<${email.messageId}>` },
          { Name: 'X-PM-KeepID', Value: 'true' },
        ],
        Metadata: { mailbeacon_email_id: email.emailId, mailbeacon_attempt: '7' },
        TrackOpens: false,
        TrackLinks: 'None',
      },
    ]);
    const names = Object.keys(messages[0]!.Metadata);
    expect(names.every((name) => name.length <= 20)).toBe(true);
  });

  it('names its message stream if it has one', async () => {
    const ofStream = providerAt(stub.url, { serverToken: 'token-1', messageStream: 'broadcast' });
    await ofStream.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(stub.messages[0]?.MessageStream).toBe('broadcast');
    await ofStream.close();
  });

  it('sends the two headers of one-click unsubscription only for mail that has it, and no return path', async () => {
    const unsubscribeUrl = `https://t.example/api/t/u/${'x'.repeat(500)}`;
    const returnPath = 'b+token@bounces.example.test';
    await deliver(outgoingEmail({ unsubscribeUrl, returnPath }));
    await deliver();
    const [withIt, without] = stub.messages.map(toArrival);
    expect(withIt?.headers.get('list-unsubscribe')).toBe(`<${unsubscribeUrl}>`);
    expect(withIt?.headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    expect(without?.headers.has('list-unsubscribe')).toBe(false);
    expect(JSON.stringify(stub.messages)).not.toContain(returnPath);
  });

  describe('reaches only the recipients who are left', () => {
    const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map(mailbox) as [Box, Box, Box, Box, Box];
    type Box = { address: string };
    const all = { to: [a, b], cc: [c, { address: 'A@Example.test' }], bcc: [d, e] };

    it.each([
      [
        'each once',
        ['a', 'b', 'c', 'd', 'e'],
        { To: 'a@example.test, b@example.test', Cc: c.address, Bcc: `${d.address}, ${e.address}` },
      ],
      ['without cc', ['b', 'e'], { To: b.address, Bcc: e.address }],
      ['in cc only', ['c'], { To: c.address }],
      ['in cc and bcc', ['c', 'd'], { To: c.address, Bcc: d.address }],
      ['one hidden', ['e', 'e'], { To: e.address }],
    ])('%s', async (_, names, expected) => {
      const envelopeRecipients = names.map((name) => mailbox(name).address);
      expect((await deliver(outgoingEmail({ ...all, envelopeRecipients }))).kind).toBe('accepted');
      const [{ path, messages } = {} as never] = stub.requests;
      const { To, Cc, Bcc } = messages[0]!;
      expect([path, messages.length, JSON.parse(JSON.stringify({ To, Cc, Bcc }))]).toEqual(['/email', 1, expected]);
    });

    it('several hidden ones get a message each, so that none sees another', async () => {
      const bytes = randomBytes(10_001);
      const attachments = [outgoingAttachment(bytes), outgoingAttachment(bytes, { contentId: 'logo@acme' })];
      const bcc = [{ ...d, name: 'Dora “D” Ü' }, e];
      const envelopeRecipients = [d.address, e.address];
      const email = outgoingEmail({ ...all, bcc, envelopeRecipients, attachments });
      expect(await deliver(email)).toMatchObject({ kind: 'accepted', providerId: 'pm-1-0' });
      const [request, ...others] = stub.requests;
      expect([request?.path, others]).toEqual(['/email/batch', []]);
      const arrivals = request!.messages.map(toArrival);
      expect(arrivals.map(({ to, cc, recipients }) => [to, cc, recipients])).toEqual([
        [[bcc[0]], [], [d.address]],
        [[e], [], [e.address]],
      ]);
      for (const { messageId, attachments: arrived } of arrivals) {
        expect(messageId).toBe(email.messageId);
        expect(arrived.map((one) => one.bytes.equals(bytes))).toEqual([true, true]);
      }
    });

    it('several hidden ones, of which one is inactive', async () => {
      const email = outgoingEmail({ bcc: [d, e], to: [a], envelopeRecipients: [d.address, e.address] });
      const results = [
        { ErrorCode: 406, Message: 'Inactive recipient' },
        { ErrorCode: 0, Message: 'OK', MessageID: 'pm-e' },
      ];
      stub.scripts.add(email.emailId, { status: 200, body: results });
      expect(await deliver(email)).toMatchObject({
        kind: 'accepted',
        providerId: 'pm-e',
        recipients: [
          { address: d.address, state: 'refused' },
          { address: e.address, state: 'accepted' },
        ],
      });
    });
  });

  it('refuses an email without recipients, without a call', async () => {
    expect(await deliver(outgoingEmail({ envelopeRecipients: [] }))).toMatchObject({ kind: 'refused' });
    expect(stub.requests).toEqual([]);
  });

  it('a connection cut during the request means not accepted; after it, the outcome is unknown', async () => {
    const large = outgoingEmail({ attachments: [outgoingAttachment(randomBytes(20_000_000))] });
    stub.scripts.add('*', { fault: 'reset-before-body' }, 1);
    expect(await deliver(large)).toMatchObject({ kind: 'retry' });
    const email = outgoingEmail();
    stub.scripts.add(email.emailId, { fault: 'close' }, 1);
    expect(await deliver(email)).toMatchObject({ kind: 'ambiguous' });
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

  it('includes no token in reasons', async () => {
    const secretive = providerAt(stub.url, { serverToken: 'very-secret' });
    stub.serverToken = 'another';
    const outcome = await secretive.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome.kind).toBe('credential-refused');
    expect(JSON.stringify(outcome)).not.toContain('very-secret');
    await secretive.close();
  });

  it('a refusal of one email says nothing about the next', async () => {
    const email = outgoingEmail();
    stub.scripts.add(email.emailId, postmarkError(422, 412, 'While your account is pending approval, …'));
    expect((await deliver(email)).kind).toBe('refused');
    expect((await deliver()).kind).toBe('accepted');
  });
});
