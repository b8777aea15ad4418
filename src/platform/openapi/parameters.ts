import { enumOf, string, integer, type Described } from './schemas.js';

/** A part of a request outside its body. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly schema: Described;
}

export const path = (name: string, schema: Described): Parameter => ({ in: 'path', name, schema });
export const query = (name: string, schema: Described): Parameter => ({ in: 'query', name, schema });

export const paging: readonly Parameter[] = [
  query('limit', integer('Most items in the answer', 100, { minimum: 1, maximum: 1000, default: 1000 })),
  query(
    'cursor',
    string('Where the page starts: taken from the Link header of the page before, as it is. Opaque', 'WyIwMTkwIl0'),
  ),
];

export const idempotencyKey: Parameter = {
  in: 'header',
  name: 'Idempotency-Key',
  schema: string(
    'Makes the request safe to repeat for 24 hours: the same key with the same body acts once and answers the same',
    'order-4711-receipt',
    { minLength: 1, maxLength: 256 },
  ),
};

export const prefer: Parameter = {
  in: 'header',
  name: 'Prefer',
  schema: enumOf(
    ['respond-async'],
    'Answer 202 at once instead of waiting for the delivery (RFC 7240)',
    'respond-async',
  ),
};

export const requestId: Parameter = {
  in: 'header',
  name: 'X-Request-Id',
  schema: string('Comes back in the answer and stands in our logs', 'order-4711', {
    maxLength: 128,
    pattern: '^[\\w.:-]+$',
  }),
};
