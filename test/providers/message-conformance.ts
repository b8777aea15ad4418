import fc from 'fast-check';
import type { DeliveryOutcome, Mailbox, OutgoingEmail } from '../../src/providers/provider.js';
import { outgoingAttachment, outgoingEmail } from '../support/outgoing-email.js';
import { claimed, longDeadline, type Bench } from './bench.js';

/** Rules about sent messages that hold for every provider. */
export function describeMessages(theBench: () => Bench): void {
  const deliver = (email: OutgoingEmail): Promise<DeliveryOutcome> =>
    theBench().provider.deliver(email, longDeadline(), claimed);

  describe('the message', () => {
    it('reaches every recipient with every part', async () => {
      const person = (id: number): Mailbox => ({ address: `person${id}@example.test`, name: `Person ${id}` });
      const email = outgoingEmail({
        replyTo: { address: 'answers@example.test', name: 'Answers, please' },
        to: [person(1), person(2), person(3), person(4)],
        cc: [person(5), person(6), person(7)],
        bcc: [person(8), person(9), person(10)],
      });
      expect((await deliver(email)).kind).toBe('accepted');
      const [arrival] = await theBench().arrivals();
      expect(arrival).toMatchObject({
        messageId: email.messageId,
        from: email.from,
        replyTo: email.replyTo,
        to: email.to,
        cc: email.cc,
        subject: email.subject,
        text: email.text,
      });
      expect([...(arrival?.recipients ?? [])].sort()).toEqual([...email.envelopeRecipients].sort());
    });

    it.each([
      ['Grüße, “Zoë” & 山田太郎 🎉', 'Émilie "Émi" O’Brien'],
      ['한국어 제목 '.repeat(30).trim(), '山田, 太郎'],
      ['Commas, "quotes" <angles> \\ (brackets); = ? _', 'Comma, Semicolon; <angle> "quote" \\ (comment)'],
      ['x'.repeat(998), 'Name '.repeat(40).trim()],
    ])('keeps subject %j and names', async (subject, displayName) => {
      const from = { address: 'sender@example.test', name: displayName };
      const to = [{ address: 'reader@example.test', name: displayName }];
      await deliver(outgoingEmail({ subject, from, to }));
      const [arrival] = await theBench().arrivals();
      const { recipientName = (name: string) => name, senderName = (name: string) => name } = theBench();
      const [reader] = to;
      expect(arrival).toMatchObject({
        subject,
        from: { ...from, name: senderName(displayName) },
        to: [{ ...reader, name: recipientName(displayName) }],
      });
      expect(arrival?.recipients).toEqual(['reader@example.test']);
    });

    it.each([
      ['leading dots', '.\n..\n.dot\nend'],
      ['a lone dot line', 'before\n.\nMAIL FROM:<evil@example.test>\nafter'],
      [
        'CRLF dot CRLF and commands',
        'a\r\n.\r\nMAIL FROM:<evil@example.test>\r\nRCPT TO:<evil@example.test>\r\nDATA\r\nx',
      ],
      ['bare carriage returns', 'a\rb\r.\rc\r\n.\rd'],
      ['a very long line', `<p>${'long '.repeat(40_000)}</p>`],
      ['an unbroken line', 'y'.repeat(200_000)],
      ['trailing blanks', 'a \t\nb  \n\n\n'],
      ['other scripts', 'Ελληνικά · Русский · 日本語 · 👩‍👩‍👧‍👦'],
      ['mostly ASCII', `${'plain text '.repeat(50)} é = =20 =3D`],
      ['From lines and controls', 'From me\n>From you\n\u0000\u0001\u007f\u0085\u2028'],
    ])('keeps the body: %s', async (_, body) => {
      await deliver(outgoingEmail({ html: body, text: body }));
      const [arrival, ...more] = await theBench().arrivals();
      expect(more).toEqual([]);
      expect(canonical(arrival?.html ?? '')).toBe(canonical(body));
      expect(canonical(arrival?.text ?? '')).toBe(canonical(body));
    });

    it('keeps any body and subject', async () => {
      const fragment = fc.oneof(
        fc.constantFrom('\n', '\r\n', '\r', '.', ' ', '\t', '=', '\n.\n', 'é', '日', '🎉', '<p>', '\u0000'),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
      );
      const body = fc.array(fragment, { minLength: 1, maxLength: 40 }).map((parts) => `x${parts.join('')}x`);
      await fc.assert(
        fc.asyncProperty(body, async (html) => {
          const email = outgoingEmail({ html, text: html });
          expect((await deliver(email)).kind).toBe('accepted');
          const arrival = (await theBench().arrivals()).at(-1);
          expect(arrival?.messageId).toBe(email.messageId);
          expect(canonical(arrival?.html ?? '')).toBe(canonical(html));
          expect(canonical(arrival?.text ?? '')).toBe(canonical(html));
        }),
        { numRuns: 40 },
      );
    });

    it('has no HTML part if it has text only', async () => {
      await deliver(outgoingEmail({ html: '', text: 'Only text' }));
      const [arrival] = await theBench().arrivals();
      expect([arrival?.html, arrival?.text.trim()]).toEqual(['', 'Only text']);
    });

    it('has the headers of the sender, up to their maximum length', async () => {
      const ids = Array.from({ length: 30 }, (_, index) => `<message-${index}@example.test>`).join(' ');
      const headers = {
        'X-Order': '4711',
        References: ids,
        'In-Reply-To': '<message-29@example.test>',
        'Auto-Submitted': 'auto-generated',
        precedence: 'bulk',
        'X-Unbroken': 'x'.repeat(900),
      };
      await deliver(outgoingEmail({ headers }));
      const [arrival] = await theBench().arrivals();
      for (const [name, value] of Object.entries(headers)) {
        expect([name, arrival?.headers.get(name.toLowerCase())]).toEqual([name, value]);
      }
    });

    it('may have five megabytes', async () => {
      const html = `<p>${'0123456789'.repeat(500_000)}</p>`;
      expect((await deliver(outgoingEmail({ html }))).kind).toBe('accepted');
      expect((await theBench().arrivals())[0]?.html.trimEnd()).toBe(html);
    });
  });

  describe('values that no header can contain', () => {
    const breaks = ['\r\n', '\n', '\r', '\u0000', '\u0085', '\u2028', '\u2029', '\u001b', '\ud800'];
    const evil = breaks.map((character) => `x${character}Bcc: evil@example.test`);
    const reader = 'reader@example.test';
    const addresses = [
      'evil@example.test, reader@example.test',
      'reader@example.test> <evil@example.test',
      '"evil@example.test x"@example.test',
      'a@example.test(@evil.test)',
      'team: evil@example.test;',
      'reader @example.test',
      'a@b@example.test',
      'nobody',
      '',
      `${'a'.repeat(400)}@example.test`,
    ];
    const cases: [string, Partial<OutgoingEmail>][] = [
      ...evil.flatMap((text): [string, Partial<OutgoingEmail>][] => [
        ['subject', { subject: text }],
        ['from', { from: { address: 'sender@example.test', name: text } }],
        ['from', { from: { address: text } }],
        ['replyTo', { replyTo: { address: 'sender@example.test', name: text } }],
        ['to', { to: [{ address: reader, name: text }] }],
        ['to', { to: [{ address: `${text}@example.test` }] }],
        ['cc', { cc: [{ address: 'c@example.test', name: text }] }],
        ['bcc', { bcc: [{ address: 'c@example.test', name: text }] }],
        ['messageId', { messageId: `${text}@example.test` }],
        ['emailId', { emailId: text }],
        ['headers', { headers: { 'X-Order': text } }],
        ['attachments', { attachments: [outgoingAttachment(Buffer.from('x'), { filename: text })] }],
        ['attachments', { attachments: [outgoingAttachment(Buffer.from('x'), { contentType: text })] }],
        ['attachments', { attachments: [outgoingAttachment(Buffer.from('x'), { contentId: text })] }],
        ['headers', { headers: { [`X-${text}`]: '1' } }],
        ['envelopeRecipients', { envelopeRecipients: [text] }],
      ]),
      ...addresses.flatMap((address): [string, Partial<OutgoingEmail>][] => [
        ['to', { to: [{ address }] }],
        ['from', { from: { address } }],
        ['envelopeRecipients', { envelopeRecipients: [address] }],
      ]),
    ];

    it('are never sent: the provider refuses and names the field', async () => {
      for (const [field, changes] of cases) {
        const outcome = await deliver(outgoingEmail(changes));
        expect({ changes, outcome }).toEqual({
          changes,
          outcome: { kind: 'refused', reason: expect.stringMatching(new RegExp(`^${field} `)) },
        });
      }
      expect(theBench().contacts()).toBe(0);
    });
  });
}

/**
 * * Mail may change line ends and nothing else, and decoders add or drop those at the very end.
 * Decoders also differ about carriage returns right before a line end.
 */
function canonical(text: string): string {
  return text.replace(/\r*\n/g, '\n').replace(/\n+$/, '');
}
