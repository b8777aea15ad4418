import { createHash } from 'node:crypto';
import type { Unsubscription } from '../../../links/unsubscribe-token.js';
import { PAGE_TEXTS, type Language } from './page-texts.js';
import type { Choice } from './submitted-choice.js';
import type { PageTexts } from './text-of-page.js';

const STYLE = [
  ':root{color-scheme:light dark;--page:#f3f4f6;--card:#fff;--text:#1b1f24;--quiet:#4b5563;--line:#6b7280;--button:#1d4ed8;--on:#fff}',
  '@media(prefers-color-scheme:dark){:root{--page:#101418;--card:#1b2128;--text:#e6e9ed;--quiet:#b4bcc6;--line:#8b95a1;--button:#8ab4f8;--on:#0b1a33}}',
  '*{box-sizing:border-box}',
  'body{margin:0;min-height:100vh;display:flex;flex-direction:column;align-items:center;padding:8vh 1rem 2rem;background:var(--page);color:var(--text);font:1.0625rem/1.55 system-ui,sans-serif}',
  'main{width:100%;max-width:34rem;padding:2rem;background:var(--card);border-radius:.75rem;overflow-wrap:anywhere}',
  'h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}',
  'p{margin:0 0 1.25rem}',
  '.quiet{margin:1.25rem 0 .75rem;font-size:.9375rem;color:var(--quiet)}',
  'b{font-weight:600}',
  'bdi{display:inline-block;max-width:100%}',
  'button{width:100%;min-height:3rem;padding:.625rem 1.5rem;border:2px solid var(--button);border-radius:.5rem;background:var(--button);color:var(--on);font:inherit;font-weight:600;cursor:pointer}',
  '.second{border-color:var(--line);background:transparent;color:inherit}',
  'button:focus-visible{outline:3px solid var(--text);outline-offset:3px}',
  '@media(min-width:30rem){button{width:auto}}',
].join('');

/**
 * Allows no script, nothing from other origins, and one style by its hash; the form can only post to its own address.
 */
const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const ESCAPED: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** The kinds of pages. Each except the last has a button. */
export type PageKind = 'offer' | 'unsubscribed' | 'resubscribed' | 'failed';

/** An HTML page with the headers that protect it. */
interface ProtectedPage {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string | number>>;
}

/** @param retry what the button of a page for a failed request repeats */
export function unsubscribePage(
  kind: PageKind,
  language: Language,
  subject: Unsubscription,
  retry: Choice = 'unsubscribe',
): ProtectedPage {
  const texts = PAGE_TEXTS[language];
  const { heading, text } = texts[kind];
  const said = `<p>${filledIn(text, subject)}</p>`;
  switch (kind) {
    case 'offer':
      return page(language, heading, said + form(texts, 'unsubscribe') + quiet(texts.offer.note));
    case 'unsubscribed':
      return page(language, heading, said + quiet(texts.unsubscribed.mistake) + form(texts, 'resubscribe', 'second'));
    case 'resubscribed':
      return page(language, heading, said + form(texts, 'unsubscribe', 'second'));
    case 'failed':
      return page(language, heading, said + form(texts, retry));
  }
}

/** The page for an address without a valid token. */
export function invalidTokenPage(language: Language): ProtectedPage {
  const { heading, text } = PAGE_TEXTS[language].invalid;
  return page(language, heading, `<p>${escaped(text)}</p>`);
}

/** The page for a link that an operator has blocked. */
export function blockedLinkPage(language: Language): ProtectedPage {
  const { heading, text } = PAGE_TEXTS[language].blocked;
  return page(language, heading, `<p>${escaped(text)}</p>`);
}

function page(language: Language, heading: string, content: string): ProtectedPage {
  const html =
    `<!doctype html>\n<html lang="${language}" dir="ltr">\n<head>\n<meta charset="utf-8">\n` +
    '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="robots" content="noindex">\n' +
    `<title>${escaped(heading)}</title>\n<style>${STYLE}</style>\n</head>\n` +
    `<body>\n<main>\n<h1>${escaped(heading)}</h1>\n${content}\n</main>\n</body>\n</html>\n`;
  const body = Buffer.from(html);
  return {
    body,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': body.length,
      'Content-Language': language,
      'Content-Security-Policy': POLICY,
      'Cache-Control': 'no-store',
      Vary: 'Accept-Language',
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'X-Robots-Tag': 'noindex, nofollow',
    },
  };
}

/** Goes to the page's own address. The hidden field keeps the body from being empty without the button. */
function form({ buttons }: PageTexts, choice: Choice, style = ''): string {
  const look = style && ` class="${style}"`;
  return (
    '\n<form method="post"><input type="hidden" name="from" value="page">' +
    `<button name="choice" value="${choice}"${look}>${escaped(buttons[choice])}</button></form>`
  );
}

function quiet(text: string): string {
  return `\n<p class="quiet">${escaped(text)}</p>`;
}

/** Names and addresses may be written from right to left, which must not change the direction of our text. */
function filledIn(text: string, { sender, recipient }: Unsubscription): string {
  const address = `<bdi dir="ltr">${escaped(sender.address)}</bdi>`;
  const shown: Record<string, string> = {
    '{sender}': sender.name ? `<b><bdi>${escaped(sender.name)}</bdi></b> (${address})` : `<b>${address}</b>`,
    '{recipient}': `<b><bdi dir="ltr">${escaped(recipient)}</bdi></b>`,
  };
  return escaped(text).replace(/\{\w+\}/g, (slot) => shown[slot] ?? slot);
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPED[character]!);
}
