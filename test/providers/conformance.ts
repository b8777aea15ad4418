import fc from 'fast-check';
import type { DeliveryOutcome, DeliveryProvider, Mailbox, OutgoingEmail } from '../../src/providers/provider.js';
import { outgoingEmail } from '../support/outgoing-email.js';

/** What the other side does with the next messages of an email. */
export type Situation =
  | 'refused'
  | 'try-later'
  | 'credential-refused'
  | 'cut-after-content'
  | 'silent-after-content'
  | 'drips-after-content'
  | 'silent-before-content';

/** A message as it arrived, decoded the way a reader's program would. */
export interface Arrival {
  readonly messageId: string;
  readonly from: Mailbox;
  readonly replyTo?: Mailbox;
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  /** Everybody it goes to, in no order. */
  readonly recipients: readonly string[];
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** One provider before a stub of its service. */
export interface Bench {
  readonly provider: DeliveryProvider;
  arrange(situation: Situation, email: OutgoingEmail): void;
  /** Back to accepting everything. */
  relent(): void;
  /** What was accepted, oldest first. */
  arrivals(): Promise<readonly Arrival[]>;
  /** Anything that reached the service, accepted or not. */
  contacts(): number;
  openConnections(): number;
  /** The same provider with the service gone from its address. */
  unreachable(): Promise<DeliveryProvider>;
  close(): Promise<void>;
}

const PATIENCE = 10_000;
const patient = (): AbortSignal => AbortSignal.timeout(PATIENCE);
const SHORT_DEADLINE_MS = 150;

/** What every provider must do; run against each. */
export function describeProvider(name: string, setUp: () => Promise<Bench>): void {
  describe(`${name} as a delivery provider`, () => {
    let bench: Bench;
    beforeEach(async () => {
      bench = await setUp();
    });
    afterEach(() => bench.close());

    const deliver = (email: OutgoingEmail, signal = patient()): Promise<DeliveryOutcome> =>
      bench.provider.deliver(email, signal);

    describe('outcomes', () => {
      it('says accepted, with an id', async () => {
        const outcome = await deliver(outgoingEmail());
        expect(outcome).toEqual({ kind: 'accepted', providerId: expect.stringMatching(/./) });
        expect(await bench.arrivals()).toHaveLength(1);
      });

      it.each([
        ['refused', 'refused'],
        ['try-later', 'retry'],
        ['credential-refused', 'credential-refused'],
        ['cut-after-content', 'ambiguous'],
      ] as const)('%s: says %s, with a readable reason', async (situation, kind) => {
        const email = outgoingEmail();
        bench.arrange(situation, email);
        const outcome = await deliver(email);
        expect(outcome.kind).toBe(kind);
        expect(outcome).toHaveProperty('reason', expect.stringMatching(/^[^\r\n]{5,500}$/));
        expect(await bench.arrivals()).toHaveLength(0);
      });

      it('says retry when nobody is there', async () => {
        const provider = await bench.unreachable();
        const outcome = await provider.deliver(outgoingEmail(), patient());
        expect(outcome).toEqual({ kind: 'retry', reason: expect.stringContaining('ECONNREFUSED') });
        await provider.close();
      });

      it('delivers once the other side relents, under the same Message-ID', async () => {
        const email = outgoingEmail();
        bench.arrange('try-later', email);
        expect((await deliver(email)).kind).toBe('retry');
        bench.relent();
        expect((await deliver({ ...email, attempt: 2 })).kind).toBe('accepted');
        expect((await deliver({ ...email, attempt: 3 })).kind).toBe('accepted');
        const ids = (await bench.arrivals()).map(({ messageId }) => messageId);
        expect(ids).toEqual([email.messageId, email.messageId]);
      });
    });

    describe('the deadline', () => {
      it.each([
        ['silent-after-content', 'ambiguous'],
        ['drips-after-content', 'ambiguous'],
        ['silent-before-content', 'retry'],
      ] as const)('%s: says %s and frees the connection', async (situation, kind) => {
        const email = outgoingEmail();
        bench.arrange(situation, email);
        const outcome = await deliver(email, AbortSignal.timeout(SHORT_DEADLINE_MS));
        expect(outcome).toEqual({ kind, reason: expect.stringContaining('in time') });
        await until(() => bench.openConnections() === 0);
        bench.relent();
        expect((await deliver(outgoingEmail())).kind).toBe('accepted');
      });

      it('counts the wait for a free connection', async () => {
        const slow = outgoingEmail();
        bench.arrange('silent-after-content', slow);
        const stop = new AbortController();
        // The bench allows two connections.
        const holding = [deliver(slow, stop.signal), deliver(slow, stop.signal)];
        await until(() => bench.contacts() === 2);
        const waiting = await deliver(outgoingEmail(), AbortSignal.timeout(SHORT_DEADLINE_MS));
        expect(waiting.kind).toBe('retry');
        stop.abort();
        expect((await Promise.all(holding)).map(({ kind }) => kind)).toEqual(['ambiguous', 'ambiguous']);
      });

      it('does nothing when it has passed already', async () => {
        expect((await deliver(outgoingEmail(), AbortSignal.abort())).kind).toBe('retry');
        expect(bench.contacts()).toBe(0);
      });
    });

    describe('the message', () => {
      it('carries every part to everybody', async () => {
        const person = (id: number): Mailbox => ({ address: `person${id}@example.test`, name: `Person ${id}` });
        const email = outgoingEmail({
          replyTo: { address: 'answers@example.test', name: 'Answers, please' },
          to: [person(1), person(2), person(3), person(4)],
          cc: [person(5), person(6), person(7)],
          bcc: [person(8), person(9), person(10)],
        });
        expect((await deliver(email)).kind).toBe('accepted');
        const [arrival] = await bench.arrivals();
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
        const [arrival] = await bench.arrivals();
        expect(arrival).toMatchObject({ subject, from, to });
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
        const [arrival, ...more] = await bench.arrivals();
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
            const arrival = (await bench.arrivals()).at(-1);
            expect(arrival?.messageId).toBe(email.messageId);
            expect(canonical(arrival?.html ?? '')).toBe(canonical(html));
            expect(canonical(arrival?.text ?? '')).toBe(canonical(html));
          }),
          { numRuns: 40 },
        );
      });

      it('carries five megabytes', async () => {
        const html = `<p>${'0123456789'.repeat(500_000)}</p>`;
        expect((await deliver(outgoingEmail({ html }))).kind).toBe('accepted');
        expect((await bench.arrivals())[0]?.html.trimEnd()).toBe(html);
      });
    });

