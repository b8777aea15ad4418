import { TestService, type TestClient } from '../support/service.js';

let service: TestService;
let client: TestClient;

beforeAll(async () => {
  service = await TestService.start({ environment: { ROLES: 'api', RATE_LIMIT_PER_MINUTE: '0' } });
  client = await service.organization();
});
afterAll(() => service?.stop());

const template = { name: 'Welcome', subject: 'Hello' };
const MJML = (text: string) =>
  `<mjml>\n<mj-body><mj-section><mj-column>\n<mj-text>${text}</mj-text></mj-column></mj-section></mj-body></mjml>`;

it('compiles MJML behind tags, which take effect', async () => {
  const tags = '{% comment %} <p> {% endcomment %}\n{% capture who %}Dear {{ name }}{% endcapture %}\n';
  const htmlContent = `${tags}${MJML('{{ who }}')}`;
  const { body: created } = await client.post('/api/templates', { ...template, htmlContent });
  const path = `/api/templates/${String(created.id)}`;
  expect((await client.get(path)).body).toMatchObject({ htmlContent, variables: ['name'] });
  const { body } = await client.post(`${path}/render`, { variables: { name: 'Ada <b>' } });
  expect(body.html).toMatch(/^\s*<!doctype html>.*>Dear Ada &lt;b&gt;<.*<\/html>\s*$/s);
  const broken = await client.post('/api/templates', {
    ...template,
    htmlContent: `\n${tags}<mjml>\n<mj-nope/></mjml>`,
  });
  expect(broken.body).toMatchObject({ error: expect.stringMatching(/is not valid MJML: line 5: /) as string });
});

it.each([
  ['{% if a %}', '{% endif %}', 'line 2: <mjml> must not stand in a block: put {% if %} into its <mj-raw>'],
  ['{{ a }}', '', 'line 2: only tags such as {% assign %} may stand in front of <mjml>'],
])('refuses MJML behind %s', async (before, after, problem) => {
  const htmlContent = `\n${before}${MJML('x')}${after}`;
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  const message = `htmlContent is not valid MJML: ${problem}`;
  expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'htmlContent', message }] } });
});

const SECTION = '<mj-section><mj-column><mj-text>Hello {{ name }}</mj-text></mj-column></mj-section>';

it.each([
  ['in the body', `<mjml><mj-body>\n{% if vip %}${SECTION}{% endif %}</mj-body></mjml>`, 'line 2: {% if %}'],
  [
    'in a section',
    `<mjml><mj-body><mj-section>\n{%- for p in all -%}{% endfor %}</mj-section></mj-body></mjml>`,
    'line 2: {% for %}',
  ],
  ['behind a text', `<mjml><mj-body>${SECTION}{{ name }}</mj-body></mjml>`, 'line 1: {{ … }}'],
  [
    'in the head',
    `<mjml><mj-head>{% assign a = 1 %}</mj-head><mj-body>${SECTION}</mj-body></mjml>`,
    'line 1: {% assign %}',
  ],
  ['behind the root', `<mjml><mj-body>${SECTION}</mj-body></mjml>\n{% assign a = 1 %}`, 'line 2: {% assign %}'],
  ['around a "<"', `<mjml><mj-body>1 < 2 {% if a < b %}${SECTION}{% endif %}</mj-body></mjml>`, 'line 1: {% if %}'],
  [
    'around what is left out',
    `<mjml><mj-body>{% comment %}${SECTION}{% endcomment %}</mj-body></mjml>`,
    'line 1: {% comment %}',
  ],
  [
    'behind a comment',
    `<mjml><mj-body>{% # a %}{%- comment -%}a{% endcomment %}{{ name }}${SECTION}</mj-body></mjml>`,
    'line 1: {{ … }}',
  ],
  ['behind an empty element', `<mjml><mj-body><mj-raw />{{ name }}${SECTION}</mj-body></mjml>`, 'line 1: {{ … }}'],
])('refuses Liquid that MJML would drop: %s', async (_place, htmlContent, start) => {
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  const message = expect.stringContaining(`${start} has no place between elements: write <mj-raw>{`) as string;
  expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'htmlContent', message }] } });
});

it.each([
  [
    'in a column',
    `<mjml><mj-body><mj-section><mj-column>\nHello<mj-text>x</mj-text></mj-column></mj-section></mj-body></mjml>`,
    'line 2: "Hello"',
  ],
  ['in the head', `<mjml><mj-head>Title 1\n</mj-head><mj-body>${SECTION}</mj-body></mjml>`, 'line 1: "Title 1"'],
  ['behind the root', `<mjml><mj-body>${SECTION}</mj-body></mjml>\n{% # a %}\n日本`, 'line 3: "日本"'],
  [
    'in an element in capital letters',
    `<mjml><mj-body>${SECTION.replaceAll('mj-text', 'MJ-TEXT').replace('{{ name }}', 'Ada')}</mj-body></mjml>`,
    'line 1: "Hello Ada"',
  ],
  ['behind tags', `{% assign abc = 1 %}\n<mjml>\n<mj-body>\nHello${SECTION}</mj-body></mjml>`, 'line 4: "Hello'],
  ['in CDATA', `<mjml><mj-body><![CDATA[Hello]]>${SECTION}</mj-body></mjml>`, 'line 1: "CDATA[Hello]]>"'],
  ['an emoji', `<mjml><mj-body>🎉${SECTION}</mj-body></mjml>`, 'line 1: "🎉"'],
])('refuses words that MJML would drop: %s', async (_place, htmlContent, start) => {
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  const message = expect.stringContaining(start) as string;
  expect({ status, body }).toMatchObject({ status: 400, body: { details: [{ field: 'htmlContent', message }] } });
  expect(body.error).toContain('has no place between elements: write <mj-text>…</mj-text>');
});

