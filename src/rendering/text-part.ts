import { compile, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';
import { boundedHtml, type HtmlLimits } from './bounded-html.js';

/** RFC 5322, 2.1.1: lines should be no longer than this. */
const LINE_LENGTH = 78;
/** More HTML than Gmail shows before it clips a message, even without counting comments, styles and large images. */
const LIMITS: HtmlLimits = { maxLength: 128 * 1024, maxDepth: 250, maxTagLength: 16 * 1024 };
/** Bounds the output, because a few characters of HTML, such as a rule, can become a line of text. */
const MAX_TEXT_LENGTH = 1024 * 1024;
const ELLIPSIS = '…';

/** Shows the alternative text of an image without its URL. */
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
  // `boundedHtml` already limits the depth. This second limit protects the recursion, with a margin of two.
  limits: { ellipsis: ELLIPSIS, maxDepth: 2 * LIMITS.maxDepth },
  formatters: { alternativeText: formatImage },
  selectors: [
    {
      selector: 'a',
      // RFC 3986, appendix C: URLs never contain the delimiters "<" and ">".
      options: { linkBrackets: ['<', '>'], hideLinkHrefIfSameAsText: true, pathRewrite: (url: string) => url.trim() },
    },
    // Cells of layout tables would otherwise be joined without a blank.
    ...['td', 'th'].map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    { selector: 'img', format: 'alternativeText' },
    ...['h1', 'h2', 'h3'].map((selector) => ({ selector, ...heading(3) })),
    ...['h4', 'h5', 'h6'].map((selector) => ({ selector, ...heading(2) })),
    // The reader does not see preview text and other hidden parts.
    ...['[hidden]', '[style*="display:none"]', '[style*="display: none"]'].map((selector) => ({
      selector,
      format: 'skip',
    })),
  ],
};
const toText = compile(options);

/**
 * Creates the text/plain part of an email: the visible text, with each link followed by its URL.
 * Converts only the beginning of HTML that is longer or nested deeper than any real email.
 * @param html the original HTML, before its links are tracked
 */
export function textPartOf(html: string): string {
  const bounded = boundedHtml(html, LIMITS);
  const text = toText(bounded.html).trim();
  if (bounded.isWhole && text.length <= MAX_TEXT_LENGTH) return text;
  return `${text.slice(0, MAX_TEXT_LENGTH)}\n${ELLIPSIS}`;
}
