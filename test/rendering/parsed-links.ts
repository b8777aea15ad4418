import { Parser, type DefaultTreeAdapterMap, type Token } from 'parse5';

/** A link according to parse5: the destination, and the position of its value in the source, without quotes. */
interface ParsedLink {
  readonly url: string;
  readonly start: number;
  readonly end: number;
  readonly quote: string;
}

/** The result of parse5 for a document. */
export interface ParsedDocument {
  readonly links: ParsedLink[];
  readonly lastBodyEnd: number;
  /** Decoded `src` of all images. */
  readonly images: string[];
}

/**
 * An independent view of a document, with which the scanner is compared: the tokens of parse5, in the states that its
 * tree builder sets, including raw text. It reads tokens because the tree drops, moves and copies elements.
 */
export function parsed(html: string): ParsedDocument {
  const links: ParsedLink[] = [];
  const images: string[] = [];
  let lastBodyEnd = -1;
  let revealed = false;
  for (const token of tokensOf(html)) {
    const { startOffset: start, endOffset: end } = token.location;
    const source = html.slice(start, end);
    if (token.kind === 'comment') {
      if (/^<!\[if/i.test(source)) revealed = true;
      if (/^(?:<!|<!--<!)\[endif/i.test(source)) revealed = false;
      const content = conditionalContent(source);
      if (content === undefined) continue;
      if (content.text === '' || content.text === '<!') revealed = true;
      else links.push(...linksInConditional(content.text, start + content.offset));
    } else if (token.kind === 'end') {
      if (token.name === 'body') lastBodyEnd = start;
    } else {
      const link = linkOf(html, token, revealed);
      if (link) links.push(link);
      if (token.name === 'img') images.push(token.attributes.get('src') ?? '');
    }
  }
  return { links, lastBodyEnd, images };
}

function linksInConditional(content: string, offset: number): ParsedLink[] {
  return tokensOf(content).flatMap((token) => {
    const link = token.kind === 'start' ? linkOf(content, token, true) : undefined;
    return link ? [{ ...link, start: link.start + offset, end: link.end + offset }] : [];
  });
}

function conditionalContent(source: string): { text: string; offset: number } | undefined {
  const opening = /^<!--\[if[^\]>]*\]>/i.exec(source)?.[0];
  if (opening === undefined) return undefined;
  const closing = /--!?>$/.exec(source)?.[0] ?? '';
  return { text: source.slice(opening.length, source.length - closing.length), offset: opening.length };
}

interface StartToken {
  readonly kind: 'start';
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly location: Token.LocationWithAttributes;
}
type SeenToken =
  | StartToken
  | { readonly kind: 'end'; readonly name: string; readonly location: Token.Location }
  | { readonly kind: 'comment'; readonly location: Token.Location };

class RecordingParser extends Parser<DefaultTreeAdapterMap> {
  /** By offset, because the tree builder may get one token several times. */
  readonly seen = new Map<number, SeenToken>();

  override onStartTag(token: Token.TagToken): void {
    const location = { ...token.location! };
    const attributes = new Map(token.attrs.map(({ name, value }) => [name, value]));
    this.seen.set(location.startOffset, { kind: 'start', name: token.tagName, attributes, location });
    super.onStartTag(token);
  }

  override onEndTag(token: Token.TagToken): void {
    const location = { ...token.location! };
    this.seen.set(location.startOffset, { kind: 'end', name: token.tagName, location });
    super.onEndTag(token);
  }

  override onComment(token: Token.CommentToken): void {
    const location = { ...token.location! };
    this.seen.set(location.startOffset, { kind: 'comment', location });
    super.onComment(token);
  }
}

function tokensOf(html: string): SeenToken[] {
  const parser = new RecordingParser({ sourceCodeLocationInfo: true, scriptingEnabled: false });
  parser.tokenizer.write(html, true);
  return [...parser.seen.values()].sort((one, other) => one.location.startOffset - other.location.startOffset);
}

function linkOf(html: string, { name, attributes, location }: StartToken, vml: boolean): ParsedLink | undefined {
  if (name !== 'a' && name !== 'area' && !(vml && name.startsWith('v:'))) return undefined;
  const href = attributes.get('href');
  const url = href === undefined ? undefined : webUrl(href);
  if (url === undefined || optedOut(attributes)) return undefined;
  const { startOffset, endOffset } = location.attrs!['href']!;
  const source = html.slice(startOffset, endOffset);
  const before = /^href[\t\n\f\r ]*=[\t\n\f\r ]*(["']?)/i.exec(source)!;
  const quote = before[1]!;
  return { url, start: startOffset + before[0].length, end: endOffset - quote.length, quote };
}

function optedOut(attributes: ReadonlyMap<string, string>): boolean {
  return (
    attributes.get('clicktracking')?.trim().toLowerCase() === 'off' ||
    attributes.get('data-msys-clicktrack')?.trim() === '0' ||
    attributes.has('ses:no-track') ||
    (attributes.get('rel') ?? '').toLowerCase().split(/\s+/).includes('notrack')
  );
}

/** WHATWG URL, 4.4: blanks and controls around a URL and line breaks and tabs in it are dropped. */
function webUrl(value: string): string | undefined {
  const url = value.replace(/^[\0-\x20]+/, '').replace(/[\t\n\r]/g, '');
  const trimmed = url
    .split('')
    .reduceRight((kept, character) => (kept === '' && character <= ' ' ? '' : character + kept), '');
  if (!/^https?:\/\/[^/\\]/i.test(trimmed) || !parses(trimmed)) return undefined;
  return /[{}]/.test(/^[^/]*\/\/([^/\\?#]*)/.exec(trimmed)![1]!) ? undefined : trimmed;
}

/** Not `URL.canParse`, whose result for Latin-1 letters changes in Node 20 once it is optimized. */
function parses(url: string): boolean {
  try {
    return new URL(url).href !== '';
  } catch {
    return false;
  }
}
