import type { Variables } from '../../src/rendering/liquid/liquid-template.js';

export interface HostileTemplate {
  readonly html: string;
  readonly variables?: Variables;
  /** Takes longer than any limit would be. */
  readonly isEndless?: boolean;
}

const nested = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);
const doubled = (first: string, step: string, times: number) =>
  `${first}{% for i in (1..${times}) %}${step}{% endfor %}`;

/** Templates with maximum cost in time, memory or output. None may render without end or delay others. */
export const HOSTILE_TEMPLATES: Readonly<Record<string, HostileTemplate>> = {
  'nested loops': { html: `${'{% for i in (1..1000) %}'.repeat(4)}x${'{% endfor %}'.repeat(4)}` },
  'nested loops without output': {
    html: `${'{% for i in (1..1000) %}'.repeat(4)}{% assign a = i %}${'{% endfor %}'.repeat(4)}`,
  },
  'empty nested loops': { html: `${'{% for i in (1..1000) %}'.repeat(4)}${'{% endfor %}'.repeat(4)}` },
  'a long range': { html: '{% for i in (1..1000000000) %}x{% endfor %}' },
  'a text that doubles': { html: doubled('{% assign a = "x" %}', '{% assign a = a | append: a %}', 60) },
  'a text that doubles by captures': {
    html: doubled('{% assign a = "x" %}', '{% capture a %}{{ a }}{{ a }}{% endcapture %}', 60),
  },
  'an array that doubles': {
    html: doubled('{% assign a = "x" | split: "" %}', '{% assign a = a | concat: a %}', 60),
  },
  'an array inside itself': {
    html: doubled('{% assign a = "x,y" | split: "," %}', '{% assign a = a | push: a %}', 40) + '{{ a }}',
    isEndless: true,
  },
  'an array inside itself as JSON': {
    html: doubled('{% assign a = "x,y" | split: "," %}', '{% assign a = a | push: a %}', 40) + '{{ a | json }}',
  },
  'an array inside itself, compared': {
    html:
      doubled('{% assign a = "x,y" | split: "," %}', '{% assign a = a | push: a %}{% assign b = a | concat: a %}', 40) +
      '{% if a == b %}{% endif %}{{ a | uniq | sort | join }}',
    isEndless: true,
  },
  'a long output, again and again': {
    html: '{% for i in (1..100000) %}{{ long }}{% endfor %}',
    variables: { long: 'x'.repeat(100_000) },
  },
  'a replacement of everything': {
    html: '{% for i in (1..9) %}{% assign long = long | replace: "x", "xxxxxxxxxxxxxxxx" %}{% endfor %}{{ long }}',
    variables: { long: 'x'.repeat(1000) },
  },
  'a wide date': { html: '{{ "now" | date: "%999999999d" }}' },
  'a date of many parts': { html: '{{ "now" | date: f }}', variables: { f: '%c'.repeat(100_000) } },
  'sorting of long texts': {
    html: '{% for i in (1..100000) %}{% assign b = a | sort | reverse | uniq | join %}{% endfor %}',
    variables: { a: Array.from({ length: 1000 }, (_, index) => 'x'.repeat(100) + index) },
  },
  'words of a long text': {
    html: '{% for i in (1..100000) %}{% assign b = a | strip_html | truncatewords: 2 | squish %}{% endfor %}',
    variables: { a: '< '.repeat(50_000) },
  },
  'a comment of empty lines': { html: `{% # ${'\n'.repeat(1_000_000)} %}` },
  'an unclosed raw block': { html: `{% raw %}${'{% endraw {%'.repeat(50_000)}` },
  'unclosed quotes': { html: '{{ "'.repeat(500_000) },
  'unclosed tags': { html: '{% if '.repeat(500_000) },
  'blocks in blocks': { html: nested('{% if true %}', '{% endif %}', 9_000) },
  'captures in captures': { html: nested('{% capture a %}', '{% endcapture %}', 9_000) },
  'too many blocks': { html: nested('{% if true %}', '{% endif %}', 100_000) },
  'too many outputs': { html: '{{ a }}'.repeat(700_000) },
  'a long path': { html: `{{ a${'.a'.repeat(1_000_000)} }}` },
  'a path in a path': { html: `{{ ${'a['.repeat(100_000)}1${']'.repeat(100_000)} }}` },
  'a long chain of filters': { html: `{{ a ${'| upcase '.repeat(300_000)} }}`, variables: { a: 'x'.repeat(10_000) } },
  'a long condition': { html: `{% if ${'a and '.repeat(500_000)} a %}{% endif %}` },
  'many cases': { html: `{% case a %}${'{% when 1, 2, 3 %}x'.repeat(19_000)}{% endcase %}` },
  'a source of 5 MB and more': { html: 'x'.repeat(5 * 1024 * 1024 + 1) },
  'open tags': { html: '<a href="{{ a }}" <'.repeat(15_000) },
  'wide tables': {
    html: '{% for i in (1..1000) %}{% tablerow j in (1..1000) cols: 1 %}{{ j }}{% endtablerow %}{% endfor %}',
  },
};
