import fc from 'fast-check';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { LiquidTemplate } from '../../../src/rendering/liquid/liquid-template.js';
import { untimed } from '../untimed.js';

type Node = DefaultTreeAdapterTypes.Node;

/** Pieces of templates, each with outputs in different positions. */
const PIECES = [
  '<p>{{ v }}</p>',
  '<p title="{{ v }}" lang=\'{{ v }}\' dir={{ v }} class=b>x</p>',
  '<p title=a{{ v }}>x</p>',
  '<a href="{{ v }}">{{ v }}</a>',
  "<a href='https://x.test/{{ v }}?a={{ v }}#{{ v }}'>x</a>",
  '<a href={{ v }}>x</a>',
  '<title>{{ v }}</title>',
  '<style>p { color: {{ v }} }</style>',
  '<script>let x = "{{ v }}", y = \'{{ v }}\'</script>',
  '<textarea>{{ v }}</textarea>',
  '<!-- {{ v }} -->',
  '<!--[if mso]><a href="{{ v }}">{{ v }}</a><![endif]-->',
  '{% if w %}<b title="{{ v }}">{% else %}<b>{{ v }}{% endif %}</b>',
  '<td style="color: {{ v }}" background="{{ v }}">',
  '{% for i in (1..2) %}<i>{{ v }}</i>{% endfor %}',
  '{% capture c %}<u title="{{ v }}">{% endcapture %}{{ c }}',
];
const value = fc.string({
  maxLength: 12,
  unit: fc.constantFrom(...'<>"\'&=/ \n`-!;:{}()\\', 'a', 'script', '</', 'style', '-->', 'javascript:', 'on', 'ü'),
});

/** The elements of a document and the names of their attributes. */
function shapeOf(node: Node): unknown {
  if (!('childNodes' in node)) return [];
  const attributes = 'attrs' in node ? node.attrs.map(({ name }) => name) : [];
  return [node.nodeName, attributes, ...node.childNodes.filter(({ nodeName }) => nodeName !== '#text').map(shapeOf)];
}

it('no value changes the elements and attributes of its template', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 6 }), value, fc.boolean(), (pieces, v, w) => {
      const template = LiquidTemplate.parse('html', pieces.join('\n'));
      const shape = (text: string) =>
        shapeOf(parse(untimed(() => template.render({ v: text, w }, { now: new Date(0) }))));
      expect(shape(v)).toEqual(shape('x'));
    }),
    { numRuns: 1000 },
  );
});

it('no value becomes a script', () => {
  fc.assert(
    fc.property(value, (v) => {
      const template = LiquidTemplate.parse(
        'html',
        '<a href="{{ v }}"></a><a href=\'{{ v }}/x\'></a><img src={{ v }}>',
      );
      const html = untimed(() => template.render({ v: `${v}javascript:alert(1)` }, { now: new Date(0) }));
      const text = JSON.stringify(parse(html), (key, part: unknown) => (key === 'parentNode' ? undefined : part));
      for (const [, url] of text.matchAll(/"name":"(?:href|src)","value":("(?:[^"\\]|\\.)*")/g)) {
        expect(protocolOf(JSON.parse(url!) as string)).not.toBe('javascript:');
      }
    }),
    { numRuns: 1000 },
  );
});

function protocolOf(url: string): string {
  try {
    return new URL(url, 'https://base.test/').protocol;
  } catch {
    return '';
  }
}
