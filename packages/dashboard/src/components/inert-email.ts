/** Elements that could load, run, link to or send something. */
const ACTIVE = 'script, link, meta, base, iframe, frame, object, embed, form, audio, video, template, noscript';
const REFERENCES = ['href', 'xlink:href', 'src', 'srcset', 'background', 'poster', 'action', 'formaction', 'ping'];
/** What begins here ends by itself at the end of the text, as for a browser. */
const URLS = /(?:url|image-set|image)\s*\([^)]*\)?|@import[^;]*;?/gi;
/** CSS allows escapes in every name (CSS Syntax Level 3, 4.3.7). */
const ESCAPES = /\\(?:([0-9a-f]{1,6})\s?|([g-z])|.)/gis;

/** Holds an inline style: the policy of this page refuses the attribute itself, with an error in the console. */
const STYLE_TEXT = 'data-style-text';
/** Replaces a script's attribute, for the same reason. */
const HANDLER = 'data-handler';
/** An element that is parsed like `style`, but never shown. */
const SHEET = 'noframes';
const TAG = /<(\/?[a-z][^\s/>]*)((?:[\s/](?:=\s*"[^"]*(?:"|$)|=\s*'[^']*(?:'|$)|[^>])*?)?)(>|$)/gi;
const REFUSED = /(=\s*(?:"[^"]*"?|'[^']*'?))|(?<![\w-])(style|on\w+)(?=\s*=)/gi;

interface InertEmail {
  readonly root: HTMLElement;
  /** Texts of its style sheets. */
  readonly sheets: readonly string[];
}

/**
 * An email whose links lead nowhere and that loads nothing. `applyStyles` sets its inline styles.
 * @param mark changes the email while its links still have addresses
 */
export function inertEmail(html: string, mark?: (page: Document) => void): InertEmail {
  const page = new DOMParser().parseFromString(withoutRefused(html), 'text/html');
  mark?.(page);
  const root = page.documentElement;
  const sheets = [...root.querySelectorAll(`style, ${SHEET}`)].map(({ textContent }) => withoutUrls(textContent ?? ''));
  for (const element of root.querySelectorAll(`style, ${SHEET}, ${ACTIVE}`)) {
    if (element.matches('form')) element.replaceWith(...element.childNodes);
    else element.remove();
  }
  for (const element of [root, ...root.querySelectorAll('*')]) makeInert(element);
  return { root, sheets: ['[data-link] { color: #1a56db; text-decoration: underline }', ...sheets] };
}

/** Sets the inline styles of an email through the object model, once it is in its document. */
export function applyStyles(page: Document): void {
  for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE_TEXT}]`))
    element.style.cssText = withoutUrls(element.getAttribute(STYLE_TEXT)!);
}

function withoutUrls(css: string): string {
  return withPlainLetters(css).replace(URLS, 'none');
}

/** The same style with every letter as itself. Other characters stay escaped, because some end a name or a text. */
function withPlainLetters(css: string): string {
  return css.replace(ESCAPES, (escape, code: string | undefined, letter: string | undefined) => {
    if (code === undefined) return letter ?? escape;
    const character = String.fromCharCode(parseInt(code, 16));
    return /[a-z]/i.test(character) ? character : escape;
  });
}

function withoutRefused(html: string): string {
  return html.replace(TAG, (_, name: string, attributes: string, end: string) => {
    const element = name.replace(/^(\/?)style$/i, `$1${SHEET}`);
    const harmless = attributes.replace(
      REFUSED,
      (_, value: string | undefined, refused: string) =>
        value ?? (refused.toLowerCase() === 'style' ? STYLE_TEXT : HANDLER),
    );
    return `<${element}${harmless}${end}`;
  });
}

function makeInert(element: Element): void {
  for (const { name, value } of [...element.attributes]) {
    const isLink = name === 'href' && element.matches('a');
    const refers = REFERENCES.includes(name) ? !isEmbedded(element, name) : /url\s*\(/i.test(withPlainLetters(value));
    if (name.startsWith('on') || name === 'style' || (refers && name !== STYLE_TEXT)) element.removeAttribute(name);
    // Keeps links without an address visible as links.
    if (isLink) element.setAttribute('data-link', '');
  }
}

function isEmbedded(element: Element, name: string): boolean {
  return name === 'src' && element.matches('img') && /^data:image\//i.test(element.getAttribute(name) ?? '');
}
