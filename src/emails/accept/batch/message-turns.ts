import { EventLoopTurns } from '../../../platform/clock/event-loop-turns.js';

/** To read or compose as many takes about a millisecond; a turn itself takes a twentieth of that. */
const MESSAGES_PER_TURN = 25;

/** Of all requests of this process: several batches at once would otherwise block the event loop for all of them. */
const turns = new EventLoopTurns();

/**
 * Lets other requests go first after every few messages of a batch.
 * @param index of the message
 */
export async function waitForMessageTurn(index: number): Promise<void> {
  if (index > 0 && index % MESSAGES_PER_TURN === 0) await turns.run(() => undefined);
}
