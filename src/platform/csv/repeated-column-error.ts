import { DomainError } from '../errors/domain-error.js';

/** The first row of a CSV file names a column twice, so the values of one of them would be lost. */
export class RepeatedColumnError extends DomainError {
  constructor(name: string) {
    super('invalid', `The first row names the column ${name} twice`);
  }
}
