import { useEffect, useRef, useState } from 'preact/hooks';
import { applyStyles, inertEmail } from './inert-email';

interface HtmlPreviewProps {
  readonly html: string;
  readonly title: string;
  /**
   * Changes the email before it is shown, while its links still have addresses. It must be a stable function reference.
   */
  readonly mark?: (page: Document) => void;
  /** A style sheet for the elements that `mark` adds. */
  readonly css?: string;
}

/**
 * The HTML that recipients see, without images from other servers. The frame runs no scripts. It inherits the policy of
 * this page, which allows neither inline styles nor images from other origins, so styles are set through the object
 * model.
 */
export function HtmlPreview({ html, title, mark, css }: HtmlPreviewProps) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    if (!isReady) return;
    const { root, sheets } = inertEmail(html, mark);
    show(frame.current!, root, css === undefined ? sheets : [...sheets, css]);
  }, [html, isReady, mark, css]);
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

function show(frame: HTMLIFrameElement, root: HTMLElement, sheets: readonly string[]): void {
  const view = frame.contentWindow as (Window & typeof globalThis) | null;
  const page = frame.contentDocument;
  if (!view || !page) return;
  page.documentElement.replaceWith(page.importNode(root, true));
  page.adoptedStyleSheets = sheets.map((text) => {
    const sheet = new view.CSSStyleSheet();
    sheet.replaceSync(text);
    return sheet;
  });
  applyStyles(page);
}
