import { InvalidFieldError } from '../errors/domain-error.js';
import { isWellFormed } from './storable-text.js';

/** Reads the `search` of a list from its query; empty without one. @throws InvalidFieldError */
export function readSearch({ search = '' }: Readonly<Record<string, unknown>>): string {
  if (typeof search !== 'string' || !isWellFormed(search))
    throw new InvalidFieldError('search', 'must be a single text');
  return search;
}
