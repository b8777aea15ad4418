/** The fields of an error that are logged. */
export interface ErrorFields {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly table?: string;
  readonly constraint?: string;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

/** Maximum depth of logged causes. */
const MAX_CAUSE_DEPTH = 3;

/**
 * Extracts the fields of an error that are safe to log. Driver errors carry rows, statements, parameters and commands,
 * and their messages quote input. Therefore only known fields pass, without the text that Postgres quotes.
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
    ...(cause !== undefined && depth < MAX_CAUSE_DEPTH && { cause: errorFields(cause, depth + 1) }),
  };
}

/** Postgres messages quote both values and names. The relevant names are also in `table` and `constraint`. */
function withoutQuotes(message: string): string {
  return message.replace(/"[^"]*"/g, '"…"').replace(/'[^']*'/g, "'…'");
}

function isFromPostgres(error: Error): boolean {
  return 'severity' in error && 'routine' in error;
}
