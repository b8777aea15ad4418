import fc from 'fast-check';
import { generateEmailTrackingId } from '../../../src/links/email-tracking-id.js';
import { outcomeOf } from '../../../src/rendering/personalize/message-outcome.js';
import { compileMessage, type MessageSource } from '../../../src/rendering/personalize/message-template.js';
import { personalizeEmail, renderedWhole } from '../../../src/rendering/personalize/personalize-email.js';
import { substituteEmails } from '../../../src/rendering/personalize/substitute-email.js';
import { keysWith } from '../../links/keys.js';
import { anyHtml } from '../html-arbitrary.js';
import { untimed } from '../untimed.js';

export const keys = keysWith(1, 2);
const baseUrl = 'https://t.test';
export const request = {
  emailTrackingId: generateEmailTrackingId(keys, new Uint8Array(12).fill(7)),
  baseUrl,
  unsubscribe: { sender: { address: 'news@acme.test' }, recipient: 'reader@example.test' },
  now: Date.UTC(2026, 1, 3),
};

const OUTPUTS = [
  '{{ a }}',
  '{{a}}',
  '{{- b -}}',
  '{{ c | default: "there" }}',
  '{{ d.e }}',
  '{{ d["e"] | upcase | escape }}',
  '{{ list | join: ", " }}',
  '{{ nothing }}',
  '{{ "a" | append: b }}',
  '{{ "now" | date: "%Y" }}',
  '{{ "text".size }}{{ size }}',
  '{{ unsubscribe_url }}',
  '{{unsubscribe_url | default: a}}',
  '{{ a | url_encode }}',
  '{{ b | raw }}',
  '{{ "\\ud83d" }}{{ "\\ude00" }}{{ "\\ud83d" }}',
  '{{ "%00" | url_decode }}',
  '{% if a %}{{ a }}{% endif %}',
];
const output = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...OUTPUTS.slice(0, 12)) },
  fc.constantFrom(...OUTPUTS),
);
const PIECES = [
  '<p>§</p>\n',
  '<p title="§" class=\'§\'>§ § text</p>',
  '<a href="§">§</a>',
  '<a href="https://x.test/?a=§&b=§#c">x</a>',
  "<a href='https://x.test/§/p'>x</a>",
  '<a href="https://x.test/§" rel="notrack">x</a>',
  '<a clicktracking="§" href="https://x.test/">x</a>',
  '<a href="https://x.test/static?a=b&amp;c">static</a>',
  '<a href="https://t.test/api/t/c/x">ours</a>',
  '<a href="mailto:§?subject=§">§</a>',
  '<a href=https://x.test/§>x</a>',
  '<table><tr><td style="color: §">§</td></tr></table>',
  '<!--[if mso]><a href="https://x.test/?m=§">m</a><![endif]-->',
  '<!-- § -->',
  '<title>§</title>',
  '<style>a { color: § }</style>',
  '</body>§',
  '</html>',
  '<§>',
  '< §',
  '&§;',
  '<svg><a href="https://x.test/§">x</a></svg>',
  '<img src="§" alt="§">',
  '%7B%7Bunsubscribe_url%7D%7D',
];
const html = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...PIECES) }, fc.constant('§'), anyHtml), {
    maxLength: 6,
  })
  .chain((pieces) => {
    const parts = pieces.join('').split('§');
    return fc.array(output, { minLength: parts.length, maxLength: parts.length }).map((outputs) => {
      return parts.map((part, index) => (index === 0 ? part : outputs[index]! + part)).join('');
    });
  });
const value = fc.oneof(
  fc.string({
    maxLength: 8,
    unit: fc.constantFrom(...'<>"\'&=/ \n?#:;%{}-', 'a', 'ü', 'href', '\ue0000\ue001'),
  }),
  fc.constantFrom(
    'https://y.test/',
    'https://y.test/a b?c=d&e',
    'javascript:x',
    '{{ a }}',
    '{{unsubscribe_url}}',
    'Ada',
  ),
  fc.constantFrom(null, 5, true, ['x', '<y>'], { z: 1 }),
);
const variables = fc.record(
  { a: value, b: value, c: value, d: fc.record({ e: value }), list: fc.array(value, { maxLength: 3 }) },
  { requiredKeys: [] },
);

