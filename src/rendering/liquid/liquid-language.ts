import { filters, Liquid, type Context, type Emitter, type Template } from 'liquidjs';
import { BoundedEmitter, MAX_LENGTH, textOf } from './bounded-emitter.js';
import { escapeFor } from './place.js';
import { registerPlaceFilters } from './place-filters.js';
import { findPositionsInTable } from './token-positions.js';

/** Characters and array elements that the filters and ranges of one rendering may create. */
const MEMORY_LIMIT = 10_000_000;
/**
 * A rendering of one part ends itself after this elapsed time; the time limit of its thread ends renderings that never
 * reach this check.
 */
export const TIME_LIMIT_MS = 1_000;
/** Excluded because they read other templates. */
const TAGS_WITHOUT_PLACE = ['include', 'render', 'layout', 'block'];
/** Excluded because their results are not deterministic, or because they parse expressions while they render. */
const FILTERS_WITHOUT_PLACE = ['sample', ...Object.keys(filters).filter((name) => name.endsWith('_exp'))];
const DATE_FILTERS = ['date', 'date_to_xmlschema', 'date_to_rfc822', 'date_to_string', 'date_to_long_string'] as const;
/** The context register with the time that "now" means. */
const NOW = 'now';

type FilterFunction = (this: unknown, value: unknown, ...args: unknown[]) => unknown;

/** For subjects and text: nothing is escaped. */
export const textLanguage = newLanguage();
/** For HTML: outputs are escaped by their place; this escapes values that tags write. */
export const htmlLanguage = newLanguage((value) => escapeFor({ kind: 'text', isQuoted: true }, textOf(value)));

registerPlaceFilters(htmlLanguage);
findPositionsInTable();

/** Liquid without file access, with limits, and with results that depend only on template, variables and time. */
function newLanguage(outputEscape?: (value: unknown) => string): Liquid {
  const liquid = new Liquid({
    ...(outputEscape && { outputEscape }),
    // Replaces access to the disk.
    templates: {},
    strictFilters: true,
    ownPropertyOnly: true,
    // Otherwise an unknown variable "size" is the number of these.
    globals: { size: undefined },
    // In strict mode, conditions and default values may use unknown variables.
    lenientIf: true,
    // Gives the same result on every host.
    locale: 'en-US',
    timezoneOffset: 0,
    preserveTimezones: true,
    parseLimit: MAX_LENGTH,
    memoryLimit: MEMORY_LIMIT,
    renderLimit: TIME_LIMIT_MS,
  });
  for (const name of TAGS_WITHOUT_PLACE) delete liquid.tags[name];
  for (const name of FILTERS_WITHOUT_PLACE) liquid.unregisterFilter(name);
  for (const name of DATE_FILTERS) liquid.registerFilter(name, atGivenTime(filters[name] as FilterFunction));
  boundCaptures(liquid);
  return liquid;
}

export function setNow(context: Context, now: Date): void {
  context.setRegister(NOW, now);
}

/** "now" means the given time, because a retry must render the same bytes. */
function atGivenTime(filter: FilterFunction) {
  return function (this: { context: Context }, value: unknown, ...args: unknown[]): unknown {
    const isNow = value === 'now' || value === 'today';
    return filter.call(this, isNow ? this.context.getRegister<Date>(NOW) : value, ...args);
  };
}

/**
 * Without an emitter, a tag captures the output of its content: the captures of one rendering share the memory limit.
 */
function boundCaptures({ renderer }: Liquid): void {
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  renderer.renderTemplates = function* (templates: Template[], context: Context, emitter?: Emitter) {
    if (emitter) return (yield renderTemplates(templates, context, emitter)) as unknown;
    const captured = new BoundedEmitter();
    yield renderTemplates(templates, context, captured);
    context.memoryLimit.use(captured.buffer.length);
    return captured.buffer;
  };
}
