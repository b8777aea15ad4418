/** What could load, run, lead or send something. */
const ACTIVE = 'script, link, meta, base, iframe, frame, object, embed, form, audio, video, template, noscript';
const REFERENCES = ['href', 'xlink:href', 'src', 'srcset', 'background', 'poster', 'action', 'formaction', 'ping'];
const URLS = /(?:url|image-set|image)\s*\([^)]*\)|@import[^;]*;?/gi;

interface InertEmail {
  readonly root: HTMLElement;
  /** Texts of its style sheets. */
  readonly sheets: readonly string[];
  /** Inline styles by the number in `data-style`. */
  readonly styles: readonly string[];
}

/** An email whose links lead nowhere and that refers to nothing. Its inline styles become numbers. */
export function inertEmail(html: string): InertEmail {
  const { documentElement: root } = new DOMParser().parseFromString(html, 'text/html');
  const sheets = [...root.querySelectorAll('style')].map(({ textContent }) =>
    (textContent ?? '').replace(URLS, 'none'),
  );
  for (const element of root.querySelectorAll(`style, ${ACTIVE}`)) {
    if (element.matches('form')) element.replaceWith(...element.childNodes);
    else element.remove();
  }
  const styles: string[] = [];
  for (const element of [root, ...root.querySelectorAll('*')]) {
    for (const { name } of [...element.attributes]) {
      const isLink = name === 'href' && element.matches('a');
      if (name.startsWith('on') || (REFERENCES.includes(name) && !isEmbedded(element, name)))
        element.removeAttribute(name);
      // A link without an address still looks like one.
      if (isLink) element.setAttribute('data-link', '');
    }
    const style = element.getAttribute('style');
    element.removeAttribute('style');
    if (style !== null) element.setAttribute('data-style', String(styles.push(style.replace(URLS, 'none')) - 1));
  }
  return { root, sheets: ['[data-link] { color: #1a56db; text-decoration: underline }', ...sheets], styles };
}

function isEmbedded(element: Element, name: string): boolean {
  return name === 'src' && element.matches('img') && /^data:image\//i.test(element.getAttribute(name) ?? '');
}
