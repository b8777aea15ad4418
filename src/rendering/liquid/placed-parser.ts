import { Filter, Output, Parser, TagToken, Tokenizer, TokenKind, type Liquid, type TopLevelToken } from 'liquidjs';
import { RenderingLimitError } from '../rendering-limit-error.js';
import { textOf } from './bounded-emitter.js';
import { escapeFor, type Place } from './place.js';
import { PlaceScanner } from './place-scanner.js';

/** Far more than any email has. Each costs time in every rendering. */
const MAX_TOKENS = 20_000;
/** Filters that encode for URLs: their results are not encoded again. */
const URL_FILTERS = new Set(['url_encode', 'cgi_escape', 'uri_escape']);
/** Filters that repeat the escaping of the place. */
const ESCAPING_FILTERS = new Set(['escape', 'xml_escape']);
const BLOCKS = new Set(['if', 'unless', 'case', 'for', 'tablerow', 'capture']);
const BRANCHES = new Set(['else', 'elsif', 'when']);
const PLACE_FILTER = { name: 'place', args: [] } as unknown as ConstructorParameters<typeof Filter>[0];
/** Outputs with an unknown place are escaped for every place. */
const UNKNOWN: Place = { kind: 'markup', isQuoted: false };

/** Parses HTML templates: every output is escaped for its place. */
export class PlacedParser extends Parser {
  constructor(
    private readonly language: Liquid,
    private readonly places: ReadonlyMap<TopLevelToken, Place>,
  ) {
    super(language);
  }

  override parseToken(token: TopLevelToken, rest: TopLevelToken[]): ReturnType<Parser['parseToken']> {
    const template = super.parseToken(token, rest);
    if (template instanceof Output) this.putInPlace(template, this.places.get(token) ?? UNKNOWN);
    return template;
  }

  private putInPlace({ value: { filters } }: Output, place: Place): void {
    if (filters.at(-1)?.raw) return;
    // The language itself escapes outputs as text.
    filters.pop();
    const last = filters.at(-1)?.name ?? '';
    if (ESCAPING_FILTERS.has(last)) filters.pop();
    const isEncoded = URL_FILTERS.has(last) && place.kind.startsWith('url');
    const escaping: Place = isEncoded ? { ...place, kind: 'value' } : place;
    filters.push(
      new Filter(
        PLACE_FILTER,
        function (value: unknown) {
          const text = textOf(value);
          this.context.memoryLimit.use(text.length);
          return escapeFor(escaping, text);
        },
        this.language,
      ),
    );
  }
}

/** @throws TokenizationError of the language, RenderingLimitError */
export function readTokens(source: string, { options }: Liquid): TopLevelToken[] {
  const tokens = new Tokenizer(source, options.operators).readTopLevelTokens(options);
  if (tokens.length > MAX_TOKENS) throw new RenderingLimitError(`has more than ${MAX_TOKENS} tags and outputs`);
  return tokens;
}

/**
 * The place of each output. Each branch begins in the state at the start of its block, and the state after the last
 * branch continues.
 */
export function placesOf(tokens: readonly TopLevelToken[]): Map<TopLevelToken, Place> {
  const places = new Map<TopLevelToken, Place>();
  const blocks: PlaceScanner[] = [];
  let scanner = new PlaceScanner();
  for (const token of tokens) {
    if (token.kind === TokenKind.HTML) scanner.read((token as unknown as { getContent(): string }).getContent());
    else if (token.kind === TokenKind.Output) places.set(token, scanner.output());
    else if (token instanceof TagToken) scanner = afterTag(token.name, scanner, blocks);
  }
  return places;
}

function afterTag(name: string, scanner: PlaceScanner, blocks: PlaceScanner[]): PlaceScanner {
  if (BLOCKS.has(name)) {
    blocks.push(scanner.clone());
    // Captured content is a separate document.
    return name === 'capture' ? new PlaceScanner() : scanner;
  }
  if (BRANCHES.has(name)) return blocks.at(-1)?.clone() ?? scanner;
  if (!name.startsWith('end') || !BLOCKS.has(name.slice(3))) return scanner;
  const begin = blocks.pop();
  return name === 'endcapture' ? (begin ?? scanner) : scanner;
}
