import type { Variables } from '../liquid/liquid-template.js';
import type { VariablePath } from '../liquid/unguarded-variables.js';
import { textPartOf } from '../text-part/text-part.js';
import { outcomeOf } from './message-outcome.js';
import {
  compileMessage,
  renderMessage,
  requireSingleValues,
  unguardedVariablesOf,
  variablesOf,
  type MessageSource,
  type RenderedMessage,
} from './message-template.js';

/** A message, and the values of its variables. Plain data, because it goes to another thread. */
export interface MessageRequest {
  readonly source: MessageSource;
  readonly variables: Variables;
  /** True to refuse unknown variables. Otherwise they are empty. */
  readonly strict?: boolean;
  /** Milliseconds since the epoch: the time that "now" means. */
  readonly now: number;
  /** True for a message that comes with its variables. Stored ones were checked, or may be older than the check. */
  readonly isNew?: boolean;
  /** True to derive the text from the rendered HTML if the source has none. */
  readonly withText?: boolean;
}

/** @throws TemplateError, UnknownVariableError, RenderingLimitError */
export function fillIn(request: MessageRequest): RenderedMessage {
  const { source, variables, strict = false, now, isNew = false, withText = false } = request;
  const message = compileMessage(source);
  if (isNew) requireSingleValues(message);
  const rendered = renderMessage(message, variables, { strict, now: new Date(now) });
  if (!withText || rendered.text !== null || rendered.html === null) return rendered;
  return { ...rendered, text: textPartOf(rendered.html) };
}

/**
 * Checks a message.
 * @param isNew see `MessageRequest`
 * @returns the names of the variables that it reads
 * @throws TemplateError, RenderingLimitError
 */
export function readVariables(source: MessageSource, isNew: boolean): string[] {
  const message = compileMessage(source);
  if (isNew) requireSingleValues(message);
  return variablesOf(message);
}

/** The variables that leave a gap in the message when they are unknown. Throws as `readVariables` does. */
export function readUnguardedVariables(source: MessageSource): VariablePath[] {
  return unguardedVariablesOf(compileMessage(source));
}

/** The subject of a broadcast's message, and the variables of some of its recipients. */
export interface SubjectsRequest {
  readonly subject: string;
  readonly variables: readonly Variables[];
  /** See `MessageRequest`. */
  readonly now: number;
}

/** More than any subject may have. All subjects of a task go to the main thread together. */
const MAX_SUBJECT_LENGTH = 10_000;

/**
 * @returns null for a recipient whose variables give no subject, or a very long one
 * @throws TemplateError of the subject itself
 */
export function fillInSubjects({ subject: template, variables, now }: SubjectsRequest): (string | null)[] {
  const message = compileMessage({ subject: template, html: null, text: null });
  return variables.map((values) => {
    const outcome = outcomeOf(() => renderMessage(message, values, { strict: false, now: new Date(now) }));
    const subject = outcome.kind === 'done' ? outcome.result.subject : null;
    return subject !== null && subject.length <= MAX_SUBJECT_LENGTH ? subject : null;
  });
}
