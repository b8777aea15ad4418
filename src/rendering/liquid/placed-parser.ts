import {
  CycleTag,
  EchoTag,
  Filter,
  Output,
  Parser,
  TagToken,
  Tokenizer,
  type Liquid,
  type TopLevelToken,
} from 'liquidjs';
import { RenderingLimitError } from '../rendering-limit-error.js';
import { capturedBy, plainCaptures } from './captures.js';
import { CAPTURE, type Place } from './place.js';
import { placeFilterOf } from './place-filters.js';
import { PlaceScanner } from './place-scanner.js';
import { placesOf } from './places-of-outputs.js';

type FilterToken = ConstructorParameters<typeof Filter>[0];

/** Far more than any email has. Each costs time in every rendering. */
const MAX_TOKENS = 20_000;
/** Filters that encode a value for the query of a URL: their results are not encoded again. */
const QUERY_FILTERS = new Set(['url_encode', 'cgi_escape']);
/** Filters that repeat the escaping of the place. */
const ESCAPING_FILTERS = new Set(['escape', 'xml_escape']);
/** Encodes a whole URL. Of a value in a query it leaves `&` and `=`, which could add parameters. */
const URL_FILTER = 'uri_escape';
/** Places where `escape_once` escapes all that has to be escaped, so that nothing is left to do. */
const HTML_TEXT: ReadonlySet<string> = new Set(['text', 'value']);
/** Outputs with an unknown place are escaped for every place. */
const UNKNOWN: Place = { kind: 'markup', isQuoted: false };

/** Parses HTML templates: every output is escaped for its place. */
export class PlacedParser extends Parser {
  private readonly isPlain: (name: string) => boolean;
  /** The place of the tags inside a `liquid` tag. */
  private outer: Place | undefined;

  constructor(
    private readonly language: Liquid,
    tokens: readonly TopLevelToken[],
    private readonly places: ReadonlyMap<TopLevelToken, Place> = placesOf(tokens),
  ) {
    super(language);
    this.isPlain = plainCaptures(tokens);
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    const { outer } = this;
    const place = this.places.get(token) ?? outer ?? UNKNOWN;
    if (token instanceof TagToken && token.name === 'liquid') this.outer = place;
    // Tags inside a `liquid` tag have a class of their own.
    else if (outer && (token as Partial<TagToken>).name === 'capture') this.outer = this.placeIn(token as TagToken);
    const template = super.parseToken(token, rest);
    this.outer = outer;
    if (template instanceof Output) {
      const { filters } = template.value;
      // The language itself escapes outputs as text.
      if (!filters.at(-1)?.raw) filters.pop();
      this.putInPlace(filters, place);
    } else if (template instanceof EchoTag) {
      this.putInPlace((template as unknown as { value?: Output['value'] }).value?.filters ?? [], place);
    } else if (template instanceof CycleTag) {
      const { candidates } = template as unknown as { candidates: { filters: FilterToken[] }[] };
      for (const { filters } of candidates) putTokenInPlace(filters, place);
    }
    return template;
  }

  /** As outside of a `liquid` tag: captured text is a separate document. */
  private placeIn(capture: TagToken): Place {
    return this.isPlain(capturedBy(capture)) ? CAPTURE : new PlaceScanner().output();
  }

  private putInPlace(filters: Filter[], place: Place): void {
    const name = filterFor(filters, place);
    if (name === undefined) return;
    filters.push(new Filter(tokenOf(name), this.language.filters[name]!, this.language));
  }
}

/**
 * The filter that escapes a value, or undefined for one that is not to be escaped. Removes a filter that it repeats.
 */
function filterFor(filters: { readonly name: string }[], place: Place): string | undefined {
  const last = filters.at(-1)?.name ?? '';
  if (last === 'raw') return undefined;
  if (last === 'escape_once' && place.isQuoted && HTML_TEXT.has(place.kind)) return placeFilterOf(CAPTURE);
  const isInQuery = place.kind === 'url query';
  // The encoding of the place includes that of the filter.
  if (ESCAPING_FILTERS.has(last) || (isInQuery && last === URL_FILTER)) filters.pop();
  const isEncoded = isInQuery && QUERY_FILTERS.has(last);
  return placeFilterOf(isEncoded ? { ...place, kind: 'value' } : place);
}

function putTokenInPlace(filters: FilterToken[], place: Place): void {
  const name = filterFor(filters, place);
  if (name !== undefined) filters.push(tokenOf(name));
}

function tokenOf(name: string): FilterToken {
  return { name, args: [] } as unknown as FilterToken;
}

/** @throws TokenizationError of the language, RenderingLimitError */
export function readTokens(source: string, { options }: Liquid): TopLevelToken[] {
  const tokens = new Tokenizer(source, options.operators).readTopLevelTokens(options);
  if (tokens.length > MAX_TOKENS) throw new RenderingLimitError(`has more than ${MAX_TOKENS} tags and outputs`);
  return tokens;
}
