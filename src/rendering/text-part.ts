import { compile, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';
import { shallowBeginning } from './shallow-beginning.js';

/** RFC 5322, 2.1.1: lines should be no longer than this. */
const LINE_LENGTH = 78;
/** About 25 times the HTML that Gmail shows before it clips a message. */
const MAX_INPUT_LENGTH = 1_000_000;
const MAX_DEPTH = 250;
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
  // A tree deeper than `shallowBeginning` lets through cannot arise, but the walk over it recurses: twice is safe.
  limits: { ellipsis: ELLIPSIS, maxDepth: 2 * MAX_DEPTH },
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
  const beginning = shallowBeginning(html, MAX_INPUT_LENGTH, MAX_DEPTH);
  const text = toText(beginning).trim();
  return beginning.length < html.length ? `${text}\n${ELLIPSIS}` : text;
}
