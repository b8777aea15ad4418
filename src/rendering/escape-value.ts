import type { AttributeValue } from './tag.js';

const NEEDS_ESCAPE = /[&"'<>=`\s]/;
const QUOTED: Record<string, string> = { '&': '&amp;', '"': '&quot;', "'": '&#39;' };

/** A value as it is written between these quotes, or without quotes, to be read back as it was. */
export function escapedFor(quote: AttributeValue['quote'], value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return value;
  if (quote !== '') return value.replace(quote === '"' ? /[&"]/g : /[&']/g, (character) => QUOTED[character]!);
  return value.replace(/[&"'<>=`\s]/g, (character) => QUOTED[character] ?? `&#${character.charCodeAt(0)};`);
}
