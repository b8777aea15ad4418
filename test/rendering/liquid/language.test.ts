import { LiquidTemplate, type Variables } from '../../../src/rendering/liquid/liquid-template.js';
import { RenderingLimitError } from '../../../src/rendering/rendering-limit-error.js';
import { TemplateError, UnknownVariableError } from '../../../src/rendering/liquid/template-errors.js';

const now = new Date('2026-02-03T04:05:06Z');

function html(source: string, variables: Variables = {}, strict = false): string {
  return LiquidTemplate.parse('html', source).render(variables, { now, strict });
}

function text(source: string, variables: Variables = {}, strict = false): string {
  return LiquidTemplate.parse('text', source).render(variables, { now, strict });
}

describe('values', () => {
  it.each([
    ['{{ name }}', { name: 'Ada' }, 'Ada'],
    ['{{ name | default: "there" }}', {}, 'there'],
    ['{{ user.name }}, {{ items[1] }}', { user: { name: 'Ada' }, items: [1, 2] }, 'Ada, 2'],
    ['{% if vip %}yes{% else %}no{% endif %}', { vip: true }, 'yes'],
    ['{% for one in items %}{{ forloop.index }}{{ one.name }} {% endfor %}', { items: [{ name: 'a' }] }, '1a '],
    ['{% assign total = 3 | times: price %}{{ total }}', { price: 5 }, '15'],
    ['{{ nothing }}{{ nothing.at.all }}', {}, ''],
    ['{{ size }}{{ first }}{{ last }}{{ size | default: "-" }}{% if size %}!{% endif %}', { other: 1 }, '-'],
    ['{{ size }} {{ list.size }}', { size: 'XL', list: [1, 2] }, 'XL 2'],
    ['{% raw %}{{ braces }}{% endraw %}', {}, '{{ braces }}'],
    ['{{ a.constructor }}{{ a.__proto__ }}{{ constructor }}{{ toString }}', { a: {} }, ''],
  ])('%s', (source, variables, expected) => {
    expect(text(source, variables)).toBe(expected);
    expect(html(source, variables)).toBe(expected);
  });

  it('depend on the given time alone', () => {
    for (const word of ['now', 'today'])
      expect(text(`{{ "${word}" | date: "%Y-%m-%d %H:%M" }}`)).toBe('2026-02-03 04:05');
    expect(text('{{ "2026-01-01T10:00:00+02:00" | date: "%H:%M" }}')).toBe('10:00');
    expect(() => text('{{ "abc" | sample }}')).toThrow('undefined filter: sample');
  });

  it('that a filter refuses are no matter of length, and do not show in the error', () => {
    const refused = () => text('a {{ "now" | date: "%H", zone }}', { zone: 'Nowhere/City' });
    expect(refused).toThrow(new TemplateError('text', 'Invalid time zone specified', 1, 3));
  });

  it('are those of the variables alone: a template changes none of them', () => {
    const variables = { list: [2, 1], count: 'x' };
    const template = LiquidTemplate.parse(
      'text',
      '{% increment count %}{{ list | sort | join }}{% assign list = 5 %}{{ list }}',
    );
    for (let time = 0; time < 2; time++) expect(template.render(variables, { now })).toBe('01 25');
    expect(variables).toEqual({ list: [2, 1], count: 'x' });
  });
});

