import { Context, Output, TokenKind, toValueSync } from 'liquidjs';
import { storableText, textOf } from '../liquid/bounded-emitter.js';
import type { RenderingOptions, Variables } from '../liquid/liquid-template.js';
import { htmlLanguage, setNow } from '../liquid/liquid-language.js';
import { PlacedParser, readTokens } from '../liquid/placed-parser.js';
import { htmlOf, placesOf } from '../liquid/places-of-outputs.js';
import { isPlaceFilter } from '../liquid/place-filters.js';
import { escapeFor, plainFor, type Place } from '../liquid/place.js';
import { shownDestination } from '../text-part/link-destination.js';
import { textPartOf } from '../text-part/text-part.js';
import { cutMarked, hasMarks, isCuttable, markOf, piecesOf, type LinkSite, type Piece } from './marked-html.js';

/** A variable's place in the HTML. */
export interface Slot {
  readonly place: Place;
  /** True for `{{ unsubscribe_url }}`, which becomes the recipient's unsubscribe address. */
  readonly isUnsubscribe: boolean;
  /** The name of a variable that is used unchanged. Undefined for an expression. */
  readonly name: string | undefined;
  readonly output: Output;
}

export interface SplicedMessage {
  readonly slots: readonly Slot[];
  /** The HTML in order; null is the place of the pixel. */
  readonly html: readonly (Piece | LinkSite | null)[];
  /** The text part that is derived from the HTML. */
  readonly text: readonly Piece[];
}

const STABLE: ReadonlySet<Place['kind']> = new Set(['text', 'value', 'url start', 'url path', 'url query']);
/** Liquid gives them a meaning for every value. */
const PROPERTIES = new Set(['size', 'first', 'last']);
/** Further placeholders of the address stay unchanged. */
const MAX_UNSUBSCRIBE_PLACES = 100;

/**
 * Cuts a template once into fixed pieces, places of variables, and links. Undefined for templates that need full
 * rendering: with tags, unescaped values, or places where a value could change the surrounding HTML.
 * @param html a template that parses
 */
export function cutIntoPieces(html: string): SplicedMessage | undefined {
  if (hasMarks(html) || storableText(html) !== html) return undefined;
  const tokens = readTokens(html, htmlLanguage);
  if (tokens.some(({ kind }) => kind === TokenKind.Tag)) return undefined;
  const places = placesOf(tokens);
  const templates = new PlacedParser(htmlLanguage, tokens, places).parseTokens([...tokens]);
  const slots: Slot[] = [];
  let marked = '';
  for (const [index, template] of templates.entries()) {
    if (template instanceof Output) {
      const slot = slotOf(template, places.get(tokens[index]!));
      if (!slot) return undefined;
      marked += markOf(slots.length);
      slots.push(slot);
    } else {
      marked += htmlOf(tokens[index]!);
    }
  }
  if (slots.filter(({ isUnsubscribe }) => isUnsubscribe).length > MAX_UNSUBSCRIBE_PLACES) return undefined;
  if (!isCuttable(marked)) return undefined;
  const spliced = cutMarked(marked);
  return spliced && { slots, html: spliced, text: piecesOf(textPartOf(marked)) };
}

/** The values of the slots, unescaped. @throws any error: only rendering the whole template says where it fails */
export function valuesOf(
  { slots }: SplicedMessage,
  variables: Variables,
  unsubscribeUrl: string,
  { now }: RenderingOptions,
): string[] {
  let context: Context | undefined;
  return slots.map(({ isUnsubscribe, name, output }) => {
    if (isUnsubscribe) return unsubscribeUrl;
    if (name !== undefined) return Object.hasOwn(variables, name) ? textOf(variables[name]) : '';
    context ??= contextOf(variables, now);
    return textOf(toValueSync(output.value.value(context, false)));
  });
}

/** The value of a slot, encoded for the HTML. */
export function inHtml({ place, isUnsubscribe }: Slot, value: string): string {
  return escapeFor(isUnsubscribe ? { kind: 'value', isQuoted: true } : place, value);
}

/** The value of a slot for the text part. */
export function inText({ place, isUnsubscribe }: Slot, value: string): string {
  if (isUnsubscribe) return value;
  const plain = plainFor(place, value);
  // Only the destination of a link is in the text.
  return place.kind === 'url start' ? shownDestination(plain) : plain;
}

function contextOf(variables: Variables, now: Date): Context {
  const scope = Object.assign(Object.create(null) as object, variables);
  const context = new Context(scope, htmlLanguage.options, { sync: true }, { liquid: htmlLanguage });
  setNow(context, now);
  return context;
}

function slotOf(output: Output, place: Place | undefined): Slot | undefined {
  const { filters, initial } = output.value;
  if (!place?.isQuoted || !STABLE.has(place.kind) || !isPlaceFilter(filters.at(-1)?.name)) return undefined;
  // An encoded value has a different place.
  const encoded = filters.slice(0, -1).some(({ name }) => /url|uri|escape/.test(name));
  if (encoded) return undefined;
  filters.pop();
  const [token] = initial.postfix;
  const { variable, props = [] } = token as { variable?: unknown; props?: { content?: unknown }[] };
  const path = initial.postfix.length === 1 && props.length === 1 && !variable ? props[0]!.content : undefined;
  const isPlain = filters.length === 0 && typeof path === 'string' && !PROPERTIES.has(path);
  if (isPlain) return { place, isUnsubscribe: path === 'unsubscribe_url', name: path, output };
  // The result of an expression with the address depends on when the address is filled in.
  if (output.token.getText().includes('unsubscribe')) return undefined;
  return { place, isUnsubscribe: false, name: undefined, output };
}
