import { randomBytes } from 'node:crypto';
import type { DeliveryOutcome } from '../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { describeProvider } from '../conformance.js';
import { toArrival } from '../mime-arrival.js';
import { providerAt, smtpBench } from './smtp-bench.js';

describeProvider('SMTP', smtpBench);

describe('SMTP', () => {
  let stub: SmtpStub;
  let provider: SmtpProvider;
  beforeEach(async () => {
    stub = await SmtpStub.listen();
    provider = providerAt(stub.url);
  });
  afterEach(async () => {
    await provider.close();
    await stub.close();
  });

  const deliver = (changes = {}): Promise<DeliveryOutcome> =>
    provider.deliver(outgoingEmail(changes), longDeadline(), claimed);

  describe('recipients', () => {
    const people = ['taken@example.test', 'later@example.test', 'never@example.test', 'idn@bücher.example'];
    const to = people.map((address) => ({ address }));

    it('are distinguished', async () => {
      stub.scripts.add('later@example.test', { phase: 'rcpt', reply: '452 4.2.2 Mailbox full' });
      stub.scripts.add('never@example.test', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
      stub.scripts.add('idn@xn--bcher-kva.example', { phase: 'rcpt', reply: '450 4.2.1 Busy' });
      expect(await deliver({ to })).toEqual({
        kind: 'accepted',
        providerId: 'STUB1',
        response: '250 2.0.0 Ok: queued as STUB1',
        recipients: [
          { address: people[0], state: 'accepted' },
          {
            address: people[1],
            state: 'deferred',
            reason: 'The SMTP server responded: 452 4.2.2 Mailbox full',
            smtpStatus: '4.2.2',
          },
          {
            address: people[2],
            state: 'refused',
            reason: 'The SMTP server responded: 550 5.1.1 No such user',
            smtpStatus: '5.1.1',
          },
          {
            address: people[3],
            state: 'deferred',
            reason: 'The SMTP server responded: 450 4.2.1 Busy',
            smtpStatus: '4.2.1',
          },
        ],
      });
      expect(stub.messages[0]?.recipients).toEqual(['taken@example.test']);
    });

    it('only those in the envelope get the message, while its headers show all of them', async () => {
      await deliver({ to, envelopeRecipients: ['later@example.test'] });
      const [message] = stub.messages;
      expect(message?.recipients).toEqual(['later@example.test']);
      expect(message?.content.toString()).toContain('taken@example.test');
    });

    it('are refused if all are refused permanently, and retried if one is refused temporarily', async () => {
      stub.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such user' }, 4);
      const gone = { state: 'refused', smtpStatus: '5.1.1' };
      expect(await deliver({ to })).toMatchObject({ kind: 'refused', recipients: [gone, gone, gone, gone] });
      stub.scripts.add('later@example.test', { phase: 'rcpt', reply: '450 4.2.1 Busy' });
      stub.scripts.add('*', { phase: 'rcpt', reply: '550 5.1.1 No such user' });
      const busy = { state: 'deferred', smtpStatus: '4.2.1' };
      expect(await deliver({ to })).toMatchObject({ kind: 'retry', recipients: [gone, busy, gone, gone] });
      expect(stub.received).toEqual([]);
    });
  });

  describe('the sent message', () => {
    it('has no bcc, our Date and Message-ID, and only CRLF as line ends', async () => {
      const email = outgoingEmail({ bcc: [{ address: 'hidden@example.test' }], html: 'é\n.\r.\r\n.\nx'.repeat(50) });
      await provider.deliver(email, longDeadline(), claimed);
      const [message] = stub.messages;
      const wire = message?.wire.toString('latin1') ?? '';
      expect(wire).not.toMatch(/hidden|^bcc/im);
      expect(wire).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
      expect(Math.max(...wire.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
      expect(wire).toMatch(/^\p{ASCII}*$/u);
      expect(wire).toMatch(/^Date: Wed, 04 Mar 2026 05:06:07 \+0000\r$/m);
      expect(wire).toContain('multipart/alternative');
      expect(message).toMatchObject({ messageId: email.messageId, emailId: email.emailId });
      expect(message?.recipients).toContain('hidden@example.test');
    });

    it('has lines of at most 998 bytes, however long the words of its fields are', async () => {
      const mailbox = { address: 'person@example.test', name: '"'.repeat(320) };
      const subject = 's'.repeat(998);
      await deliver({
        ...{ subject, from: mailbox, replyTo: mailbox, to: [mailbox, mailbox] },
        headers: { [`X-${'n'.repeat(74)}`]: 'v'.repeat(900), References: `<${'r'.repeat(889)}@a.test>` },
        attachments: ['f', '"'].map((character) =>
          outgoingAttachment(Buffer.from('x'), {
            ...{ filename: character.repeat(255), contentId: 'c'.repeat(200) },
            contentType: `text/plain; name="${'t'.repeat(180)}"`,
          }),
        ),
        unsubscribeUrl: `https://t.example/api/t/u/${'u'.repeat(200)}`,
      });
      const content = stub.messages[0]?.content.toString('latin1') ?? '';
      expect(content.split('\r\n').filter(({ length }) => length > 998)).toEqual([]);
      expect((await toArrival(stub.messages[0]!)).subject).toBe(subject);
    });

    it('includes no file and no URL, whatever the body', async () => {
      const html = { path: '/etc/hostname' } as unknown as string;
      await provider.deliver(outgoingEmail({ html }), longDeadline(), claimed).catch(() => undefined);
      expect(stub.received).toEqual([]);
    });
  });

  describe('the pool', () => {
    it('opens a new connection when the server has closed the idle one', async () => {
      await deliver();
      stub.endIdleConnections();
      expect((await deliver()).kind).toBe('accepted');
      expect(stub.messages).toHaveLength(2);
    });

    it('does so for a message with attachments, too', async () => {
      await deliver();
      stub.endIdleConnections();
      const bytes = randomBytes(300_000);
      const outcome = await deliver({ attachments: [outgoingAttachment(bytes)] });
      expect(outcome.kind).toBe('accepted');
      expect(stub.messages.at(-1)!.content.length).toBeGreaterThan(400_000);
    });
  });

  it.each([
    ['on another machine', '0.0.0.0', ''],
    ['whose URL requires TLS', '127.0.0.1', '?requireTLS=true'],
  ])('sends no password without TLS to a server %s', async (_, host, query) => {
    stub.credentials = { user: 'mailer', pass: 'secret' };
    stub.scripts.add('*', { phase: 'auth', reply: '235 2.7.0 Welcome' });
    const strict = providerAt(stub.url.replace('127.0.0.1', host) + query);
    const outcome = await strict.deliver(outgoingEmail(), AbortSignal.timeout(3_000), claimed);
    expect(outcome.kind).toBe('retry');
    expect([stub.scripts.played, stub.received.length]).toEqual([0, 0]);
    await strict.close();
  });

  it('retries when the name does not resolve', async () => {
    const lost = providerAt('smtp://no-such-host.invalid');
    const outcome = await lost.deliver(outgoingEmail(), longDeadline(), claimed);
    expect(outcome).toMatchObject({ kind: 'retry', reason: expect.stringContaining('resolved') });
    await lost.close();
  });
});
