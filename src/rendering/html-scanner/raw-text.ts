import { endsName, hasNameAt } from './characters.js';
import { endOfTag } from './tag.js';

/**
 * Elements whose content is text up to their end tag (WHATWG HTML 13.2.6.2). Not `noscript`: mail clients run no
 * scripts and show its content as HTML.
 */
export const RAW_TEXT_ELEMENTS = [
  'iframe',
  'noembed',
  'noframes',
  'plaintext',
  'script',
  'style',
  'textarea',
  'title',
  'xmp',
] as const;

const SCRIPT_MARK = /<!--|-->|<\/?script[\t\n\f\r />]/gi;

/**
 * Returns the index after the end tag of a raw text element, or -1 if the end tag is missing or truncated.
 * @param at the index after the element's start tag
 */
export function endOfRawTextElement(text: string, at: number, lowerCaseName: string): number {
  const endTag = startOfEndTag(text, at, lowerCaseName);
  return endTag === -1 ? -1 : endOfTag(text, endTag + 2 + lowerCaseName.length);
}

function startOfEndTag(text: string, at: number, lowerCaseName: string): number {
  if (lowerCaseName === 'plaintext') return -1;
  if (lowerCaseName === 'script') return endOfScript(text, at);
  for (let end = text.indexOf('</', at); end !== -1; end = text.indexOf('</', end + 2)) {
    const afterName = end + 2 + lowerCaseName.length;
    if (hasNameAt(text, end + 2, lowerCaseName) && endsName(text.charCodeAt(afterName))) return end;
  }
  return -1;
}

/** Inside "<!--", a script may contain nested "<script" ... "</script" pairs (13.2.5.20 to 13.2.5.31). */
function endOfScript(text: string, at: number): number {
  let state: 'plain' | 'escaped' | 'double escaped' = 'plain';
  SCRIPT_MARK.lastIndex = at;
  for (let mark = SCRIPT_MARK.exec(text); mark !== null; mark = SCRIPT_MARK.exec(text)) {
    if (mark[0] === '-->') {
      state = 'plain';
    } else if (mark[0] === '<!--') {
      if (state === 'plain') state = 'escaped';
      // "<!-->" both opens and closes, so its dashes are read again.
      SCRIPT_MARK.lastIndex = mark.index + 2;
    } else if (mark[0][1] !== '/') {
      if (state === 'escaped') state = 'double escaped';
    } else if (state === 'double escaped') {
      state = 'escaped';
    } else {
      return mark.index;
    }
  }
  return -1;
}