describe('two values in a row', () => {
  const check = (source: string): void => LiquidTemplate.parse('text', source).requireSingleValues();

  it.each([
    '{{ First Name }}',
    '{{ First Name | default: "there" }}',
    '{% if a %}\n {{ a "b" }}{% endif %}',
    '{% if First Name %}{% endif %}',
    '{% if a %}{% elsif b and c d %}{% endif %}',
    '{% assign x = First Name %}',
    '{% liquid\n echo First Name %}',
  ])('are refused: %s', (source) => expect(() => check(source)).toThrow(/^line \d, column \d: two values in a row/));

  it.each([
    ['{% for x in First Names %}{% endfor %}', 'Names'],
    ['{% for x in First Names limit: 2 %}{% endfor %}', 'Names'],
    ['{% for x in items | sort %}{% endfor %}', '| sort'],
    ['{% for x in items "b" %}{% endfor %}', '"b"'],
    ['{% tablerow x in First Names cols: 2 %}{% endtablerow %}', 'Names'],
    ['{% case a %}{% when First Name %}{% endcase %}', 'Name'],
    ['{% case a %}{% when b, First\n Name or c -%}{% endcase %}', 'Name or c'],
    ['{% liquid\n case a\n when First Name\n endcase %}', 'Name'],
    ['{% capture First Name %}{% endcapture %}', 'Name'],
    ['{% increment First Name %}', 'Name'],
    ['{% if First, Name %}{% endif %}', ', Name'],
    ['{% assign x = First, Name %}', ', Name'],
    ['{{ First, Name }}', ', Name'],
    ['{% for x in y %}{% if a %}\n{{ b | append: c), e }}{% endif %}{% endfor %}', '), e'],
  ])('are refused with what would be ignored: %s', (source, ignored) =>
    expect(() => check(source)).toThrow(`"${ignored}" would be ignored`),
  );

  it('are refused in what cycles', () => expect(() => check('{% cycle a b, c %}')).toThrow('two values in a row'));

  it.each([
    '{% for a in b, limit: 2, offset: continue %}{% endfor %}{% for a in ["b c"] -%}{% break %}{%- endfor -%}',
    '{% comment First %}{% endcomment second %}{% # a b %}{% raw %}{% for a in b c %}{% endraw %}',
    '{% case a%}{%when b%}{% when"c"or d,e -%}{% else %}{% endcase %}{% liquid\ncase a\nwhen b or "c"\necho d\nendcase%}',
    '{%- unless a -%}{%- endunless -%}{{-a|append: c-}}{% echo %}{% capture "a b" %}{% endcapture %}{% cycle a: b, c %}',
    '{{ ["First Name"] }} {{ a["b c"] | append: d, e }}',
    '{% if a > 1 and not b or c contains "x" %}{{ d }}{% elsif not e %}{% endif %}',
    '{% for one in (1..n) reversed limit: 2 %}{% cycle "a", "b" %}{{ one }}{% endfor %}',
    '{% case a %}{% when 1, 2 or 3 %}{% endcase %}{% unless a == empty %}{% endunless %}',
    '{% tablerow one in list cols: 2 %}{{ one }}{% endtablerow %}{% increment n %}{% capture x %}{% endcapture %}',
  ])('are none in: %s', (source) => expect(() => check(source)).not.toThrow());
});

describe('strict mode', () => {
  it('refuses an unknown variable whose name is also that of a property', () => {
    expect(() => text('{{ size }}', {}, true)).toThrow(new UnknownVariableError('text', 'size'));
  });

  it.each(['{{ user.name }}', '{% for one in user.name %}{% endfor %}', '{{ "a" | append: user.name }}'])(
    '%s',
    (source) => {
      expect(() => text(source, { user: {} }, true)).toThrow(new UnknownVariableError('text', 'user.name'));
      expect(text(source, { user: { name: '' } }, true)).toMatch(/^a?$/);
    },
  );

  it('lets a template check for a variable', () => {
    expect(text('{{ name | default: "x" }}{% if name %}{% endif %}{% unless a.b %}y{% endunless %}', {}, true)).toBe(
      'xy',
    );
    expect(text('{{ name }}', { name: null }, true)).toBe('');
  });
});

it.each([
  ['\n\n  {{ name', 3, 3, /not closed/],
  ['a\n{% if x %}', 2, 1, /not closed/],
  ['{% nothing %}', 1, 1, 'tag "nothing" not found'],
  ['{{ x | nothing }}', 1, 1, 'undefined filter: nothing'],
  ['x{% include "a" %}', 1, 2, 'tag "include" not found'],
  ['x{% render "/etc/passwd" %}', 1, 2, 'tag "render" not found'],
  ['x{% layout "a" %}', 1, 2, 'tag "layout" not found'],
  ['{{ x | append }}', 1, 1, /append/],
])('reports the position of the error in %j', (source, line, column, problem) => {
  for (const render of [html, text]) {
    const error = failureOf(() => render(source));
    expect(error).toBeInstanceOf(TemplateError);
    expect(error).toMatchObject({ line, column, problem: expect.stringMatching(problem) });
    expect((error as Error).message).not.toMatch(/line:|node_modules/);
  }
});

it('lists the variables that a template reads', () => {
  const source = '{% assign a = b.c %}{{ a }}{% for d in e %}{{ d.f }}{{ g[h] }}{% endfor %}{% if i %}{% endif %}';
  expect(LiquidTemplate.parse('html', source).variables.sort()).toEqual(['b', 'e', 'g', 'h', 'i']);
});

function failureOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing failed');
}

it('limits results by their bytes', () => {
  const source = '{% for n in (1..100) %}{{ line }}{% endfor %}';
  expect(text(source, { line: 'x'.repeat(52_428) })).toHaveLength(5_242_800);
  const tooLong = new RenderingLimitError('becomes longer than 5 MB');
  expect(() => text(source, { line: 'x'.repeat(52_429) })).toThrow(tooLong);
  expect(() => text(source, { line: '€'.repeat(20_000) })).toThrow(tooLong);
  expect(() => text('€'.repeat(2_000_000))).toThrow(new RenderingLimitError('is longer than 5 MB'));
});

it('quotes only the beginning of a long tag in an error', () => {
  const name = 'a'.repeat(100_000);
  for (const failing of [
    () => html(`{% ${name} %}`),
    () => text(`{{ x | ${name} }}`),
    () => text(`{{ ${name} }}`, {}, true),
  ])
    expect(failing).toThrow(expect.objectContaining({ message: expect.stringMatching(/^.{100,400}$/s) }));
});
