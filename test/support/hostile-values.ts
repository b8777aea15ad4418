import fc from 'fast-check';

/*
 * Values that a layer between the client and the row could misread or cannot hold. Every field gets all values of the
 * lists named `hostile…`, and some that the generators named `any…` make.
 */

const TIME = '2026-03-01T09:30:00.000Z';
const ID = '0190f3a4-7c1e-7a52-9c63-5d2a8a1b4e77';
const HUGE = 'x'.repeat(100_000);

const TEXTS = [
  ...['', ' ', '0', '-1', '9'.repeat(400), 'null', 'true', '__proto__', '../..', "' or 1=1; --", '*?[a-z]%_\\'],
  ...['\0', 'a\0b', 'a\r\nx-injected: 1\x01\x1b[31m\x7f', '\ud800', 'a\udfff', 'infinity', ID, 'x'.repeat(801)],
];
const FURTHER_TEXTS = [
  ...['undefined', 'NaN', '1.5', '1e400', 'constructor', 'toString', '..%2f..', '/etc/passwd', '${7*7}', '{{7*7}}'],
  ...[
    '"; drop table emails; --',
    '$1',
    '%',
    '_',
    '\\',
    "\\'",
    '*',
    '{a,b}',
    '(?=(a+)+$)',
    '\ufffe\uffff',
    '\u202e\u2028',
  ],
  ...['a@\ud800.example', 'İ@ß.example', 'a@b@c', '<>', `${'a'.repeat(64)}@${'b.'.repeat(95)}c`, '🙂'.repeat(200)],
  ...['http://[', 'https://user:password@x', 'javascript:1', '//x', 'https://x:99999', 'https://\ud800/', '..', 'a..b'],
  ...['-infinity', 'epoch', '0000-00-00', '2026-13-45T99:99:99.999Z', '+275760-09-13T00:00:00.000Z', TIME],
  ...['00000000-0000-0000-0000-000000000000', `${ID}0`, `{${ID}}`],
];
/** Includes unpaired surrogates. */
const anyUnits = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
const anyText = fc.oneof(fc.constantFrom(...FURTHER_TEXTS), anyUnits);

/** Values for a field of a body, as raw text; some are not JSON. @param limit longest value, in characters */
export function hostileFields(limit = 9_999): string[] {
  const lengths = ['x'.repeat(limit), 'x'.repeat(limit + 1)];
  return [...KINDS, ...[...TEXTS, ...lengths, HUGE].map((text) => JSON.stringify(text))];
}

const KINDS = [
  ...['null', 'true', '-0', '-1', '1.5', '1e400', '9007199254740993', '9'.repeat(400), '[]', '{}', '[null]', '[[]]'],
  ...['[{}]', '{"a":null}', '{"toString":1,"length":-1}', '{"a\\u0000b":"\\ud800"}', '["a\\u0000b"]', '["\\ud800"]'],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"then":"x","toJSON":"y"}'],
  ...[`${'['.repeat(9_000)}${']'.repeat(9_000)}`, `${'{"a":'.repeat(9_000)}0${'}'.repeat(9_000)}`],
  ...[`[${'0,'.repeat(9_000)}0]`, 'NaN', '', "'x'", '"\x01"', '"\\x"', '"a', '1]', '"a","a":"b"'],
];

export const anyField: fc.Arbitrary<string> = fc.oneof(
  anyText.map((text) => JSON.stringify(text)),
  anyText.map((text) => JSON.stringify([text])),
  fc.json({ maxDepth: 4 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.bigInt().map(String),
);

/**
 * Values for one segment of a URL: escapes that are not UTF-8, unescaped bytes, dot segments that routers may resolve,
 * and more than all headers of a request may have together.
 */
export const hostileSegments: readonly string[] = [
  ...['%', '%zz', '%c3', '%ff%fe', '%c0%ae%c0%ae/', '%25', '%2e%2e%2f', '%u0041', '..', '.', '/', '../..'],
  ...[';', '&', '=', '[]', '#', '+', '\xff\xfe', '"', '{}', 'x'.repeat(15_000), HUGE],
  ...TEXTS.map(escaped),
];

export const anySegment: fc.Arbitrary<string> = fc.oneof(
  anyText.map(escaped),
  fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex').replace(/../g, '%$&')),
  fc.string().map((text) => text.replace(/[^!-~]/g, '')),
);

/**
 * Cursors are the sort key of an item, as base64url of JSON. Each of these has one part that its column cannot hold.
 */
const CURSORS = [
  ...['[]', '{}', 'null', '[null]', '[[]]', '[1,2]', '[', `"${ID}"`],
  ...['x', '\0', '2026-02-30T00:00:00.000Z'].flatMap((text) =>
    [[text], [text, ID], [TIME, text], [text, 'f'.repeat(64)], ['0', text]].map((parts) => JSON.stringify(parts)),
  ),
].map(cursorOf);

/** Query strings with a parameter of this name. */
export function hostileQueries(name: string): string[] {
  const forms = ['', '=a&=b', '[]=a', '[a]=b', '[__proto__]=x', '=a;b', `=${'&'.repeat(2_000)}`];
  const several = [`${name}=1&${name}=2`, `${name}&`.repeat(900), `__proto__=1&${name}=1`, `%00${name}=1`];
  const cursors = name.toLowerCase().endsWith('cursor') ? CURSORS : [];
  return [
    ...forms.map((form) => name + form),
    ...several,
    ...[...hostileSegments, ...cursors].map((value) => `${name}=${value}`),
  ];
}

export function anyQuery(name: string): fc.Arbitrary<string> {
  const part = fc.oneof(fc.constantFrom(TIME, ID, '0'), anyText);
  const cursor = fc.array(part, { maxLength: 3 }).map((parts) => cursorOf(JSON.stringify(parts)));
  return fc.oneof(anySegment, cursor).map((value) => `${name}=${value}`);
}

/** HTTP clients cannot send others: a line break or a NUL ends a header. */
export const hostileHeaders: readonly string[] = [
  ...['', '\xff\xfe', '"a', ',,', ';=;', 'wait=-1', '__proto__', 'x'.repeat(12_000)],
];

function cursorOf(json: string): string {
  return Buffer.from(json).toString('base64url');
}

/** Escapes unpaired surrogates too, as their three bytes. */
function escaped(text: string): string {
  const parts = text.split(/(\p{Surrogate})/u);
  return parts.map((part, index) => (index % 2 === 1 ? escapedHalf(part) : encodeURIComponent(part))).join('');
}

function escapedHalf(half: string): string {
  const code = half.charCodeAt(0);
  const bytes = [0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)];
  return bytes.map((byte) => `%${byte.toString(16)}`).join('');
}
