/**
 * What made a call fail. Node's `fetch` says only "fetch failed" and keeps the reason in its cause, which has a code
 * but no message if several addresses were tried.
 */
export function failureReason({ message, cause }: Error): string {
  const { message: reason, code } = (cause ?? {}) as { readonly message?: string; readonly code?: string };
  const detail = reason || code;
  return detail ? `${message}: ${detail}` : message;
}
