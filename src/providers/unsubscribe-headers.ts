import type { OutgoingEmail } from './provider.js';

/** The two headers that let a mail program unsubscribe with one click (RFC 8058); none for mail without it. */
export function unsubscribeHeaders({ unsubscribeUrl }: Pick<OutgoingEmail, 'unsubscribeUrl'>): Record<string, string> {
  if (unsubscribeUrl === undefined) return {};
  return { 'List-Unsubscribe': `<${unsubscribeUrl}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}
