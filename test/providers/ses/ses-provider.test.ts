import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { SesProvider } from '../../../src/providers/ses/ses-provider.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { sesError, SesStub, type SesRequest } from '../../support/ses-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { describeCallsWithoutEmail } from '../calls-without-email.js';
import { describeProvider } from '../conformance.js';
import { toArrival } from '../mime-arrival.js';
import { providerAt, sesBench } from './ses-bench.js';

describeProvider('SES', sesBench);
describeCallsWithoutEmail('SES', sesBench);

describe('SES', () => {
  let stub: SesStub;
  let provider: SesProvider;
  beforeEach(async () => {
    stub = await SesStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  it('returns the ID of SES', async () => {
    expect(await provider.deliver(outgoingEmail(), longDeadline(), claimed)).toEqual({
      kind: 'accepted',
      providerId: 'ses-1',
      response: 'SES responded with 200, message ID ses-1',
    });
  });

  it('counts a call without an email as refused if the policy of the key demands a sender', async () => {
    const message = 'User is not authorized to perform ses:SendEmail on resource arn:aws:ses:eu-west-1:1:identity/';
    stub.scripts.add('*', sesError(403, 'AccessDeniedException', message));
    expect(await provider.callWithoutEmail(longDeadline())).toMatchObject({ kind: 'refused' });
  });

  it('passes our ID and attempt in tags, and the configuration set', async () => {
    const configured = providerAt(stub.url, { configurationSet: 'mail', sessionToken: 'token' });
    const email = outgoingEmail({ attempt: 7 });
    await configured.deliver(email, longDeadline(), claimed);
    await configured.close();
    const [{ body, path, headers }] = stub.requests as [SesRequest];
    expect(path).toBe('/v2/email/outbound-emails');
    expect(headers['x-amz-security-token']).toBe('token');
    expect(body).toMatchObject({
      ConfigurationSetName: 'mail',
      EmailTags: [
        { Name: 'mailbeacon_email_id', Value: email.emailId },
        { Name: 'mailbeacon_attempt', Value: '7' },
        { Name: 'mailbeacon_recipient', Value: '0' },
      ],
    });
  });

  it('passes the position of the only recipient among all that were accepted, and of several none', async () => {
    const mailbox = (name: string) => ({ address: `${name}@example.test` });
    const email = outgoingEmail({ to: [mailbox('a')], cc: [mailbox('b')], bcc: [mailbox('c')] });
    const hidden = { ...email, envelopeRecipients: ['c@example.test'] };
    const acceptedAddresses = ['a', 'erased', 'b', 'c'].map((name) => `${name}@example.test`);
    for (const one of [email, hidden, { ...hidden, acceptedAddresses }])
      await provider.deliver(one, longDeadline(), claimed);
    const positions = stub.requests.map(({ body }) =>
      body.EmailTags.find(({ Name }) => Name === 'mailbeacon_recipient'),
    );
    expect(positions.map((tag) => tag?.Value)).toEqual([undefined, '2', '3']);
  });

  it('sends to the recipients of the attempt only, each once, and shows no hidden one', async () => {
    const [shown, hidden, other] = ['shown', 'hidden', 'other'].map((name) => ({ address: `${name}@example.test` }));
    const email = outgoingEmail({ to: [shown!], bcc: [hidden!, other!] });
    const envelopeRecipients = [hidden!.address, other!.address, hidden!.address.toUpperCase()];
    await provider.deliver({ ...email, envelopeRecipients }, longDeadline(), claimed);
    const [{ body, content }] = stub.requests as [SesRequest];
    expect(body.Destination.ToAddresses).toHaveLength(2);
    expect(content.toString()).toContain('shown@example.test');
    expect(content.toString()).not.toMatch(/hidden@|other@|bcc:/i);
  });

  it('has the headers of one-click unsubscription in the message', async () => {
    const unsubscribeUrl = `https://t.example/api/t/u/${'x'.repeat(500)}`;
    await provider.deliver(outgoingEmail({ unsubscribeUrl }), longDeadline(), claimed);
    const [{ content }] = stub.requests as [SesRequest];
    const { headers } = await toArrival({ content, recipients: [] });
    expect(headers.get('list-unsubscribe')).toBe(`<${unsubscribeUrl}>`);
    expect(headers.get('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
  });

  it.each([
    ['without attachments', []],
    ['with attachments', [outgoingAttachment(randomBytes(200_000))]],
  ])('signs the request as AWS documents it, %s', async (_, attachments) => {
    await provider.deliver(outgoingEmail({ attachments }), longDeadline(), claimed);
    const [request] = stub.requests as [SesRequest];
    expect(request.accepted).toBe(true);
    expect(request.headers.authorization).toBe(signatureOf(request));
  });

  it('reads an attachment twice, and does not complete the request if it has changed', async () => {
    const [one, other] = [outgoingAttachment(randomBytes(200_000)), outgoingAttachment(randomBytes(100_000))];
    let reads = 0;
    const read = () => (reads++ === 0 ? one : other).read();
    const outcome = await provider.deliver(outgoingEmail({ attachments: [{ ...one, read }] }), longDeadline(), claimed);
    expect(outcome).toEqual({ kind: 'retry', reason: 'An attachment could not be read' });
    expect([reads, stub.requests]).toEqual([2, []]);
  });
});

/** Computed from AWS's description of Signature Version 4, and not by the library that signs. */
function signatureOf({ headers, bodyHash, path }: SesRequest): string {
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const lines = names.split(';').map((name) => `${name}:${String(headers[name])}\n`);
  const canonical = ['POST', path, '', lines.join(''), names, bodyHash].join('\n');
  const scope = '20260304/eu-west-1/ses/aws4_request';
  const hash = createHash('sha256').update(canonical).digest('hex');
  const toSign = ['AWS4-HMAC-SHA256', '20260304T050607Z', scope, hash].join('\n');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const key = scope.split('/').reduce<string | Buffer>((from, part) => hmac(from, part), 'AWS4wJalrXUtnFEMI');
  const signature = hmac(key, toSign).toString('hex');
  return `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${scope}, SignedHeaders=${names}, Signature=${signature}`;
}
