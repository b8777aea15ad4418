import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { simpleParser } from 'mailparser';
import type { SmtpProvider } from '../../../src/providers/smtp/smtp-provider.js';
import { outgoingAttachment, outgoingEmail } from '../../support/outgoing-email.js';
import { SmtpStub } from '../../support/smtp-stub.js';
import { claimed, longDeadline } from '../bench.js';
import { providerAt } from './smtp-bench.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
const dkim = { domain: 'example.test', selector: 'mb', privateKey };
const resolver = (): Promise<never> => Promise.resolve([[`v=DKIM1; k=rsa; p=${key}`]] as never);

const token = 'Tok-en_0'.repeat(60);
const short = `https://t.example/api/t/u/${token.slice(0, 60)}`;
const long = `https://${'tracking.'.repeat(20)}example/${'a-long/path/'.repeat(15)}api/t/u/${token}`;

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

async function delivered(changes: object): Promise<Buffer> {
  const outcome = await provider.deliver(outgoingEmail({ dkim, ...changes }), longDeadline(), claimed);
  expect(outcome.kind).toBe('accepted');
  return stub.messages.at(-1)!.content;
}

async function isSigned(message: Buffer): Promise<string> {
  const { results } = await dkimVerify(message, { resolver });
  return results[0]!.status.result;
}

it('signs a message with attachments', async () => {
  const attachments = [outgoingAttachment(randomBytes(2_000_000)), outgoingAttachment(Buffer.from('a \t \n\n'))];
  expect(await isSigned(await delivered({ attachments }))).toBe('pass');
});

describe('mail that its recipient may unsubscribe from', () => {
  it.each([
    ['short', short],
    ['long', long],
  ])('has both headers, each on one line, with a %s address', async (_, unsubscribeUrl) => {
    const message = await delivered({ unsubscribeUrl });
    const header = message.toString('latin1').split('\r\n\r\n')[0]!;
    expect(header.split('\r\n')).toContain(`List-Unsubscribe: <${unsubscribeUrl}>`);
    expect(header.split('\r\n')).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(Math.max(...header.split('\r\n').map((line) => line.length))).toBeLessThanOrEqual(998);
    const { headers } = await simpleParser(message);
    expect(headers.get('list')).toMatchObject({ unsubscribe: { url: unsubscribeUrl } });
  });

  it.each([
    ['short', short],
    ['long', long],
  ])('covers both headers with the DKIM signature, with a %s address', async (_, unsubscribeUrl) => {
    const message = await delivered({ unsubscribeUrl });
    expect(await isSigned(message)).toBe('pass');
    const text = message.toString('latin1');
    for (const changed of [
      text.replace(/^List-Unsubscribe: <https/m, 'List-Unsubscribe: <http'),
      text.replace(/^(List-Unsubscribe-Post: ).*$/m, '$1Other'),
      text.replace(/^List-Unsubscribe: .*\r\n/m, ''),
      text.replace(/^List-Unsubscribe-Post: .*\r\n/m, ''),
      text.replace(/^List-Unsubscribe: /m, 'List-Unsubscribe: <https://evil.example/>\r\n$&'),
      text.replace(/^List-Unsubscribe-Post: /m, 'List-Unsubscribe-Post: x\r\n$&'),
    ]) {
      expect(changed).not.toBe(text);
      expect(await isSigned(Buffer.from(changed, 'latin1'))).not.toBe('pass');
    }
  });
});

it('mail without an unsubscribe address has neither header, and a mailing list may add them', async () => {
  const text = (await delivered({})).toString('latin1');
  expect(text).not.toMatch(/list-unsubscribe/i);
  expect(await isSigned(Buffer.from(text, 'latin1'))).toBe('pass');
  expect(await isSigned(Buffer.from(`List-Unsubscribe: <https://list.example/>\r\n${text}`, 'latin1'))).toBe('pass');
});

it.each(['https://t.example/\r\nBcc: evil@example.test', 'https://t.example/> <mailto:x@example.test', 'mailto:a@b'])(
  'never sends the address %j',
  async (unsubscribeUrl) => {
    const outcome = await provider.deliver(outgoingEmail({ unsubscribeUrl }), longDeadline(), claimed);
    expect(outcome).toMatchObject({ kind: 'refused', reason: expect.stringContaining('unsubscribeUrl') });
    expect(stub.received).toEqual([]);
  },
);
