import { addressIn, readFieldGroups } from './field-groups.js';
import type { RecipientReport } from './recipient-report.js';

/** The content of a `message/feedback-report` part (RFC 5965). */
export interface FeedbackReport extends RecipientReport {
  /** Envelope sender of the message that was reported, if the report contains it. */
  readonly originalSender?: string;
}

/** Kinds of feedback by which a recipient complains (RFC 5965, 7.3). */
const COMPLAINTS = ['abuse', 'fraud', 'virus', 'other'];

/** Undefined unless the content is a feedback report. Kinds that are not complaints are only noted. */
export function readFeedbackReport(content: string): FeedbackReport | undefined {
  const [fields] = readFieldGroups(content);
  const type = fields?.get('feedback-type');
  if (fields === undefined || type === undefined) return undefined;
  const kind = kindOf(type);
  const address = addressIn(fields.get('original-rcpt-to')) ?? addressIn(fields.get('removal-recipient'));
  const originalSender = addressIn(fields.get('original-mail-from'));
  return {
    ...(address !== undefined && { address }),
    ...(originalSender !== undefined && { originalSender }),
    fact: COMPLAINTS.includes(kind.toLowerCase()) ? 'complained' : 'noted',
    reason: `Feedback report: ${kind}`,
  };
}

/** The value may end with a comment (RFC 5965, 3.5). */
function kindOf(type: string): string {
  return /^[\w-]{1,40}/.exec(type)?.[0] ?? 'unknown';
}
