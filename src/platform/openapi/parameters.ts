import { enumOf, string, integer, type Described } from './schemas.js';

/** A part of a request outside its body. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly schema: Described;
}

export const path = (name: string, schema: Described): Parameter => ({ in: 'path', name, schema });
export const query = (name: string, schema: Described): Parameter => ({ in: 'query', name, schema });
export const header = (name: string, schema: Described): Parameter => ({ in: 'header', name, schema });

export const paging: readonly Parameter[] = [
  query('limit', integer('Maximum number of items in the response', 100, { minimum: 1, maximum: 1000, default: 1000 })),
  query(
    'cursor',
    string('Start of the page: an opaque value from the Link header of the previous page', 'WyIwMTkwIl0'),
  ),
];

export const nameSearch = query('search', string('Part of the name, ignoring case', 'spring'));
/** Of lists that `pageByName` reads. */
export const SEARCHED_PAGES = 'Pages of a search may be empty: follow `next`.';

export const idempotencyKey: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  schema: string(
    'Makes the request safe to retry for 24 hours: the same key with the same body acts once and returns the same response',
    'order-4711-receipt',
    { minLength: 1, maxLength: 256 },
  ),
};

export const prefer: Parameter = {
  in: 'header',
  name: 'Prefer',
  schema: enumOf(
    ['respond-async'],
    'Respond 202 immediately instead of waiting for the delivery (RFC 7240)',
    'respond-async',
  ),
};

export const requestId: Parameter = {
  in: 'header',
  name: 'X-Request-Id',
  schema: string('Returned in the response and written to our logs', 'order-4711', {
    maxLength: 128,
    pattern: '^[\\w.:-]+$',
  }),
};