it.each([
  [
    'in other letters',
    `<mjml><mj-body>\n${SECTION.replace('</mj-text>', '</MJ-TEXT>')}</mj-body></mjml>`,
    'line 2: <mj-text>',
  ],
  ['that is missing', `<mjml><mj-body>${SECTION.replace('</mj-text>', '')}</mj-body></mjml>`, 'line 1: <mj-text>'],
  [
    'of an <mj-raw> in the head',
    `<mjml><mj-head><mj-title>T</mj-head><mj-body>${SECTION}</mj-body></mjml>`,
    '<mj-title>',
  ],
  ['that a comment hides', `<mjml><mj-body>${SECTION.replace('</mj-text>', '<!--$&')}</mj-body></mjml>`, '<mj-text>'],
])('refuses an element of MJML whose text an end tag %s would drop', async (_problem, htmlContent, start) => {
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  expect([status, body.error]).toEqual([400, expect.stringMatching(new RegExp(`${start}.* has no end tag </mj-`))]);
});

it('sends what MJML keeps: a program that sends such a message cannot mend it', async () => {
  const htmlContent = `<mjml><mj-body>a${SECTION}</mj-body></mjml>`;
  const send = (more: object) =>
    client.post('/api/send', { from: 'a@acme.example', to: 'b@example.com', subject: 's', htmlContent, ...more });
  for (const more of [{}, { variables: { name: 'Ada' } }]) expect((await send(more)).status).toBeLessThan(300);
});

it('accepts declarations, comments and blanks between elements of MJML', async () => {
  const htmlContent = `\ufeff<?xml version="1.0"?><!DOCTYPE mjml><!-- a --><mjml><mj-body>&nbsp;&#8203; . ${SECTION}
    {% comment %} b {% endcomment %}{%- # c -%}<mj-raw /></mj-body></mjml>;`;
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  expect([status, body.error]).toEqual([201, undefined]);
});

it('lets the compiler name an element of MJML that does not exist', async () => {
  const htmlContent = `<mjml><mj-body><mj-section><mj-column><p>Hello</p></mj-column></mj-section></mj-body></mjml>`;
  const { status, body } = await client.post('/api/templates', { ...template, htmlContent });
  expect([status, body.error]).toEqual([400, expect.stringContaining("Element p doesn't exist")]);
});

it('fills in Liquid in every element that shows text, in attributes and in <mj-raw>', async () => {
  const htmlContent = `<mjml><mj-head><mj-title>title {{ t }}</mj-title><mj-preview>preview {{ t }}</mj-preview>
    <mj-style>.a { content: "style {{ t }}" }</mj-style><mj-attributes><mj-text color="red" /></mj-attributes></mj-head>
    <mj-body><!-- {% comment %} --><!-- {% endcomment %} --><mj-raw>{% if t %}</mj-raw><mj-section><mj-column>
    <mj-text>text {{ t }} {% if 1 < 2 %}<b>smaller</b>{% endif %}</mj-text><mj-button href="https://x.example/{{ t }}">button {{ t }}</mj-button>
    <mj-table><tr><td>table {{ t }}</td></tr></mj-table></mj-column></mj-section><mj-raw>{% endif %}</mj-raw></mj-body></mjml>`;
  const { status, body } = await client.post('/api/templates/render', {
    ...{ subject: 'S', htmlContent, variables: { t: 'X7' } },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  for (const place of ['title', 'preview', 'style', 'text', 'button', 'table'])
    expect(body.html).toContain(`${place} X7`);
  expect(body.html).toContain('https://x.example/X7');
  expect(body.html).toContain('<b>smaller</b>');
});

it('lets Liquid stand in comments of Liquid between elements, and behind what only looks like the end of a text', async () => {
  const htmlContent = `<mjml><mj-body>{% comment %} the header {{ t }} {% endcomment %}{%- # a note -%}
    <mj-raw><!-- </mj-raw> -->raw {{ t }} <mj-raw>x</mj-raw> inner {{ t }}</mj-raw>${SECTION}</mj-body></mjml>`;
  const { status, body } = await client.post('/api/templates/render', {
    ...{ subject: 'S', htmlContent, variables: { t: 'X7', name: 'Ada' } },
  });
  expect([status, body.error]).toEqual([200, undefined]);
  expect(body.html).toMatch(/raw X7.*inner X7.*Hello Ada/s);
  expect(body.html).not.toContain('the header');
});
