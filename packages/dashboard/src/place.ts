import { MailbeaconError } from '../../client/src/index';

/** A place in a text, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
  /** What is wrong there. */
  readonly reason: string;
}

/** The fields of a message that are templates. */
export type MessageField = 'subject' | 'htmlContent' | 'textContent';

/** Where an error of the service lies in a field, if it says so. */
export function placeOf(error: unknown, field: MessageField): Place | undefined {
  const detail =
    error instanceof MailbeaconError ? error.details.find((one) => one.field === field)?.message : undefined;
  const [, line, column = '1'] = /line (\d+)(?:, column (\d+))?/i.exec(detail ?? '') ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column), reason: detail! };
}
