/**
 * Maximum number of emails of a broadcast that wait for their first attempt. Small enough that a pause or a
 * cancellation has little to undo, and that most slots of a worker stay free for other mail: with 1,000, every slot
 * held 50 emails of the broadcast, and an email of another organization waited for all of them. Large enough to keep
 * workers busy until the next step.
 */
const AHEAD = 200;
/**
 * The same while single sends need room: fewer chunks of emails compute at the same time, and a send waits for fewer.
 * Measured: 80 are two thirds as fast as 200 beside sends to a provider that responds at once, and 50 are half as fast.
 */
const AHEAD_BESIDE_SENDS = 80;
/**
 * A broadcast with this many emails that wait for another attempt gets no new ones while hardly any become final: the
 * provider accepts none. Otherwise all of its emails would be created within minutes of an outage, and each step counts
 * the pending ones.
 */
const MAX_RETRYING = 1_000;
/** How many seconds' worth of emails a paced broadcast may have waiting. */
const PACED_SECONDS = 2;

interface WaitingEmails {
  /** Emails per minute; null for no limit. */
  readonly pace: number | null;
  /** Emails that wait for their first attempt. */
  readonly fresh: number;
  /** Emails that are not final. */
  readonly pending: number;
  /** Emails that are due for another attempt within a minute. */
  readonly dueAgain: number;
  /** True if hardly any have become final lately. */
  readonly stalled: boolean;
  /** True while single sends need room. */
  readonly sendsNeedRoom: boolean;
}

/**
 * How many emails a step creates. With a pace, none while a minute's worth of earlier emails is due again: together
 * they would exceed it. Emails that wait for longer, such as those for full mailboxes, hold up no others.
 * @param waiting recipients without an email
 */
export function sizeOfChunk(emails: WaitingEmails, waiting: number): number {
  const { pace, fresh, pending, dueAgain, stalled, sendsNeedRoom } = emails;
  if (stalled && pending - fresh >= MAX_RETRYING) return 0;
  const ahead = sendsNeedRoom ? AHEAD_BESIDE_SENDS : AHEAD;
  // A step costs Postgres about as much with 10 emails as with 100.
  const least = ahead / 2;
  if (pace === null) return roomFor(ahead - fresh, least, waiting);
  if (dueAgain >= pace) return 0;
  const perSecond = Math.ceil(pace / 60);
  const room = Math.min(ahead, perSecond * PACED_SECONDS) - fresh;
  return Math.min(perSecond, roomFor(room, Math.min(least, perSecond), waiting));
}

/** @returns 0 when there is room for fewer than `least`, unless fewer are left */
function roomFor(room: number, least: number, waiting: number): number {
  return room >= Math.min(least, waiting) ? room : 0;
}
