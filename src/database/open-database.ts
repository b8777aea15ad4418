import type { DataSource } from 'typeorm';
import { OperatorError } from '../errors/operator-error.js';
import { createDataSource, type Patience } from './data-source.js';

/** Thrown when the database cannot be used at all; never shows its address, which can hold a password. */
export class DatabaseUnreachableError extends OperatorError {
  constructor(error: unknown) {
    const { code, message } = error as { code?: string; message?: string };
    super(`Postgres cannot be reached at DATABASE_URL: ${code ?? message ?? 'no reason given'}`);
  }
}

/** @throws DatabaseUnreachableError */
export async function openDataSource(url: string, poolSize = 4, patience?: Patience): Promise<DataSource> {
  const dataSource = createDataSource(url, poolSize, patience);
  try {
    return await dataSource.initialize();
  } catch (error) {
    throw new DatabaseUnreachableError(error);
  }
}
