import { LiquidTemplate, type Variables } from '../../../src/rendering/liquid/liquid-template.js';

const now = new Date('2026-02-03T04:05:06Z');

function html(source: string, variables: Variables = {}): string {
  return LiquidTemplate.parse('html', source).render(variables, { now });
}

function text(source: string, variables: Variables = {}): string {
  return LiquidTemplate.parse('text', source).render(variables, { now });
}

const EVIL = `<b>"'&`;

describe('escaping', () => {
  it.each([
    ['in text', '<p>{{ v }}</p>', EVIL, '<p>&lt;b&gt;&quot;&#39;&amp;</p>'],
    ['not with the filter raw', '<p>{{ v | raw }}</p>', EVIL, `<p>${EVIL}</p>`],
    ['once', '<p>{{ v | escape }}</p>', EVIL, '<p>&lt;b&gt;&quot;&#39;&amp;</p>'],
    [
      'in a quoted attribute',
      `<p title="{{ v }}" lang='{{ v }}'>`,
      `a" '`,
      `<p title="a&quot; &#39;" lang='a&quot; &#39;'>`,
    ],
    ['in an unquoted attribute', '<p title={{ v }}>', 'a onclick=x', '<p title=a&#32;onclick&#61;x>'],
    ['inside a tag', '<p {{ v }}>', 'a="b">', '<p a&#61;&quot;b&quot;&gt;>'],
    ['as a whole URL', '<a href="{{ v }}">', 'https://x.test/a b?c=d&e', '<a href="https://x.test/a%20b?c=d&amp;e">'],
    ['as a script URL', '<a href="{{ v }}">', ' java\tscript:alert(1)', '<a href="#">'],
    ['as a relative URL', '<a href="{{ v }}">', 'a/b:c', '<a href="a/b:c">'],
    ['as an unquoted URL', '<a href={{ v }}>', 'https://x.test/a b', '<a href=https:&#47;&#47;x.test&#47;a%20b>'],
    ['in the path of a URL', '<a href="https://x.test/{{ v }}/">', 'a"b c', '<a href="https://x.test/a%22b%20c/">'],
    [
      'in the query of a URL',
      '<a href="https://x.test/?q={{ v }}&r={{ v }}">',
      'a&b=ü',
      '<a href="https://x.test/?q=a%26b%3D%C3%BC&r=a%26b%3D%C3%BC">',
    ],
    ['after url_encode', '<a href="/?q={{ v | url_encode }}">', 'a b&c', '<a href="/?q=a+b%26c">'],
    ['behind another variable', '<a href="{{ base }}?q={{ v }}">', 'a/b', '<a href="https://b.test?q=a%2Fb">'],
    [
      'in a script',
      '<script>x = "{{ v }}"</script>',
      '"</script>',
      '<script>x = "\\u0022\\u003c/script\\u003e"</script>',
    ],
    ['in a style', '<style>a{color:{{ v }}}</style>', '</style><b>', '<style>a{color:/style>b>}</style>'],
    ['in noscript', '<noscript><a href="{{ v }}">', 'javascript:x', '<noscript><a href="#">'],
    ['in a title', '<title>{{ v }}</title>', '</title>', '<title>&lt;/title&gt;</title>'],
    ['in a comment', '<!-- {{ v }} -->', '-->', '<!-- &#45;&#45;&gt; -->'],
    [
      'in a conditional comment',
      '<!--[if mso]><a href="?{{ v }}"><![endif]-->',
      'a b',
      '<!--[if mso]><a href="?a%20b"><![endif]-->',
    ],
    [
      'behind a comment',
      '<!--[if !mso]><!--><a href="?{{ v }}"><!--<![endif]-->{{ v }}',
      'a b',
      '<!--[if !mso]><!--><a href="?a%20b"><!--<![endif]-->a b',
    ],
    ['behind an end tag', '<p title="x"></p>{{ v }}', '<', '<p title="x"></p>&lt;'],
    [
      'once in captured text',
      '{% capture c %}{{ v }}{% endcapture %}<p>{{ c }}</p>',
      EVIL,
      '<p>&lt;b&gt;&quot;&#39;&amp;</p>',
    ],
    [
      'once in text that a block of tags captures',
      '{% liquid\ncapture c\necho v\nendcapture\n%}<p>{{ c }}</p>',
      EVIL,
      '<p>&lt;b&gt;&quot;&#39;&amp;</p>',
    ],
    [
      'in markup that a block of tags captures',
      '{% liquid\ncapture c\necho v\nendcapture\n%}{{ c | raw }}',
      '<',
      '&lt;',
    ],
    [
      'after a comment with a part of a capture',
      '{% comment %}{% capture x %}{% endcomment %}<a title="{{ v }}">',
      '"><script>',
      '<a title="&quot;&gt;&lt;script&gt;">',
    ],
    [
      'after a comment with a part of a block',
      '<a href="{% comment %}{% if old %}{{ old }}{% endcomment %}{{ v }}">',
      'javascript:x',
      '<a href="#">',
    ],
    [
      'in captured markup with a name of other letters',
      '{% capture 名前 %}<i>{{ v }}</i>{% endcapture %}{{ 名前 | raw }}',
      '<b>',
      '<i>&lt;b&gt;</i>',
    ],
    [
      'in captured markup with a name of signs',
      '{% capture "!" %}<i>{{ v }}</i>{% endcapture %}{{ ["!"] | raw }}',
      '<b>',
      '<i>&lt;b&gt;</i>',
    ],
    ['in a captured URL', '{% capture c %}{{ v }}{% endcapture %}<a href="{{ c }}">', 'javascript:x', '<a href="#">'],
    [
      'in a captured string of a script',
      '{% capture c %}{{ v }}{% endcapture %}<script>"{{ c }}"</script>',
      '"</script>',
      '<script>"\\u0022\\u003c/script\\u003e"</script>',
    ],
    [
      'in captured markup that is not escaped again',
      '{% capture c %}<b title="{{ v }}">{{ v }}</b>{% endcapture %}{{ c | raw }}',
      '"<',
      '<b title="&quot;&lt;">&quot;&lt;</b>',
    ],
    [
      'in captured markup by another name',
      '{% capture c %}{{ v }}{% endcapture %}{% assign d = c %}{{ d | raw }}',
      '<',
      '&lt;',
    ],
    [
      'in both kinds of captured text',
      '{% capture c %}{{ v }}{% endcapture %}{% capture d %}<b>{{ c }}</b>{% endcapture %}{{ c }}{{ d | raw }}',
      '<',
      '&lt;<b>&lt;</b>',
    ],
    ['as a URL of two parts', '<a href="{{ base2 }}{{ v }}">', 'script:alert(1)', '<a href="java#">'],
    ['as a URL of three parts', '<a href="{{ base2 }}{{ base3 }}{{ v }}">', ':alert(1)', '<a href="javascript#">'],
    ['as the rest of a scheme', '<a href="java{{ v }}">', 'script:alert(1)', '<a href="java#">'],
    ['as an encoded URL', '<a href="{{ v | uri_escape }}">', 'javascript:x', '<a href="#">'],
    ['as a URL by echo', '<a href="{% echo v %}">', 'javascript:x', '<a href="#">'],
    ['as a URL by cycle', '<a href="{% cycle v, v %}">', 'javascript:x', '<a href="#">'],
    ['as a URL by a block of tags', '<a href="{% liquid\necho v\n%}">', 'javascript:x', '<a href="#">'],
    ['by echo without quotes', '<a title={% echo v %}>', 'alert(1) onclick=x', '<a title=alert(1)&#32;onclick&#61;x>'],
    ['by cycle without quotes', '<a title={% cycle v %}>', 'a onclick=x', '<a title=a&#32;onclick&#61;x>'],
    ['by cycle in an attribute', '<a title="{% cycle v %}">', '"', '<a title="&quot;">'],
    ['not by echo with the filter raw', '<p>{% echo v | raw %}{% cycle v | raw %}', '<b>', '<p><b><b>'],
    ['behind a comment of the template', '{% comment %}<a title="{% endcomment %}<p>{{ v }}', '<', '<p>&lt;'],
    ['by echo and cycle', '{% echo v %}{% cycle v %}{% liquid echo v %}', '<', '&lt;&lt;&lt;'],
  ])('%s', (_name, source, v, expected) => {
    expect(html(source, { v, base: 'https://b.test', base2: 'java', base3: 'script' })).toBe(expected);
  });

  it('follows the branches of a template', () => {
    const source = '<a href="{% if a %}https://x.test/?q={{ v }}{% else %}{{ v }}{% endif %}">{{ v }}</a>';
    expect(html(source, { a: true, v: 'a&b' })).toBe('<a href="https://x.test/?q=a%26b">a&amp;b</a>');
    expect(html(source, { v: 'javascript:x' })).toBe('<a href="#">javascript:x</a>');
  });

  it('lets no branch hide that a URL may begin behind a block', () => {
    const v = 'javascript:x';
    for (const beginning of [
      '{% if a %}{% else %}https://x.test/?q={% endif %}',
      '{% if a %}{% elsif b %}https://x.test/{% else %}https://x.test/?q={% endif %}',
      '{% unless b %}{% else %}/p/{% endunless %}',
      '{% case b %}{% when 1 %}https://x.test/?{% endcase %}',
      '{% for one in b %}https://x.test/?{% endfor %}',
      '{% if b %}{% if b %}/p?{% endif %}{% endif %}',
      '{% for one in list %}{% if one %}{% continue %}{% endif %}/p/{% else %}/q/{% endfor %}',
      '{% for one in list %}{% if one %}{% break %}{% endif %}/p/{% endfor %}',
    ])
      for (const quote of ['"', ''])
        expect(html(`<a href=${quote}${beginning}{{ v }}${quote}>`, { a: true, v, list: [1] })).toBe(
          `<a href=${quote}#${quote}>`,
        );
    for (const tag of [
      '<a {% if a %}href{% else %}title{% endif %}="{{ v }}">',
      '<a {% if a %}href="{% else %}title="{% endif %}{{ v }}">',
      '<{% if a %}a href="{% else %}p title="{% endif %}{{ v }}">',
    ])
      expect(html(tag, { a: true, v })).toBe('<a href="#">');
    const query = '<a href="https://x.test/{% if a %}?l={{ v }}{% else %}?{% endif %}&q={{ v }}">';
    expect(html(query, { a: true, v: 'a&b' })).toBe('<a href="https://x.test/?l=a%26b&q=a%26b">');
    const cases = '<a href="{% case a %}{% when 1 %}https://x.de/?q={% else %}https://x.test/?q={% endcase %}{{ v }}">';
    expect(html(cases, { v: '10:30&b' })).toBe('<a href="https://x.test/?q=10%3A30%26b">');
    const parameters = '<a href="{{ base }}{% if a %}?l={{ v }}{% endif %}&q={{ v }}">';
    expect(html(parameters, { base: 'https://x.test', a: true, v: 'a&b' })).toBe(
      '<a href="https://x.test?l=a%26b&q=a%26b">',
    );
  });

  it('follows a loop into its second round', () => {
    const link = '<a href="https://x.test/{% for one in list %}{{ one }}">l</a><a href="{% endfor %}">';
    expect(html(link, { list: ['a/b', 'javascript:x'] })).toBe(
      '<a href="https://x.test/a/b">l</a><a href="#">l</a><a href="">',
    );
    const value = '<p>{% for one in list %}{{ one }}</p><p title={% endfor %}x>';
    expect(html(value, { list: ['a', 'b onclick=x'] })).toBe('<p>a</p><p title=b&#32;onclick&#61;x</p><p title=x>');
    const path = '<a href="https://x.test{% for one in list %}/{{ one }}{% endfor %}">';
    expect(html(path, { list: ['a', 'b/c'] })).toBe('<a href="https://x.test/a/b/c">');
    // Nested loops that change their place do not multiply the time.
    const nested = `${'{% for one in list %}">'.repeat(200)}{{ one }}<a href="${'{% endfor %}'.repeat(200)}`;
    expect(html(`<a href="${nested}">`, { list: [] })).toBe('<a href="">');
  });

  it('does not escape again what escape_once has escaped', () => {
    expect(html('<p title="{{ v | escape_once }}">{{ v | escape_once }}</p>', { v: '1 &lt; 2 & "3"' })).toBe(
      '<p title="1 &lt; 2 &amp; &#34;3&#34;">1 &lt; 2 &amp; &#34;3&#34;</p>',
    );
    expect(html('<p title={{ v | escape_once }}>', { v: 'a b' })).toBe('<p title=a&#32;b>');
    expect(html('{% echo v | escape_once %} {% cycle v | escape_once %}', { v: '&lt;<' })).toBe('&lt;&lt; &lt;&lt;');
  });

  it('is not for text', () => {
    expect(text('<a href="?{{ v }}">{{ v | escape }}', { v: '<&' })).toBe('<a href="?<&">&lt;&amp;');
  });
});
