import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { CampaignArchivedError } from '../../campaigns/campaign-errors.js';
import { ACCEPT } from './acceptance-statement.js';
import { acceptanceValues } from './acceptance-values.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import type { NewEmail } from './new-email.js';

/** The result of storing the email. */
export interface Acceptance {
  readonly from: string;
  /** Its position in the queue, see `DispatchedEmail`; undefined when it waits for the feeder. */
  readonly position?: number;
}

interface Outcome {
  open: boolean;
  stored: boolean;
  place: number | null;
  verified: boolean;
}

/** Stores emails in Postgres, the queue of record. */
@Injectable()
export class AcceptedEmails {
  constructor(private readonly database: Database) {}

  /**
   * @param claim the request's idempotency key, if it has one
   * @param waiter the API process that waits for the result, if any
   * @throws CampaignArchivedError when the campaign was archived meanwhile
   * @returns undefined when another request holds the key; nothing is stored in either case
   */
  async accept(email: NewEmail, claim?: KeyClaim, waiter?: string): Promise<Acceptance | undefined> {
    const [outcome] = await ACCEPT.run<Outcome>(this.database, acceptanceValues(email, claim, waiter));
    if (!outcome?.open) throw new CampaignArchivedError();
    if (!outcome.stored) return undefined;
    const { from } = outcome.verified ? email.sender.onVerified : email.sender.otherwise;
    return { from, ...(outcome.place !== null && { position: outcome.place }) };
  }
}
