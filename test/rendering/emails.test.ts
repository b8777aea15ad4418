import { readdirSync, readFileSync } from 'node:fs';
import { parse, serialize, type DefaultTreeAdapterTypes } from 'parse5';
import { generateEmailTrackingId } from '../../src/links/email-tracking-id.js';
import { readLink } from '../../src/links/link-token.js';
import { renderEmail } from '../../src/rendering/render-email.js';
import { keysWith } from '../links/keys.js';
import { EMAIL_LINKS } from './email-links.js';
import { checkHtml } from './track-links-properties.js';

type ParentNode = DefaultTreeAdapterTypes.ParentNode;
type ChildNode = DefaultTreeAdapterTypes.ChildNode;

const FOLDER = new URL('../fixtures/emails/', import.meta.url);
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.html'));
/** Links that only Outlook, an image map, a template or a picture has, and such with blanks, which the text encodes. */
const NOT_IN_TEXT = /outlook|tickets\.test\/(map|hall\/(left|right))|walks\.test\/walk\/|icon| /;
const keys = keysWith(1);
const emailTrackingId = generateEmailTrackingId(keys, new Uint8Array(12).fill(5));
const baseUrl = 'https://t.test';

function rendered(html: string) {
  return renderEmail({ html, emailTrackingId, baseUrl }, keys);
}

it('covers each dialect, original and minified', () => {
  const dialects = Object.keys(EMAIL_LINKS);
  expect(files.sort()).toEqual(dialects.flatMap((name) => [`${name}.html`, `${name}.min.html`]).sort());
});

describe.each(files)('%s', (file) => {
  const html = readFileSync(new URL(file, FOLDER), 'utf8');
  const email = rendered(html);

  it('has exactly these links', () => {
    expect(email.links.map((link) => link.originalUrl)).toEqual(EMAIL_LINKS[file.replace(/(\.min)?\.html$/, '')]);
  });

  it('redirects each link to its original destination', () => {
    for (const [position, { originalUrl, trackingId, trackingUrl }] of email.links.entries()) {
      expect(readLink(keys, trackingId)).toEqual({ emailTrackingId, position, url: originalUrl });
      expect(trackingUrl).toBe(`${baseUrl}/api/t/c/${trackingId}`);
    }
  });

  it('changes no byte except those of the links and the pixel', () => checkHtml(html));

  it('is the same document to a browser, except for addresses and pixel', () => {
    expect(asShown(email.html)).toBe(asShown(html));
  });

  it('is rendered identically again', () => expect(rendered(html)).toEqual(email));

  it('has a text part with the original links', () => {
    expect(email.text).not.toContain(baseUrl);
    const visible = email.links.filter(({ originalUrl }) => !NOT_IN_TEXT.test(originalUrl));
    for (const { originalUrl } of visible) expect(email.text).toContain(originalUrl);
  });
});

/** The parsed document without comments and pixel, each tracking address replaced by its destination. */
function asShown(html: string): string {
  const document = parse(html, { scriptingEnabled: false });
  const visit = (parent: ParentNode): void => {
    parent.childNodes = parent.childNodes.filter((node) => node.nodeName !== '#comment' && !isPixel(node));
    for (const node of parent.childNodes) {
      if ('attrs' in node) node.attrs.forEach(restore);
      if ('content' in node) visit(node.content);
      if ('childNodes' in node) visit(node);
    }
  };
  visit(document);
  return serialize(document);
}

function isPixel(node: ChildNode): boolean {
  return 'attrs' in node && node.attrs.some(({ value }) => value.startsWith(`${baseUrl}/api/t/o/`));
}

function restore(attribute: { value: string }): void {
  const token = attribute.value.split(`${baseUrl}/api/t/c/`)[1];
  if (token !== undefined) attribute.value = readLink(keys, token)!.url;
}
