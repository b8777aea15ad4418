import type { LoadedEmail } from './loaded-email.js';

/** Those that one call can have: they differ from the first suitable one only in what `BatchRecipient` has. */
export function alikeOf(emails: readonly LoadedEmail[]): LoadedEmail[] {
  const suitable = emails.filter(isSuitable);
  const [first] = suitable;
  if (!first) return [];
  return suitable.filter((email) => commonOf(email) === commonOf(first));
}

function isSuitable({ shared, unsubscribe, crashes, isBodyGone, message }: LoadedEmail): boolean {
  const { to, cc, bcc, headers, attachments, envelopeRecipients } = message;
  const isPlain = headers === undefined && attachments === undefined && cc.length === 0 && bcc.length === 0;
  return (
    shared !== undefined &&
    unsubscribe &&
    crashes === 0 &&
    !isBodyGone &&
    isPlain &&
    to.length === 1 &&
    envelopeRecipients.length === 1
  );
}

function commonOf({ shared, baseUrl, message: { organizationId, from, replyTo } }: LoadedEmail): string {
  return JSON.stringify([shared?.messageId, baseUrl, organizationId, from, replyTo]);
}
