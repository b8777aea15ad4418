/** An email that needs a job. */
export interface DispatchedEmail {
  readonly emailId: string;
  readonly generation: number;
  /** Its position in the queue: emails are sent in this order, and emails of one organization keep their own order. */
  readonly position: number;
  /** The API process that waits for the result, if any. */
  readonly waitingInstance?: string;
  /** The broadcast that it belongs to, if any. */
  readonly broadcastId?: string;
}

/** Columns of `pending_emails p` for a `DispatchedRow`, except the position. */
export const DISPATCHED = 'p.email_id as id, p.generation, p.waiter, p.broadcast_id';

export interface DispatchedRow {
  id: string;
  generation: number;
  waiter: string | null;
  broadcast_id: string | null;
  place: number;
}

export function toDispatched({
  id,
  generation,
  waiter,
  broadcast_id,
  place: position,
}: DispatchedRow): DispatchedEmail {
  return {
    emailId: id,
    generation,
    position,
    ...(waiter !== null && { waitingInstance: waiter }),
    ...(broadcast_id !== null && { broadcastId: broadcast_id }),
  };
}