    describe('values that no header can carry', () => {
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
          ['envelopeRecipients', { envelopeRecipients: [text] }],
        ]),
        ...addresses.flatMap((address): [string, Partial<OutgoingEmail>][] => [
          ['to', { to: [{ address }] }],
          ['from', { from: { address } }],
          ['envelopeRecipients', { envelopeRecipients: [address] }],
        ]),
      ];

      it('never leave: the provider refuses and names the field', async () => {
        for (const [field, changes] of cases) {
          const outcome = await deliver(outgoingEmail(changes));
          expect({ changes, outcome }).toEqual({
            changes,
            outcome: { kind: 'refused', reason: expect.stringMatching(new RegExp(`^${field} `)) },
          });
        }
        expect(bench.contacts()).toBe(0);
      });
    });

    it('close() leaves no connection behind', async () => {
      await Promise.all([deliver(outgoingEmail()), deliver(outgoingEmail()), deliver(outgoingEmail())]);
      expect(bench.openConnections()).toBeGreaterThan(0);
      await bench.provider.close();
      await until(() => bench.openConnections() === 0);
    });
  });
}

/** Waits until `condition` holds; fails after a few seconds. */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE / 2;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`never came true: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/**
 * Line ends are the one thing a mail may change, and decoders add or drop those at the very end.
 * Decoders also differ about carriage returns right before a line end.
 */
function canonical(text: string): string {
  return text.replace(/\r*\n/g, '\n').replace(/\n+$/, '');
}
