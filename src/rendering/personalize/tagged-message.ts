import { linkPayload, MAX_LINKS } from '../../links/link-token.js';
import { webDestination } from '../destination.js';
import { escapedFor } from '../escape-value.js';
import { MAX_LENGTH } from '../liquid/bounded-emitter.js';
import { ownUrlsOf } from '../own-urls.js';
import { pixelUrlOf } from '../render-email.js';
import { pixelOf } from '../track-links.js';
import type { CompiledMessage, MessageSource } from './message-template.js';
import type { LinkSite, Piece } from './marked-html.js';
import type { SplicedMessage } from './spliced-message.js';

/** The content of a tag. */
type TagMeaning =
  | { readonly kind: 'tracking ID' }
  /** The MAC of a link that is the same for all recipients; `payload` is the end of its token. */
  | { readonly kind: 'link MAC'; readonly payload: string }
  /** A link with variables. */
  | { readonly kind: 'link'; readonly site: LinkSite; readonly position: number }
  | { readonly kind: 'slot'; readonly slot: number; readonly in: 'html' | 'text' }
  /** The sender's own text part. */
  | { readonly kind: 'text' };

/** A message in which short tags replace everything that differs between recipients. */
export interface TaggedMessage {
  readonly html: string;
  readonly text: string;
  /** Every tag contains it. No value may, not even together with others: the tag might be replaced as well. */
  readonly tagCore: string;
  readonly tags: readonly string[];
  /** In the order of `tags`. */
  readonly meanings: readonly TagMeaning[];
  /** The destinations of tracked links by position; undefined for those that have variables. */
  readonly urls: readonly (string | undefined)[];
  /** Indexes of the tags that make up the text; undefined where it has fixed words. */
  readonly textOfTags: readonly number[] | undefined;
}

/** Maximum length that values add to the HTML: providers accept far less. */
const ROOM_FOR_VALUES = 200_000;
const LIKE_CORES = /m\d+\./g;
/** Text that could be a placeholder for the unsubscribe address, or that Liquid would interpret. */
const IS_TEMPLATE = /\{[{%]|unsubscribe/i;

/**
 * Inserts tags into a message that was cut into pieces. A tag contains no character that is escaped in HTML, or that
 * occurs in base64url. Undefined for a message without HTML, with too many links, or of extreme length.
 */
export function tagMessage(
  { pieces: cut }: CompiledMessage,
  source: MessageSource,
  baseUrl: string,
): TaggedMessage | undefined {
  const pieces = cut();
  if (!pieces) return undefined;
  const sites = pieces.html.filter((piece) => piece !== null && typeof piece === 'object');
  if (sites.length > MAX_LINKS) return undefined;
  return new Tagging(pieces, source, baseUrl).message();
}

class Tagging {
  private readonly core: string;
  private readonly tags: string[] = [];
  private readonly meanings: TagMeaning[] = [];
  private readonly urls: (string | undefined)[] = [];
  private readonly trackingId: string;
  private length = 0;

  constructor(
    private readonly pieces: SplicedMessage,
    private readonly source: MessageSource,
    private readonly baseUrl: string,
  ) {
    this.core = coreOutside(JSON.stringify([source, baseUrl, fixedTextOf(pieces.html), fixedTextOf(pieces.text)]));
    this.trackingId = this.tag({ kind: 'tracking ID' });
  }

  message(): TaggedMessage | undefined {
    const html = this.pieces.html.map((piece) => this.htmlOf(piece)).join('');
    const text = this.textPart();
    // A text-only email has no pixel, and providers refuse an empty part.
    if (this.length === 0 || html.length > MAX_LENGTH - ROOM_FOR_VALUES || text === '') return undefined;
    const { core: tagCore, tags, meanings, urls } = this;
    return { html, text, tagCore, tags, meanings, urls, textOfTags: this.textOfTags(text) };
  }

  private htmlOf(piece: Piece | LinkSite | null): string {
    if (piece === null) return pixelOf(pixelUrlOf(this.trackingId, this.baseUrl));
    if (typeof piece === 'number') return this.tag({ kind: 'slot', slot: piece, in: 'html' });
    const text = typeof piece === 'string' ? piece : this.linkOf(piece);
    this.length += text.length;
    return text;
  }

  private linkOf(site: LinkSite): string {
    const { pieces, quote } = site;
    const [first, ...others] = pieces;
    if (typeof first === 'number' && others.length === 0 && this.pieces.slots[first]!.isUnsubscribe)
      return this.tag({ kind: 'slot', slot: first, in: 'html' });
    const position = this.urls.length;
    if (pieces.some((piece) => typeof piece === 'number')) {
      this.urls.push(undefined);
      return this.tag({ kind: 'link', site, position });
    }
    const value = pieces.join('');
    const url = webDestination(value);
    if (url === undefined || ownUrlsOf(this.baseUrl)(url)) return value;
    this.urls.push(url);
    const payload = linkPayload(position, url);
    const mac = this.tag({ kind: 'link MAC', payload });
    return escapedFor(quote, `${this.baseUrl}/api/t/c/${mac}${this.trackingId}${payload}`);
  }

  private textPart(): string {
    const { text } = this.source;
    if (text !== null) return IS_TEMPLATE.test(text) ? this.tag({ kind: 'text' }) : text;
    return this.pieces.text
      .map((piece) => (typeof piece === 'string' ? piece : this.tag({ kind: 'slot', slot: piece, in: 'text' })))
      .join('');
  }

  private textOfTags(text: string): number[] | undefined {
    const parts = text.split(`~${this.core}`).slice(1);
    const indexes = parts.map((part) => Number(part.slice(0, -1)));
    return text === indexes.map((index) => this.tags[index]).join('') ? indexes : undefined;
  }

  private tag(meaning: TagMeaning): string {
    const tag = `~${this.core}${this.tags.length}~`;
    this.tags.push(tag);
    this.meanings.push(meaning);
    return tag;
  }
}

/** A core that does not occur in the text. Reads the text once, because it may contain very many others. */
function coreOutside(text: string): string {
  const taken = new Set(text.match(LIKE_CORES));
  let number = 0;
  while (taken.has(`m${number}.`)) number++;
  return `m${number}.`;
}

/** What empty values leave of a part. */
function fixedTextOf(pieces: SplicedMessage['html']): string {
  const textOf = (piece: Piece | LinkSite | null): string => {
    if (piece === null || typeof piece === 'number') return '';
    return typeof piece === 'string' ? piece : piece.pieces.map(textOf).join('');
  };
  return pieces.map(textOf).join('');
}
