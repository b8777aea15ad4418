import { endsName, hasNameAt } from './html-scanner/characters.js';
import { commentFrom } from './html-scanner/comment.js';
import { endOfRawTextElement, RAW_TEXT_ELEMENTS } from './html-scanner/raw-text.js';
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

/** The index after `<body>`, outside comments and the text of elements such as `<title>`; 0 if there is none. */
function startOfBody(html: string): number {
  let at = html.indexOf('<');
  while (at !== -1) {
    if (isTagAt(html, at, 'body')) return Math.max(endOfTag(html, at + 5), 0);
    at = html.indexOf('<', endOfText(html, at));
  }
  return 0;
}

/** @returns the index after the comment or text that starts at `at`; that of the next character for any other tag */
function endOfText(html: string, at: number): number {
  if (html.startsWith('<!--', at)) return commentFrom(html, at + 4)?.end ?? html.length;
  const name = RAW_TEXT_ELEMENTS.find((element) => isTagAt(html, at, element));
  if (name === undefined) return at + 1;
  const start = endOfTag(html, at + 1 + name.length);
  const end = start === -1 ? -1 : endOfRawTextElement(html, start, name);
  // Without an end tag, the rest is text.
  return end === -1 ? html.length : end;
}

function isTagAt(html: string, at: number, lowerCaseName: string): boolean {
  return hasNameAt(html, at + 1, lowerCaseName) && endsName(html.charCodeAt(at + 1 + lowerCaseName.length));
}
