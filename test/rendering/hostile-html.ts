/** Documents of a given size that make parsers slow, each in a different way. */
export const HOSTILE: Readonly<Record<string, (size: number) => string>> = {
  'nested tags': (size) => repeated('<div>', size),
  'nested quotes': (size) => repeated('<blockquote>x ', size),
  'nested lists': (size) => repeated('<ul><li>', size),
  'nested tables': (size) => repeated('<table><tr><td>', size),
  'nested links': (size) => repeated('<a href="https://x.test/">', size),
  'nested pictures': (size) => repeated('<svg><title>', size / 2) + repeated('</x>', size / 2),
  'one tag with many attributes': (size) => `<p ${repeated('a b=c d ', size)}>`,
  'one link with many attributes': (size) => `<a ${repeated('href rel=x ', size)}>`,
  'cut off links': (size) => repeated('<a href=', size),
  'cut off quoted links': (size) => repeated('<a href="', size),
  'links in mixed quotes': (size) => repeated(`<a href='"`, size),
  'open comments': (size) => repeated('<!--', size),
  'nearly closed comments': (size) => `<!--${repeated('--!', size)}`,
  'conditional comments': (size) => repeated('<!--[if mso]><title>-->', size),
  'open conditions': (size) => repeated('<!--[if mso', size),
  'open tags': (size) => repeated('<p ', size),
  'less-than signs': (size) => repeated('<', size),
  'end tags': (size) => repeated('</p>', size),
  'open end tags': (size) => repeated('</', size),
  'open raw text': (size) => `<title>${repeated('</titl', size)}`,
  'scripts in scripts': (size) => `<script>${repeated('<!--<script>', size)}`,
  'one long URL': (size) => `<a href="https://x.test/${repeated('x', size)}">`,
  'blanks in a URL': (size) => `<a href="https://x.test/${repeated(' ', size)}x">`,
  'references in a URL': (size) => `<a href="https://x.test/${repeated('&am', size)}">`,
  rules: (size) => repeated('<hr>', size),
  paragraphs: (size) => repeated('<p>x', size),
};

function repeated(text: string, size: number): string {
  return text.repeat(Math.ceil(size / text.length)).slice(0, size);
}

/** Short documents that nesting makes long, because each of their many lines gets the markup of every level. */
export const NESTED_LINES: Readonly<Record<string, string>> = {
  'many lines in quotes': `${'<blockquote>'.repeat(24)}<pre>x${'\n'.repeat(32_000)}y`,
  'many lines behind long numbers': `${'<ol type=i start=3888><li>'.repeat(22)}<pre>x${'\n'.repeat(32_000)}y`,
  'lines behind huge numbers': `${`<ol type=a start=${'9'.repeat(308)}><li>`.repeat(16)}<pre>x${'\n'.repeat(3_500)}y`,
  'a short document': `${'<ol type=i start=3888><li>'.repeat(14)}<pre>x${'\n'.repeat(640)}y`,
};
