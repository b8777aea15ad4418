import { createHash } from 'node:crypto';

/**
 * The ID of an email's `sent` event: a UUIDv7 at the time of sending whose random bits derive from the email's ID.
 * Repeating the event gives the same ID, so it is stored once.
 */
export function sentEventId(emailId: string, sentAt: Date): string {
  const time = sentAt.getTime().toString(16).padStart(12, '0');
  const bits = createHash('sha256').update(`sent:${emailId}`).digest('hex');
  const variant = ((parseInt(bits[3]!, 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${bits.slice(0, 3)}-${variant}${bits.slice(4, 7)}-${bits.slice(7, 19)}`;
}
