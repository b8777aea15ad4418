import fc from 'fast-check';
import { compileMessage } from '../../../src/rendering/personalize/message-template.js';
import { personalizeEmail } from '../../../src/rendering/personalize/personalize-email.js';
import { textPartOf } from '../../../src/rendering/text-part/text-part.js';
import { untimed } from '../untimed.js';
import { bothWays, checkPieces, checkTags, keys, request, substituted } from './personalize-properties.js';

// The long runs are `npm run test:fuzz`.
it('joining pieces gives the same bytes as rendering the whole', () =>
  checkPieces({ numRuns: 2_000, seed: 20_261_126 }));

it('replacing tags gives the same bytes as joining pieces', () => checkTags({ numRuns: 2_000, seed: 20_261_126 }));

const LINK = '<a href="https://x.test/">x</a>';

it.each([
  [`<!--[if mso> --{{ nothing }}>${LINK}-->`, {}],
  [`<!--[if mso>{{ a }}>${LINK}-->`, { a: '--' }],
  [`<!--[if mso]>{{ a }}>${LINK}<![endif]-->`, { a: '--' }],
  [`<!--[if mso]>-{{ a }}{{ b }}->${LINK}<![endif]-->`, { a: '' }],
  [`<!--[if mso]>{{ a }}!>${LINK}<![endif]-->`, { a: '--' }],
  [`<!-- {{ a }}>${LINK}-->`, { a: '--' }],
  ['<p>%7B{{ a }}%7Bunsub{{ a }}scribe_url%7D%7D</p>', {}],
  ['<p>{ {{- a }}{unsub{{ a }}scribe_url}}</p>', {}],
  ['<p>%{{ a }}7Bunsub{{ b }}_url%7D%7D</p>', { a: '7B%', b: 'scribe' }],
  ['<p>{{ a }}7B%7Bunsub{{ b }}_url%7D%7D</p>', { a: '%', b: 'scribe' }],
])('values that could complete other markup change neither way: %s with %j', (html, values) => {
  const [email, whole] = bothWays(html, values);
  expect(email).toEqual(whole);
});

it('a value does not end a comment', () => {
  const [{ html, links }] = bothWays(`<!-- {{ a }}>${LINK}-->`, { a: '--' });
  expect(html).toContain(`<!-- &#45;&#45;>${LINK}-->`);
  expect(links).toEqual([]);
});

it('tags do not occur in messages and values that contain similar text', () => {
  const source = { subject: 's', html: '<p>~m0.1~ {{ a }}</p>', text: null };
  expect(substituted(source, { a: '~m0.0~' })?.html).toContain('<p>~m0.1~ ~m0.0~</p>');
  expect(substituted(source, { a: '~m1.0~' })).toBeUndefined();
});

it.each([
  ['<p>{{ a }}{{ b }}</p>', { a: '~m', b: '0.0~' }],
  ['<p>~m{{ a }}</p>', { a: '0.0~' }],
  ['<p>{{ a }}{{ b }}{{ c }}{{ d }}</p>', { a: 'x', b: 'm', c: '0.0', d: 'y' }],
  ['<p>m{{ a }}0{{ b }}~</p>', { b: '.0' }],
  ['<p>{{ a }}{{ b }}{{ c }}0~</p>', { a: '~m', b: '0', c: '.' }],
])('no tag is formed together by the values of %s', (html, values) => {
  expect(substituted({ subject: 's', html, text: null }, values)).toBeUndefined();
});

it.each([
  ['<p>{{ a }}m0.0~</p>', {}],
  ['<p>~m{{ a }}0.0~</p>', {}],
  ['<p>{{ a }} {{ b }}</p>', { a: 'Tom', b: '0.5' }],
])('tags are replaced in any order in %s', (html, values) => {
  const source = { subject: 's', html, text: null };
  const email = substituted(source, values);
  expect(email?.html).toBe(personalizeEmail({ ...request, source, variables: values }, keys).html);
});

it.each([
  ['<a href="{{ link }}">Read</a> now', {}, 'Read now'],
  ['<a href="{{ link }}">{{ link }}</a> now', { link: 'https://x.test/a' }, 'https://x.test/a now'],
  ['<a href="{{ link }}">Read</a> now', { link: 'https://x.test/a' }, 'Read <https://x.test/a> now'],
  ['<a href="mailto:{{ link }}?subject=x">Write</a> now', { link: 'a@x.test?cc=b' }, 'Write <a@x.test> now'],
  ['<a href="mailto:{{ link }}">{{ link }}</a> now', { link: 'a@x.test' }, 'a@x.test now'],
  ['<a href="tel:{{ link }}">{{ link }}</a> now', { link: '+49 30 1' }, '+49 30 1 now'],
  ['<a href="{{ link }}">Write</a> now', { link: 'mailto:a@x.test?subject=x' }, 'Write <a@x.test> now'],
  ['<a href="tel:3">{{ link }}</a> now', { link: 'Call' }, 'Call <3> now'],
  ['Ada &lt;{{ link }}&gt;', {}, 'Ada <>'],
  ['<ol start="{{ n }}"><li>One</ol>', { n: 7 }, '7. One'],
  ['<p style="{{ s }}">Not this</p>Hello', { s: 'display:none' }, 'Hello'],
])('the text of %s with %j', (html, values, expected) => {
  const [email, whole] = bothWays(html, values);
  expect(email.text).toBe(expected);
  expect(whole.text).toBe(expected);
  const made = substituted({ subject: 's', html, text: null }, values);
  if (made) expect(made.text).toBe(expected);
});

it('the text part that is derived once has the same words as the one derived for each recipient', () => {
  const words = (text: string) => text.replace(/\s+/g, ' ').trim();
  const source = {
    subject: 's',
    html: '<p>Hello {{ a }}, <a href="https://x.test/?q={{ b }}">read {{ c }}</a></p><ul><li>{{ a }}</li></ul>',
    text: null,
  };
  const word = fc.stringMatching(/^[a-z<>&"]{1,30}$/);
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      const personal = { ...request, source, variables: { a, b, c } };
      const whole = untimed(() => compileMessage(source).html!.render({ a, b, c }, { now: new Date(0) }));
      const { text } = untimed(() => personalizeEmail(personal, keys));
      expect(words(text)).toBe(words(textPartOf(whole)));
    }),
  );
});
