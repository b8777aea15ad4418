import type { ParameterValues } from '../../platform/database/statement.js';
import type { NewEmail } from './new-email.js';

/** Columns of `emails` with values from the request, by the names of their values. */
const GIVEN = {
  unsubscribe: 'boolean',
  tags: 'text[]?',
  senderKey: 'bigint?',
  sendAt: 'timestamptz?',
} as const;

function givenValues(email: NewEmail): ParameterValues<typeof GIVEN> {
  return {
    unsubscribe: email.unsubscribe,
    tags: email.tags,
    senderKey: email.sender.key,
    sendAt: email.sendAt ?? null,
  };
}

const names = Object.keys(GIVEN) as (keyof typeof GIVEN)[];
const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const columns = names.map((name) => [name, columnOf(name)] as const);

export const GIVEN_COLUMNS = columns.map(([, column]) => column).join(', ');

/** The fields of `givenRecord`, for `json_to_record`. */
export const GIVEN_FIELDS = columns.map(([name, column]) => `${column} ${GIVEN[name].replace('?', '')}`).join(', ');

/** The values of an email, by their columns. */
export function givenRecord(email: NewEmail): Record<string, unknown> {
  const values = givenValues(email);
  return Object.fromEntries(columns.map(([name, column]) => [column, values[name]]));
}
