import { BoundedCache } from '../bounded-cache.js';
import { cutIntoPieces, type SplicedMessage } from './spliced-message.js';
import { LiquidTemplate, type RenderingOptions, type Variables } from '../liquid/liquid-template.js';
import type { VariablePath } from '../liquid/unguarded-variables.js';

/** A message with variables. HTML, not MJML. */
export interface MessageSource {
  readonly subject: string;
  /** Null for a text-only message. */
  readonly html: string | null;
  /** Null if the text is derived from the HTML. */
  readonly text: string | null;
}

/** A message whose variables are filled in. Parts that the source does not have, and empty texts, are null. */
export interface RenderedMessage {
  /** One line. It may be empty or longer than a header allows. */
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

export interface CompiledMessage {
  /** The HTML in pieces; undefined for a template that needs more than joining. */
  readonly pieces: () => SplicedMessage | undefined;
  readonly subject: LiquidTemplate;
  readonly html: LiquidTemplate | null;
  readonly text: LiquidTemplate | null;
}

/**
 * Maximum total size of cached messages, in characters of HTML: compiled, each takes about twenty bytes. A thread must
 * have room for the largest document of another organization beside its cache.
 */
const CACHE_SIZE = 2 * 1024 * 1024;
/** A character of a tag or an output takes up to 400 bytes. */
const MARKUP_SIZE = 20;
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\0-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** The compiled messages of this thread. */
const compiledMessages = new BoundedCache<CompiledMessage>(CACHE_SIZE);

/**
 * Parses a message, or returns it from the cache of this thread.
 * @throws TemplateError, RenderingLimitError
 */
export function compileMessage(source: MessageSource): CompiledMessage {
  const key = JSON.stringify([source.subject, source.html, source.text]);
  const known = compiledMessages.get(key);
  if (known) return known;
  const message = {
    subject: LiquidTemplate.parse('subject', source.subject),
    html: source.html === null ? null : LiquidTemplate.parse('html', source.html),
    pieces: once(() => (source.html === null ? undefined : cutIntoPieces(source.html))),
    text: source.text === null ? null : LiquidTemplate.parse('text', source.text),
  };
  compiledMessages.set(key, message, key.length + MARKUP_SIZE * markupLengthOf(message));
  return message;
}

function markupLengthOf({ subject, html, text }: CompiledMessage): number {
  return subject.markupLength + (html?.markupLength ?? 0) + (text?.markupLength ?? 0);
}

/**
 * Fills in the variables. Hostile templates can take long: run it in a rendering thread.
 * @throws TemplateError, UnknownVariableError in strict mode, RenderingLimitError
 */
export function renderMessage(
  { subject, html, text }: CompiledMessage,
  variables: Variables,
  options: RenderingOptions,
): RenderedMessage {
  const rendered = {
    subject: subjectOf(subject.render(variables, options)),
    html: html?.render(variables, options) ?? null,
    text: text?.render(variables, options) ?? null,
  };
  return rendered.text === '' ? { ...rendered, text: null } : rendered;
}

/** As one line. */
export function subjectOf(rendered: string): string {
  return rendered.replace(CONTROL_CHARACTERS, ' ').trim();
}

/** @throws TemplateError for two values in a row, of which the language ignores the second one */
export function requireSingleValues({ subject, html, text }: CompiledMessage): void {
  for (const template of [subject, html, text]) template?.requireSingleValues();
}

/** The names of the variables that the message reads, in the order of subject, HTML and text. */
export function variablesOf({ subject, html, text }: CompiledMessage): string[] {
  return [...new Set([subject, html, text].flatMap((template) => template?.variables ?? []))];
}

/** Those that leave a gap in one of the parts when they are unknown. */
export function unguardedVariablesOf({ subject, html, text }: CompiledMessage): VariablePath[] {
  const paths = [subject, html, text].flatMap((template) => template?.unguardedVariables ?? []);
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}

/** Only messages of broadcasts are cut into pieces. */
function once<Result>(work: () => Result): () => Result {
  let done: { readonly result: Result } | undefined;
  return () => (done ??= { result: work() }).result;
}
