import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { simpleParser } from 'mailparser';
import PostalMime from 'postal-mime';
import { joinPieces, type MessagePieces } from '../../../../src/providers/message-pieces.js';
import type { OutgoingEmail } from '../../../../src/providers/provider.js';
import type { SmtpProvider } from '../../../../src/providers/smtp/smtp-provider.js';
import { outgoingEmail } from '../../../support/outgoing-email.js';
import { SmtpStub } from '../../../support/smtp-stub.js';
import { claimed, longDeadline } from '../../bench.js';
import { providerAt } from '../smtp-bench.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const dkim = { domain: 'example.test', selector: 'mb', privateKey };
const resolver = (): Promise<never> => Promise.resolve([[`v=DKIM1; k=rsa; p=${key}`]] as never);

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

function emailOf(pieces: MessagePieces, changes: Partial<OutgoingEmail> = {}): OutgoingEmail {
  const { html, text, values } = pieces;
  return outgoingEmail({ html: joinPieces(html, values), text: joinPieces(text, values), pieces, ...changes });
}

/** The message that arrives, and whether it was composed of pieces. */
async function delivered(email: OutgoingEmail): Promise<{ message: Buffer; isSpliced: boolean }> {
  expect((await provider.deliver(email, longDeadline(), claimed)).kind).toBe('accepted');
  const { content, wire } = stub.messages.at(-1)!;
  expect(wire.toString('latin1')).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
  expect(
    Math.max(
      ...content
        .toString('latin1')
        .split('\r\n')
        .map(({ length }) => length),
    ),
  ).toBeLessThanOrEqual(998);
  const isSpliced = content.includes(`boundary="=_${email.emailId}"`);
  if (isSpliced) expectWellFormed(content.toString('latin1'));
  return { message: content, isSpliced };
}

/** Checks rules that parsers do not enforce, but mail servers and mail programs may. */
function expectWellFormed(message: string): void {
  // Headers and bodies are encoded: a server need not forward anything else (RFC 5321, 4.1.1.4).
  expect(message).not.toMatch(/[^\r\n\t -~]/);
  // Mail programs show the last part that they understand (RFC 2046, 5.1.4).
  expect(message.match(/^Content-Type: text\/\w+/gm)).toEqual(['Content-Type: text/plain', 'Content-Type: text/html']);
  expect(message.match(/^Content-Type: text\/.*; charset=utf-8\r$/gm)).toHaveLength(2);
}

async function whole(email: OutgoingEmail): Promise<Buffer> {
  const { message, isSpliced } = await delivered({ ...email, pieces: undefined } as unknown as OutgoingEmail);
  expect(isSpliced).toBe(false);
  return message;
}

/** Parses with two third-party parsers, which differ in the kind of line ends and in those at the very end. */
async function read(message: Buffer) {
  const [mail, { html, text, ...postal }] = await Promise.all([simpleParser(message), PostalMime.parse(message)]);
  const own = postal.headers.filter(({ key }) => !/^content-type$/i.test(key)).map(({ key, value }) => [key, value]);
  const parts = { html: String(mail.html), text: mail.text ?? '', postalHtml: html ?? '', postalText: text ?? '' };
  return {
    headers: new Map((own as [string, string][]).sort(([a], [b]) => (a < b ? -1 : 1))),
    ...{ from: mail.from?.value, to: mail.to, replyTo: mail.replyTo?.value, subject: mail.subject, date: mail.date },
    ...{ postalSubject: postal.subject, postalFrom: postal.from, postalTo: postal.to, messageId: postal.messageId },
    parts: Object.fromEntries(
      Object.entries(parts).map(([name, part]) => [name, part.replace(/\r*\n/g, '\n').replace(/\n+$/, '')]),
    ),
  };
}

const unit = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: 'grapheme', maxLength: 30 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ' ',
      '\t',
      ' \n',
      '\n',
      '\r\n',
      '.',
      '=',
      '=3D',
      '\n.\n',
      '--',
      'é',
      '日本',
      '🎉',
      '\u0000',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('word '.repeat(60), 'x'.repeat(300), 'ü'.repeat(80), '<a href="https://e.test">'),
  },
);
const text = fc.array(unit, { maxLength: 8 }).map((units) => units.join(''));
const pieceList = fc.array(fc.oneof(text, fc.nat(4)), { maxLength: 12 }).map((pieces) => ['x', ...pieces, 'x']);
const content = fc.record({
  html: pieceList,
  text: pieceList,
  values: fc.tuple(text, text, text, text, text),
}) satisfies fc.Arbitrary<MessagePieces>;
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 60 })
  .filter((value) => !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value) && value.trim() === value);
const mailbox = fc.record(
  { address: fc.constantFrom('reader@example.test', 'a.b+c@xn--bcher-kva.example', 'leser@bücher.example'), name },
  { requiredKeys: ['address'] },
);