/** The email of a template, from pieces if the template allows it, and rendered whole. */
export function bothWays(html: string, values: Record<string, unknown>) {
  const source = { subject: 's', html, text: null };
  const personal = { ...request, source, variables: values };
  return [personalizeEmail(personal, keys), renderedWhole(compileMessage(source), personal, keys)] as const;
}

interface Run {
  readonly numRuns: number;
  /** Absent for different documents in every run. */
  readonly seed?: number;
}

/** Joining pieces gives the same bytes as rendering the whole. */
export function checkPieces({ numRuns, seed = Date.now() % 2 ** 31 }: Run): void {
  let cut = 0;
  let runs = 0;
  fc.assert(
    fc.property(
      html,
      fc.option(fc.constant('Dear {{ a }}, {{ unsubscribe_url }}')),
      variables,
      (source, text, values) => {
        let message;
        const parts = { subject: 'To {{ a }}{% if b %}!{% endif %}', html: source, text };
        try {
          message = compileMessage(parts);
        } catch {
          // Generated HTML may have braces of its own.
          return;
        }
        runs++;
        if (message.pieces()) cut++;
        const personal = { ...request, source: parts, variables: values };
        const joined = untimed(() => outcomeOf(() => personalizeEmail(personal, keys)));
        expect(joined).toEqual(untimed(() => outcomeOf(() => renderedWhole(message, personal, keys))));
      },
    ),
    { numRuns, seed },
  );
  if (cut < runs / 3) throw new Error(`Only ${cut} of ${runs} templates were cut into pieces, with the seed ${seed}`);
}

/** The email that a provider creates by replacing tags. */
export function substituted(source: MessageSource, values: Record<string, unknown>) {
  const { emailTrackingId, unsubscribe, now } = request;
  const recipients = [{ emailTrackingId, unsubscribe, now, variables: values }];
  const message = substituteEmails({ source, baseUrl, recipients }, keys);
  const [own] = message?.recipients ?? [];
  if (!message || !own) return undefined;
  const [html, text] = [message.html, message.text].map((part) =>
    // Of the last tag first: the order must not matter.
    message.tags.reduceRight((made, tag, index) => made.replaceAll(tag, () => own.values[index]!), part),
  );
  return { subject: own.subject, html, text, urls: own.urls, unsubscribeUrl: own.unsubscribeUrl };
}

/** Replacing tags gives the same bytes as joining pieces. */
export function checkTags({ numRuns, seed = Date.now() % 2 ** 31 }: Run): void {
  let made = 0;
  let runs = 0;
  const anyText = fc.option(fc.constantFrom('Dear {{ a }}, {{ unsubscribe_url }}', '{{ a }}', 'Hello', '~m0.1~'));
  const anyValues = fc.oneof(
    { weight: 20, arbitrary: variables },
    fc.constantFrom({ a: '~m0.1~' }, { a: '~m1.0~', b: '~m0.' }),
  );
  fc.assert(
    fc.property(html, anyText, anyValues, (source, text, values) => {
      const parts = { subject: 'To {{ a }}{% if b %}!{% endif %}', html: source, text };
      try {
        compileMessage(parts);
      } catch {
        return;
      }
      runs++;
      const email = untimed(() => substituted(parts, values));
      if (!email) return;
      made++;
      const { links, pixelUrl, ...personal } = untimed(() =>
        personalizeEmail({ ...request, source: parts, variables: values }, keys),
      );
      expect(email.html).toContain(pixelUrl);
      expect(email).toEqual({ ...personal, urls: links.map(({ originalUrl }) => originalUrl) });
      expect(email.text).not.toBe('');
    }),
    { numRuns, seed },
  );
  // About a fifth of the messages have tags.
  if (made < runs / 10) throw new Error(`Only ${made} of ${runs} messages have tags, with the seed ${seed}`);
}
