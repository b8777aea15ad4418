/** An email that is to have a job. */
export interface DispatchedEmail {
  readonly emailId: string;
  readonly generation: number;
  /** Where it stands in line: emails go in the order of their places, and of one organization in their own. */
  readonly place: number;
  /** The API process that waits for the result, when one does. */
  readonly waitingInstance?: string;
}

/** Columns of `pending_emails p` that tell it, all but the place. */
export const DISPATCHED = 'p.email_id as id, p.generation, p.waiter';

export interface DispatchedRow {
  id: string;
  generation: number;
  waiter: string | null;
  place: number;
}

export function toDispatched({ id, generation, waiter, place }: DispatchedRow): DispatchedEmail {
  return { emailId: id, generation, place, ...(waiter !== null && { waitingInstance: waiter }) };
}