describe('an email of a message to many', () => {
  it('arrives as if it had been composed separately, with any values, names and subject, and is signed', async () => {
    await fc.assert(
      fc.asyncProperty(content, fc.record({ to: mailbox, from: name, subject: name }), async (pieces, own) => {
        const email = emailOf(pieces, {
          to: [own.to],
          from: { address: 'sender@example.test', name: own.from },
          replyTo: { address: 'answers@example.test', name: own.from },
          subject: own.subject,
          unsubscribeUrl: 'https://t.example/api/t/u/Tok-en_0',
          returnPath: 'b.Tok-en_0@bounces.example',
          dkim,
        });
        const { message, isSpliced } = await delivered(email);
        const hasCarriageReturn = pieces.values.some((value) => value.includes('\r'));
        expect(isSpliced).toBe(!hasCarriageReturn);
        const [ours, theirs] = await Promise.all([read(message), whole(email).then(read)]);
        for (const { headers } of [ours, theirs]) headers.delete('dkim-signature');
        expect(ours).toEqual(theirs);
        const { results } = await dkimVerify(message, { resolver });
        expect(results[0]!.status.result).toBe('pass');
        const changed = message.toString('latin1').replace(/^(List-Unsubscribe-Post: ).*$/m, '$1Other');
        const [altered] = (await dkimVerify(Buffer.from(changed, 'latin1'), { resolver })).results;
        expect(altered!.status.result).not.toBe('pass');
      }),
      { numRuns: 60 },
    );
  });

  it('keeps its lines short for any values', async () => {
    const many = Array.from({ length: 40 }, () => 1);
    const values = ['y'.repeat(5_000), 'short value'];
    const { message } = await delivered(emailOf({ html: ['<p>', 0, ' and ', ...many, '</p>', 0], text: many, values }));
    const body = message.toString('latin1').split('\r\n\r\n').slice(1).join('\r\n\r\n');
    expect(Math.max(...body.split('\r\n').map(({ length }) => length))).toBeLessThanOrEqual(76);
  });

  it('keeps the lines of its header short for a subject without a blank', async () => {
    const subject = 's'.repeat(998);
    const { message, isSpliced } = await delivered(emailOf({ html: ['x'], text: ['x'], values: [] }, { subject }));
    expect([isSpliced, (await simpleParser(message)).subject]).toEqual([true, subject]);
  });

  it('keeps blanks at the ends of values and pieces', async () => {
    const pieces = { html: ['<pre>a', 0, '\nb ', 1, '</pre>', 0], text: [0, '\n', 0], values: [' x \t', '\n'] };
    const { message } = await delivered(emailOf(pieces));
    expect(String((await simpleParser(message)).html).trimEnd()).toBe('<pre>a x \t\nb \n</pre> x');
  });

  it('keeps dots where lines and values begin', async () => {
    const pieces = { html: ['<pre>', 0, '\n', 1, '\n.', 0, '</pre>'], text: [0, '\n', 1], values: ['.hidden', '.'] };
    const { message } = await delivered(emailOf(pieces));
    const { html, text } = await PostalMime.parse(message);
    expect([html, text].map((part) => part!.replace(/\r\n/g, '\n').trimEnd())).toEqual([
      '<pre>.hidden\n.\n..hidden</pre>',
      '.hidden\n.',
    ]);
  });

  it('has its own values after another email of the same message', async () => {
    const [html, part] = [
      ['<p>Dear ', 0, ',</p>'],
      ['Dear ', 0],
    ];
    for (const reader of ['Ann', 'Zoë', '']) {
      const email = emailOf({ html, text: part, values: [reader] }, { subject: `For ${reader}` });
      const { message, isSpliced } = await delivered(email);
      expect(isSpliced).toBe(true);
      const { html: shown, subject } = await simpleParser(message);
      expect([String(shown).trim(), subject]).toEqual([`<p>Dear ${reader},</p>`, `For ${reader}`.trim()]);
    }
  });

  it('is base64 where most of the message is not ASCII', async () => {
    const pieces = { html: ['<p>Доброе утро, ', 0, '</p>'.padStart(30, 'я')], text: ['Привет, ', 0], values: ['Анна'] };
    const { message, isSpliced } = await delivered(emailOf(pieces));
    expect(isSpliced).toBe(true);
    expect(message.toString('latin1').match(/Content-Transfer-Encoding: base64/g)).toHaveLength(2);
    expect((await simpleParser(message)).text?.trim()).toBe('Привет, Анна');
  });

  it('is base64 for long values, which quoted-printable would encode for a second in one turn', async () => {
    const values = ['line\n'.repeat(100_000)];
    const { message, isSpliced } = await delivered(emailOf({ html: ['<p>x</p>'], text: [0], values }));
    expect(isSpliced && message.includes('Content-Transfer-Encoding: base64')).toBe(true);
    expect((await PostalMime.parse(message)).text?.replace(/\r\n/g, '\n') === values[0]).toBe(true);
  });

  it.each([
    ['headers of the sender', { headers: { 'X-Order': '1' } }],
    ['copies', { cc: [{ address: 'copy@example.test' }] }],
    ['an ID that no boundary can hold', { emailId: 'x"y' }],
  ])('is composed separately with %s', async (_, changes) => {
    const email = emailOf({ html: ['<p>', 0, '</p>'], text: [0], values: ['Ann'] }, changes);
    expect((await delivered(email)).isSpliced).toBe(false);
  });
});
