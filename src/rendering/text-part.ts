import { compile, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';
import { boundedHtml, type HtmlLimits } from './bounded-html.js';

/** RFC 5322, 2.1.1: lines should be no longer than this. */
const LINE_LENGTH = 78;
/** More HTML than Gmail shows before it clips a message, even without comments, styles and large images. */
const LIMITS: HtmlLimits = { maxLength: 128 * 1024, maxDepth: 250, maxTagLength: 16 * 1024 };
/** Rules and indents grow: a few characters of HTML can become a line of text. */
const MAX_TEXT_LENGTH = 1024 * 1024;
const ELLIPSIS = '…';

/** Only what an image says; its address is of no use in text. */
const formatImage: FormatCallback = (image, _walk, builder) => {
  const alt: unknown = image.attribs['alt'];
  if (typeof alt === 'string' && alt !== '') builder.addInline(alt);
};

const heading = (leadingLineBreaks: number) => ({
  format: 'heading',
  options: { uppercase: false, leadingLineBreaks },
});

const options: HtmlToTextOptions = {
  wordwrap: LINE_LENGTH,
  // A tree deeper than `boundedHtml` lets through cannot arise, but the walk over it recurses: twice is safe.
  limits: { ellipsis: ELLIPSIS, maxDepth: 2 * LIMITS.maxDepth },
  formatters: { alternativeText: formatImage },
  selectors: [
    {
      selector: 'a',
      // RFC 3986, appendix C: "<" and ">" are the delimiters that no URL contains.
      options: { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true, pathRewrite: (url: string) => url.trim() },
    },
    // Cells of layout tables: side by side without a blank otherwise.
    ...['td', 'th'].map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    { selector: 'img', format: 'alternativeText' },
    ...['h1', 'h2', 'h3'].map((selector) => ({ selector, ...heading(3) })),
    ...['h4', 'h5', 'h6'].map((selector) => ({ selector, ...heading(2) })),
    // Preview text and other hidden parts are not what the reader sees.
    ...['[hidden]', '[style*="display:none"]', '[style*="display: none"]'].map((selector) => ({
      selector,
      format: 'skip',
    })),
  ],
};
const toText = compile(options);

/**
 * The text/plain part of an email: what a reader sees, each link followed by its address.
 * Of HTML that is longer or nested deeper than any email for people, only the beginning is put into words.
 * @param html the original HTML, whose links are not yet tracked
 */
export function textPartOf(html: string): string {
  const bounded = boundedHtml(html, LIMITS);
  const text = toText(bounded.html).trim();
  if (bounded.isWhole && text.length <= MAX_TEXT_LENGTH) return text;
  return `${text.slice(0, MAX_TEXT_LENGTH)}\n${ELLIPSIS}`;
}
