import { derivedUuidV7 } from '../platform/clock/uuid-v7.js';

/**
 * The ID of an email's `sent` event: a UUIDv7 at the time of sending whose random bits derive from the email's ID.
 * Repeating the event gives the same ID, so it is stored once.
 */
export function sentEventId(emailId: string, sentAt: Date): string {
  return derivedUuidV7(sentAt.getTime(), `sent:${emailId}`);
}
