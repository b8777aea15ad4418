/** What a log line tells of an error. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

/** Causes of causes are told up to here. */
const DEEPEST_CAUSE = 3;

/**
 * What may be logged of an error: drivers hang rows, statements, parameters and commands onto theirs, and quote input
 * in what they say, so only known fields pass and nothing that Postgres quotes.
 */
export function errorFields(error: unknown, depth = 0): ErrorFields {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an error' };
  const { code, table, constraint, cause } = error as Error & Record<'code' | 'table' | 'constraint', unknown>;
  const message = isFromPostgres(error) ? withoutQuotes(error.message) : error.message;
  return {
    type: error.constructor.name,
    message,
    ...(typeof code === 'string' && { code }),
    ...(typeof table === 'string' && { table }),
    ...(typeof constraint === 'string' && { constraint }),
    ...(error.stack !== undefined && { stack: error.stack.replace(error.message, () => message) }),
    ...(cause !== undefined && depth < DEEPEST_CAUSE && { cause: errorFields(cause, depth + 1) }),
  };
}

/** Its messages quote values and names alike; which one it was is in `table` and `constraint`. */
function withoutQuotes(message: string): string {
  return message.replace(/"[^"]*"/g, '"…"').replace(/'[^']*'/g, "'…'");
}

function isFromPostgres(error: Error): boolean {
  return 'severity' in error && 'routine' in error;
}
