import { useEffect, useRef, useState } from 'preact/hooks';
import { inertEmail } from './inert-email';

interface HtmlPreviewProps {
  readonly html: string;
  readonly title: string;
}

/**
 * HTML that was rendered just now, as recipients will see it. The frame runs no scripts. The policy of this page, which
 * it inherits, allows neither inline styles nor images of others, so styles are set through the object model.
 */
export function HtmlPreview({ html, title }: HtmlPreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (isReady) show(frame.current!, html);
  }, [html, isReady]);
  return (
    <iframe
      ref={frame}
      class="preview"
      sandbox="allow-same-origin"
      srcdoc="<!doctype html><title>Preview</title>"
      title={`Preview: ${title}`}
      onLoad={() => setReady(true)}
    />
  );
}

function show(frame: HTMLIFrameElement, html: string): void {
  const view = frame.contentWindow as (Window & typeof globalThis) | null;
  const page = frame.contentDocument;
  if (!view || !page) return;
  const { root, sheets, styles } = inertEmail(html);
  page.documentElement.replaceWith(page.importNode(root, true));
  page.adoptedStyleSheets = sheets.map((text) => {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  for (const element of page.querySelectorAll<HTMLElement>('[data-style]'))
    element.style.cssText = styles[Number(element.dataset['style'])] ?? '';
}
