import type { Context, Liquid } from 'liquidjs';
import { textOf } from './bounded-emitter.js';
import { escapeFor, PLACE_KINDS, type Place } from './place.js';

/** With a blank, because no template can name such a filter. */
const PREFIX = 'place ';

/** The name of the filter that escapes a value for its place. */
export function placeFilterOf({ kind, isQuoted }: Place): string {
  return `${PREFIX}${kind}${isQuoted ? '' : ', unquoted'}`;
}

export function isPlaceFilter(name: string | undefined): boolean {
  return name?.startsWith(PREFIX) === true;
}

/** Adds the filters to the language. They are `raw`, so that the language itself does not escape again. */
export function registerPlaceFilters(liquid: Liquid): void {
  for (const kind of PLACE_KINDS)
    for (const isQuoted of [true, false]) {
      const place = { kind, isQuoted };
      const handler = function (this: { context: Context }, value: unknown): string {
        const text = textOf(value);
        this.context.memoryLimit.use(text.length);
        return escapeFor(place, text);
      };
      liquid.registerFilter(placeFilterOf(place), { handler, raw: true });
    }
}
