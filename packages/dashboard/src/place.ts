import { MailbeaconError } from '../../client/src/index';
import { plainWords } from './plain-words';

/** A position in a text; both numbers start at 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** The problem at this position. */
  readonly reason: string;
}

/** The fields of a message that are templates. */
export type MessageField = 'subject' | 'htmlContent' | 'textContent';

/** The position of a service error in a field, if the error has one. */
export function placeOf(error: unknown, field: MessageField): Place | undefined {
  const detail =
    error instanceof MailbeaconError ? error.details.find((one) => one.field === field)?.message : undefined;
  const [, line, column = '1'] = /line (\d+)(?:, column (\d+))?/i.exec(detail ?? '') ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column), reason: plainWords(detail!) };
}

/** True if an editor shows the error at its line, so that the page need not repeat it. */
export function isShownInEditor(error: unknown): boolean {
  if (!(error instanceof MailbeaconError) || error.details.length === 0) return false;
  return error.details.every(
    ({ field }) => (field === 'htmlContent' || field === 'textContent') && placeOf(error, field) !== undefined,
  );
}

/** True if all that is wrong are fields of these names. */
export function isAbout(error: unknown, fields: readonly string[]): boolean {
  if (!(error instanceof MailbeaconError) || error.details.length === 0) return false;
  return error.details.every(({ field }) => fields.includes(field));
}
