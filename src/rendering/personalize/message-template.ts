import { cutIntoPieces, type SplicedMessage } from './spliced-message.js';
import { LiquidTemplate, type RenderingOptions, type Variables } from '../liquid/liquid-template.js';

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

/** Total characters of the sources of cached messages. The compiled form takes about twenty times the memory. */
const CACHE_LENGTH = 2 * 1024 * 1024;
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTERS = /[\0-\x1f\x7f-\x9f\u2028\u2029]+/g;

/** The compiled messages of this thread, least recently used first. */
const compiled = new Map<string, CompiledMessage>();
let cachedLength = 0;

/**
 * Parses a message, or returns it from the cache of this thread.
 * @throws TemplateError, RenderingLimitError
 */
export function compileMessage(source: MessageSource): CompiledMessage {
  const key = JSON.stringify([source.subject, source.html, source.text]);
  const known = compiled.get(key);
  if (known) {
    compiled.delete(key);
    compiled.set(key, known);
    return known;
  }
  const message = {
    subject: LiquidTemplate.parse('subject', source.subject),
    html: source.html === null ? null : LiquidTemplate.parse('html', source.html),
    pieces: once(() => (source.html === null ? undefined : cutIntoPieces(source.html))),
    text: source.text === null ? null : LiquidTemplate.parse('text', source.text),
  };
  remember(key, message);
  return message;
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

/** The names of the variables that the message reads, in the order of subject, HTML and text. */
export function variablesOf({ subject, html, text }: CompiledMessage): string[] {
  return [...new Set([subject, html, text].flatMap((template) => template?.variables ?? []))];
}

/** Only messages of broadcasts are cut into pieces. */
function once<Result>(work: () => Result): () => Result {
  let done: { readonly result: Result } | undefined;
  return () => (done ??= { result: work() }).result;
}

function remember(key: string, message: CompiledMessage): void {
  if (key.length > CACHE_LENGTH) return;
  compiled.set(key, message);
  cachedLength += key.length;
  for (const oldest of compiled.keys()) {
    if (cachedLength <= CACHE_LENGTH) return;
    compiled.delete(oldest);
    cachedLength -= oldest.length;
  }
}
