import { readableReason } from '../../../providers/failure-reason.js';
import { bounceKindOf } from '../bounce-kind.js';
import type { MailMessage } from './mail-message.js';
import type { RecipientReport } from './recipient-report.js';

/** An enhanced status code that stands alone, as in `550 5.1.1 No such user`, `550-5.1.1 No` or `(#5.1.1)`. */
const ADDRESS_STATUS = /(?:^|[\s(#:;<]|\b5\d\d-)(5\.1\.\d{1,3})(?=$|[\s):;,>\]-])/;
/** The line after which a bounce quotes the returned message. */
const RETURNED_MESSAGE = /^\s*(?:--.*\b(?:copy|original|returned|included|undelivered)\b|received:|return-path:|> )/i;
/** Bounds the work on very long lines. */
const LONGEST_LINE = 1_000;

/** Reads a bounce without a machine-readable part. Undefined unless it has a code for a wrong address. */
export function readTextBounce({ text }: MailMessage): RecipientReport | undefined {
  for (const whole of text.split('\n')) {
    const line = whole.slice(0, LONGEST_LINE);
    if (RETURNED_MESSAGE.test(line)) return undefined;
    const smtpStatus = ADDRESS_STATUS.exec(line)?.[1];
    if (smtpStatus === undefined || bounceKindOf(smtpStatus) !== 'hard') continue;
    return { fact: 'bounced', bounce: 'hard', smtpStatus, reason: readableReason(line) };
  }
  return undefined;
}
