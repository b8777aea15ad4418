import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { CampaignArchivedError } from '../../campaigns/campaign-errors.js';
import { ACCEPT, acceptParameters } from './acceptance-statement.js';
import { IdempotencyKeyTakenError } from '../idempotency/idempotency-errors.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import type { NewEmail } from './new-email.js';

/** What was decided when the email was stored. */
export interface Acceptance {
  readonly from: string;
  /** Its place in line, see `DispatchedEmail`; undefined when it waits for the feeder. */
  readonly place?: number;
}

interface Outcome {
  open: boolean;
  stored: boolean;
  place: number | null;
  verified: boolean;
}

/** The way into the queue of record. */
@Injectable()
export class AcceptedEmails {
  constructor(private readonly database: Database) {}

  /**
   * @param claim the idempotency key of the request, where it has one
   * @param waiter the API process that waits for the result, where one does
   * @throws CampaignArchivedError when the campaign was archived meanwhile, IdempotencyKeyTakenError when another
   * request has the key; nothing is stored then
   */
  async accept(email: NewEmail, claim?: KeyClaim, waiter?: string): Promise<Acceptance> {
    const [outcome] = await this.database.prepared<Outcome>(
      'accept-email',
      ACCEPT,
      acceptParameters(email, claim, waiter),
    );
    if (!outcome?.open) throw new CampaignArchivedError();
    if (!outcome.stored) throw new IdempotencyKeyTakenError();
    const { from } = outcome.verified ? email.sender.onVerified : email.sender.otherwise;
    return { from, ...(outcome.place !== null && { place: outcome.place }) };
  }
}
