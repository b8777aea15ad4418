import type { AttributeValue } from './html-scanner/attributes.js';

const QUOTED: Record<string, string> = { '&': '&amp;', '"': '&quot;', "'": '&#39;' };

/** Escapes a value for these quotes or for no quotes. */
export function escapedFor(quote: AttributeValue['quote'], value: string): string {
  if (quote === '')
    return value.replace(/[&"'<>=`\s]/g, (character) => QUOTED[character] ?? `&#${character.charCodeAt(0)};`);
  if (!value.includes('&') && !value.includes(quote)) return value;
  return value.replace(quote === '"' ? /[&"]/g : /[&']/g, (character) => QUOTED[character]!);
}
