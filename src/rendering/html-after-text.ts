import { endsName, hasNameAt } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { endOfTag } from './html-scanner/tag.js';

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** HTML that shows a plain text, as it is, before its own content. */
export function htmlAfterText(text: string, html: string): string {
  const lines = text
    .trimEnd()
    .replace(/[&<>]/g, (character) => ESCAPED[character]!)
    .split(/\r?\n/);
  const at = startOfBody(html);
  return `${html.slice(0, at)}<div style="white-space: pre-wrap">${lines.join('<br>')}</div>\n${html.slice(at)}`;
}

/** The index after `<body>`, outside comments; 0 if there is none. */
function startOfBody(html: string): number {
  let at = html.indexOf('<');
  while (at !== -1) {
    if (hasNameAt(html, at + 1, 'body') && endsName(html.charCodeAt(at + 5)))
      return Math.max(endOfTag(html, at + 5), 0);
    const end = html.startsWith('<!--', at) ? (commentFrom(html, at + 4)?.end ?? html.length) : at + 1;
    at = html.indexOf('<', end);
  }
  return 0;
}
