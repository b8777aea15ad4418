import { csvRecipients, ndjsonRecipients } from '../../src/broadcasts/recipients/recipient-lines.js';
import { checkDkim } from '../../src/domains/dkim-record.js';
import { checkDmarc } from '../../src/domains/dmarc-record.js';
import { checkSpf } from '../../src/domains/spf-record.js';
import { problemOfSubject } from '../../src/emails/accept/plain-text.js';
import { readSubmittedMessage } from '../../src/emails/submission/read-submitted-message.js';
import { classifyAgent } from '../../src/events/classification/classify-agent.js';
import { readMailMessage } from '../../src/events/feedback/smtp/mail-message.js';
import { readNotification } from '../../src/events/feedback/smtp/read-notification.js';
import { locationOf } from '../../src/links/location-header.js';
import { postmarkOutcome } from '../../src/providers/postmark/postmark-response.js';
import { deadenLinks, markLinks } from '../../src/rendering/dead-links.js';
import { webDestination } from '../../src/rendering/destination.js';
import { htmlAfterText } from '../../src/rendering/html-after-text.js';
import { checkMjml, isMjml, splitMjml } from '../../src/rendering/mjml.js';
import { compileMessage } from '../../src/rendering/personalize/message-template.js';
import { tagMessage } from '../../src/rendering/personalize/tagged-message.js';
import { hasUnsubscribePlace } from '../../src/rendering/unsubscribe-places.js';
import { processorTime } from '../support/processor-time.js';

const KB = 1024;
/** What a linear reader takes a few milliseconds for, and one of quadratic time at these sizes far longer. */
const LONGEST_MS = 5_000;

/** Repeated up to the size that a reader gets. Many are the beginning of something that never ends. */
const REPEATED = [
  ...' \t\n"\'(<>[{%&=?;:,.-/\\@a0é\u2028\0',
  ...['\r\n', '\n ', '"",', '\\"', ' a', 'a,', 'a@b.c,', 'a: b\n', 'a=', ';a="', ';a*0=b', '<a@b> ', '=?u?q?', '?='],
  ...['<a href="', '<a href=x ', '</p', '<p>', '<!--', '--', '<!', '<svg>', '<script>', '</script', '<mj-text>'],
  ...['{{', '{{ ', '{%', '{% ', '{% comment %}', '{% raw %}', '\ue000', '&#', '%7B%7B', 'xn--', '--a\n', '5.1.1 '],
  ...['v=', ';p=', 'include:a ', '{"a":', 'http://', '~m0.', 'm1.', 'Mozilla/5.0 (', 'inactive addresses:'],
];
/** After the repeated text, so that what reads to the end fails there and tries again. */
const ENDS = ['', '\u2028x\n"'];

const records = (...texts: string[]) => ({ kind: 'found', records: texts }) as const;
const mail = (start: string) => (text: string) => Buffer.from(`${start}${text}\n\nx`);

async function readReport(raw: Buffer): Promise<void> {
  const message = await readMailMessage(raw);
  if (message) readNotification(message, '');
}

async function readAll(lines: (pieces: AsyncIterable<Uint8Array>) => AsyncIterable<unknown>, text: string) {
  const pieces = (async function* () {
    yield Buffer.from(text);
  })();
  for await (const line of lines(pieces)) void line;
}

const inFields = (names: readonly string[], read: (raw: Buffer) => Promise<unknown>) => async (text: string) => {
  for (const name of names) await read(mail(`${name}: `)(text)).catch(() => undefined);
};

interface Reader {
  readonly bytes: number;
  /** It may throw. */
  readonly read: (text: string) => unknown;
}

/**
 * What reads texts of strangers, recipients, providers or organizations, with a size at which the square takes long.
 */
const READERS: Readonly<Record<string, Reader>> = {
  'fields of a delivery status': {
    bytes: 230 * KB,
    read: (text) => readReport(mail('Content-Type: message/delivery-status\n\nAction:')(text)),
  },
  'fields of a feedback report': {
    bytes: 230 * KB,
    read: (text) => readReport(mail('Content-Type: message/feedback-report\n\nFeedback-Type:')(text)),
  },
  'text of a bounce': { bytes: 230 * KB, read: (text) => readReport(mail('From: mailer-daemon@x.test\n\n')(text)) },
  'header of a report': { bytes: 60 * KB, read: inFields(['To', 'Content-Type'], readReport) },
  'header of a submitted message': {
    bytes: 60 * KB,
    read: inFields(['Subject', 'To', 'References', 'X-A', 'Content-Type', 'From'], readSubmittedMessage),
  },
  'body of a submitted message': {
    bytes: 250 * KB,
    read: (text) =>
      readSubmittedMessage(mail('From: a@b.test\nContent-Type: multipart/mixed; boundary=a\n\n--a\n\n')(text)),
  },
  'recipients as CSV': { bytes: 250 * KB, read: (text) => readAll(csvRecipients, `to,a\n${text}`) },
  'one row of CSV': { bytes: 60 * KB, read: (text) => readAll(csvRecipients, `${text}\n`) },
  'recipients as NDJSON': { bytes: 250 * KB, read: (text) => readAll(ndjsonRecipients, text) },
  'an SPF record': { bytes: 250 * KB, read: (text) => checkSpf('include:x', records(`v=spf1 ${text}`)) },
  'a DKIM record': { bytes: 250 * KB, read: (text) => checkDkim('x', records(text)) },
  'a DMARC record': { bytes: 250 * KB, read: (text) => checkDmarc(records(`v=DMARC1;${text}`), undefined) },
  'a subject': { bytes: 250 * KB, read: problemOfSubject },
  'a user agent': { bytes: 16 * KB, read: (text) => classifyAgent(`Mozilla/5.0 (${text}`, 'open') },
  'a destination': { bytes: 250 * KB, read: (text) => [webDestination(`https://a.test/${text}`), locationOf(text)] },
  'a sentence of Postmark': {
    bytes: 250 * KB,
    read: (text) => {
      const body = { ErrorCode: 0, MessageID: 'a', To: 'a@b.test', Message: `inactive addresses: ${text}` };
      return postmarkOutcome({ status: 200, headers: {}, body }, { recipients: ['a@b.test'], messageId: 'm' }, 0);
    },
  },
  'HTML with links': { bytes: 250 * KB, read: (text) => [deadenLinks(text), markLinks(text, 'http://t.test')] },
  'HTML after a text': { bytes: 250 * KB, read: (text) => htmlAfterText('x', text) },
  'a beginning of MJML': {
    bytes: 250 * KB,
    read: (text) => [isMjml(text), hasUnsubscribePlace(text), isMjml(`${text}<mjml>`) && splitMjml(`${text}<mjml>`)],
  },
  'elements of MJML': { bytes: 250 * KB, read: checkMjml },
  'a message of a broadcast': {
    bytes: 100 * KB,
    read: (text) => {
      const source = { subject: 's', html: `<p>{{ a }}</p>${text}`, text: null };
      return tagMessage(compileMessage(source), source, 'http://t.test');
    },
  },
};

it.each(Object.entries(READERS))('%s: no text takes time that grows with its square', async (_, { bytes, read }) => {
  const slow: string[] = [];
  for (const repeated of REPEATED) {
    const text = repeated.repeat(bytes / Buffer.byteLength(repeated));
    for (const end of ENDS) {
      const spentMs = processorTime();
      try {
        await read(text + end);
      } catch {
        // Most texts are refused.
      }
      if (spentMs() > LONGEST_MS) slow.push(`${JSON.stringify(repeated)} and ${JSON.stringify(end)}`);
    }
  }
  expect(slow).toEqual([]);
});
