const UNIQUE_VIOLATION = '23505';

/** True if a statement failed because a unique index has its key already. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === UNIQUE_VIOLATION;
}
