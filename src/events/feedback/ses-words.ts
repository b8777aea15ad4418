import { bounceKindOf } from './bounce-kind.js';
import { asText, type Meaning } from './provider-event-fields.js';

/*
 * Words in which Amazon SES reports bounces, and Resend, too.
 */

/** Subtypes for an address on a suppression list of the provider. */
export const SUPPRESSED: ReadonlySet<string> = new Set(['Suppressed', 'OnAccountSuppressionList']);

/**
 * The provider gave up on a transient bounce. With any other type but a permanent one, or without a type as in older
 * events of Resend, only a status makes it hard.
 */
export function bounceOfType(type: unknown, smtpStatus: string | undefined): Meaning {
  const known = smtpStatus === undefined ? undefined : bounceKindOf(smtpStatus);
  if (type === 'Permanent') return { fact: 'bounced', bounce: known ?? 'hard' };
  return { fact: 'bounced', bounce: type === 'Transient' ? 'soft' : (known ?? 'soft') };
}

/** The reply of the receiving server; '' without a diagnostic code. */
export function replyIn(diagnosticCode: unknown): string {
  return asText(diagnosticCode).replace(/^\s*smtp\s*;\s*/i, '');
}
