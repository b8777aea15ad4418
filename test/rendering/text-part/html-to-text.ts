import { compile, type FormatCallback, type HtmlToTextOptions } from 'html-to-text';
import { DomUtils, ElementType, parseDocument } from 'htmlparser2';
import { parseUrl } from '../../../src/platform/addresses/parse-url.js';
import { boundedHtml } from '../../../src/rendering/bounded-html.js';
import { TEXT_LIMITS } from '../../../src/rendering/text-part/text-part.js';

/** Shows the alternative text of an image without its URL. */
const formatImage: FormatCallback = (image, _walk, builder) => {
  const alt: unknown = image.attribs['alt'];
  if (typeof alt === 'string' && alt !== '') builder.addInline(alt);
};

/** As the library does, but an address without words is set off from what is beside it. */
const formatLink: FormatCallback = (link, walk, builder) => {
  const destination = String(link.attribs['href'] ?? '').replace(/^mailto:/, '');
  const address = destination.startsWith('#') ? '' : destination.trim();
  let words = '';
  builder.pushWordTransform((word) => {
    words += word;
    return word;
  });
  walk(link.children, builder);
  builder.popWordTransform();
  if (address === '' || address === words) return;
  builder.addInline(words === '' ? ` ${address} ` : ` <${address}>`, { noWordTransform: true });
};

const heading = (leadingLineBreaks: number) => ({
  format: 'heading',
  options: { uppercase: false, leadingLineBreaks },
});

const options: HtmlToTextOptions = {
  wordwrap: 78,
  // The whole document.
  baseElements: { selectors: ['none-such'], returnDomByDefault: true },
  limits: { ellipsis: '…', maxDepth: 500 },
  formatters: { alternativeText: formatImage, link: formatLink },
  selectors: [
    { selector: 'a', format: 'link' },
    ...[
      'td',
      'th',
      'address',
      'center',
      'dd',
      'details',
      'dl',
      'dt',
      'fieldset',
      'figcaption',
      'figure',
      'legend',
      'summary',
    ].map((selector) => ({
      selector,
      format: 'block',
      options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
    })),
    { selector: 'img', format: 'alternativeText' },
    ...['h1', 'h2', 'h3'].map((selector) => ({ selector, ...heading(3) })),
    ...['h4', 'h5', 'h6'].map((selector) => ({ selector, ...heading(2) })),
    ...['title', 'template', 'datalist', '[hidden]', '[style*="display:none"]', '[style*="display: none"]'].map(
      (selector) => ({
        selector,
        format: 'skip',
      }),
    ),
  ],
};

type AnyNode = Parameters<typeof DomUtils.removeElement>[0];

const convert = compile(options);

/** The text that html-to-text makes of the same part of the HTML, laid out as ours. */
export function htmlToText(html: string): string {
  // Where it can, the reference reads the original: it must not share our mistakes.
  const isUnbounded = html.length <= TEXT_LIMITS.maxTagLength && boundedHtml(html, TEXT_LIMITS).isWhole;
  return convert(withoutHead(isUnbounded ? withoutInvisible(html) : boundedHtml(html, TEXT_LIMITS).html)).trim();
}

/** The library shows the parameters of an address, and a telephone number with its scheme and twice. */
function showAddress(link: ReturnType<typeof DomUtils.getElementsByTagName>[number]): void {
  const url = parseUrl(link.attribs['href'] ?? '');
  if (url?.protocol === 'mailto:') link.attribs['href'] = `mailto:${decodeURIComponent(url.pathname)}`;
  if (url?.protocol !== 'tel:') return;
  const words = DomUtils.textContent(link).replace(/\D/g, '');
  if (words === url.pathname.replace(/\D/g, '')) delete link.attribs['href'];
  else link.attribs['href'] = decodeURIComponent(url.pathname);
}

function withoutHead(html: string): string {
  const document = parseDocument(html);
  const hasBody = DomUtils.getElementsByTagName('body', document).length > 0;
  const heads = hasBody ? DomUtils.getElementsByTagName('head', document) : [];
  for (const head of heads) DomUtils.removeElement(head);
  return heads.length > 0 ? DomUtils.getOuterHTML(document) : html;
}

/** The library shows a comment or a title in a list as an empty item. */
function withoutInvisible(html: string): string {
  const document = parseDocument(html);
  const isInvisible = (node: AnyNode) => node.type === ElementType.Comment || ('name' in node && node.name === 'title');
  for (const node of DomUtils.filter(isInvisible, document)) DomUtils.removeElement(node);
  for (const link of DomUtils.getElementsByTagName('a', document)) showAddress(link);
  return DomUtils.getOuterHTML(document);
}
