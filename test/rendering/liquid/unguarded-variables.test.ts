import { LiquidTemplate } from '../../../src/rendering/liquid/liquid-template.js';

const unguarded = (source: string): string[] =>
  LiquidTemplate.parse('html', source).unguardedVariables.map((path) => path.join('.'));

describe('variables that leave a gap when they are unknown', () => {
  it.each([
    ['an output', '<p>{{ name }} {{ user.city | upcase }}</p>', ['name', 'user.city']],
    [
      'parts of values',
      '{{ a.b[0]["c d"] }} {{ a.b[key].c }} {{ e.first }} {{ e.list.size }}',
      ['a.b.0.c d', 'a.b', 'key', 'e', 'e.list'],
    ],
    ['the beginning of a long path', `{{ a${'.b'.repeat(30)} }}`, [`a${'.b'.repeat(19)}`]],
    ['one of two parts without a default value', '{{ a.b | default: 1 }} {{ a.c }}', ['a.c']],
    ['a part of a value that a condition tests', '{% if a %}{{ a.b }}{% endif %}', []],
    ['a loop over a part', '{% for item in a.items %}{{ item.name }}{% endfor %}', ['a.items']],
    ['an output with a default value', '{{ name | default: "there" }} {{ city | upcase | default: "home" }}', []],
    ['one of two outputs without a default value', '{{ name | default: "there" }}, {{ name }}', ['name']],
    ['the default value itself', '{{ name | default: nick }}', ['nick']],
    ['a variable that a condition tests', '{% if seat and row %}{{ seat }} {{ row }}{% endif %}', []],
    ['a variable that a later branch tests', '{% if a %}A{% elsif b %}{{ b }}{% else %}{{ c }}{% endif %}', ['c']],
    ['a case', '{% case plan %}{% when best %}{{ plan }}{% endcase %}', []],
    ['a loop', '{% for item in items %}{{ item.name }}{% endfor %}', ['items']],
    [
      'what the template sets itself',
      '{% assign a = b | default: 1 %}{{ a }}{% capture d %}{{ e }}{% endcapture %}{{ d }}',
      ['e'],
    ],
    ['a loop that says what to show instead', '{% for item in items %}{{ item }}{% else %}none{% endfor %}', []],
    [
      'what is guarded where the result is used',
      '{% assign first = name | split: " " | first %}{{ first | default: "there" }}{% assign b = a %}{% if b %}{{ b }}{% endif %}',
      [],
    ],
    [
      'what is guarded only after several steps',
      '{% assign a = name | strip %}{% assign constructor = a %}{% assign c = a %}{{ c | default: "there" }}',
      [],
    ],
    [
      'what is guarded after the result was changed',
      '{% assign a = name | split: " " %}{% assign a = a | first %}{{ a | default: "there" }}',
      [],
    ],
    ['what only becomes another value of itself', '{% assign a = a | strip %}{{ a }}', ['a']],
    ['what one of two uses guards', '{% assign a = name %}{{ a | default: "there" }}{{ a }}', ['name']],
    ['a liquid tag', '{% liquid\n echo name\n echo city | default: "home" %}', ['name']],
  ])('%s', (_, source, names) => {
    expect(unguarded(source)).toEqual(names);
  });
});
