import { InvalidMjmlError, isMjml, checkMjml } from '../../src/rendering/mjml.js';
import { processorTime } from '../support/processor-time.js';

describe('isMjml', () => {
  it.each([
    '<mjml>',
    '<MJML lang="en">',
    '\ufeff \r\n<mjml/>',
    '<?xml version="1.0"?><!-- a > b --><!DOCTYPE mjml>\n<mjml\n>',
    '<!---->  <mjml></mjml>',
    '{% assign a = 1 %}\n{%- # a note -%}<!-- b --><mjml>',
    '{% comment %} <p> {% if %} {% endcomment %}<mjml>',
    '{% liquid\nassign a = 1\n%}{% capture b %}<p>text{% endcapture %}<mjml>',
    '{% if a %}<mjml>',
    '{{ a }}<mjml>',
  ])('recognizes %j', (source) => expect(isMjml(source)).toBe(true));

  it.each([
    '',
    'mjml',
    '<mjmlx>',
    '<html><mjml>',
    'x<mjml>',
    '<!--<mjml>-->',
    '<!-- <mjml>',
    '<?',
    '</mjml>',
    '< mjml>',
    '<mjml'.slice(0, 4),
    '{% assign a = 1 %}<p><mjml>',
    '{% assign a = 1 <mjml>',
    '{{ a <mjml>',
    '{% comment %}<mjml>',
    '{ <mjml>',
    '{% assign a = 1 %}text<mjml>',
    '{% if a %}<p>x</p>{% endif %}<p><mjml>',
  ])('does not recognize %j', (source) => expect(isMjml(source)).toBe(false));
});

it.each(['<!--', '{{', '<!', '{% if a %}{{ a }}'])('a template of many %s is read once', (markup) => {
  expect(isMjml(`{% capture a %}${markup.repeat(300_000)}`)).toBe(false);
});

it.each([' ', 'a', '-', '{%', '%'])('a tag of many %j without an end is read once', (text) => {
  const spentMs = processorTime();
  expect(isMjml(`{%${text.repeat(100_000)}`)).toBe(false);
  // Reading it again from each of its characters took ten seconds.
  expect(spentMs()).toBeLessThan(2_000);
});

describe('checkMjml', () => {
  it('names the line of the first include', () => {
    const source = '<mjml>\n<!-- <mj-include path="a"/> -->\n<mj-body>\n<MJ-Include path="/etc/passwd"/>';
    expect(() => checkMjml(source)).toThrow(new InvalidMjmlError('line 4: mj-include is not allowed'));
  });

  it.each(['<mj-included/>', '<p title="<mj-include>">', '<!--<mj-include>', 'mj-include'])('accepts %s', (source) => {
    expect(() => checkMjml(source)).not.toThrow();
  });
});
