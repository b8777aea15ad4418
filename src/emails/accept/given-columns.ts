import type { ParameterValues } from '../../platform/database/statement.js';
import type { NewEmail } from './new-email.js';

/** Columns of `emails` with values from the request, by the names of their parameters. */
export const GIVEN = {
  unsubscribe: 'boolean',
  tags: 'text[]?',
  senderKey: 'bigint?',
  sendAt: 'timestamptz?',
} as const;

type Given = keyof typeof GIVEN;

export function givenValues(email: NewEmail): ParameterValues<typeof GIVEN> {
  return {
    unsubscribe: email.unsubscribe,
    tags: email.tags,
    senderKey: email.sender.key,
    sendAt: email.sendAt ?? null,
  };
}

const names = Object.keys(GIVEN) as Given[];
const columnOf = (name: Given): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const GIVEN_COLUMNS = names.map(columnOf).join(', ');

/** The values of one email. */
export const GIVEN_PARAMETERS = names.map((name) => `:${name}`).join(', ');

/** The fields of `givenRecord`, for `json_to_record`. */
export const GIVEN_FIELDS = names.map((name) => `${columnOf(name)} ${GIVEN[name].replace('?', '')}`).join(', ');

/** The values of one email among many, by their columns. */
export function givenRecord(email: NewEmail): object {
  const values = givenValues(email);
  return Object.fromEntries(names.map((name) => [columnOf(name), values[name]]));
}
