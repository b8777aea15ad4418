import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '../../platform/database/database.js';
import { CampaignArchivedError } from '../../campaigns/campaign-errors.js';
import { LivePublisher } from '../../events/live/live-publisher.js';
import type { KeyClaim } from '../idempotency/idempotency-keys.js';
import { recordSuppressed } from '../recipients/record-suppressed.js';
import type { SuppressedRecipient } from '../recipients/suppressed-recipients.js';
import { addressKey } from '../mailbox.js';
import { checkedAddresses, type EmailToAccept } from './acceptance-values.js';
import { LeftOutRecipients } from './left-out-recipients.js';
import type { NewEmail } from './new-email.js';
import { requireRecipientLeft } from './recipients.js';
import { SharedAcceptance } from './shared-acceptance.js';
import { storeEmails, type Outcome, type SuppressedPlace } from './store-emails.js';
import { FIND_SUPPRESSED } from './suppressed-statement.js';

/** The result of storing the email. */
export interface Acceptance {
  readonly from: string;
  /** Its position in the queue, see `DispatchedEmail`; undefined when it waits for the feeder. */
  readonly position?: number;
  /** The recipients that it leaves out. */
  readonly suppressed: readonly SuppressedRecipient[];
}

/** Stores emails in Postgres, the queue of record. */
@Injectable()
export class AcceptedEmails {
  private readonly shared = new SharedAcceptance<Outcome>((emails) =>
    this.database.inTurn(emails[0]!.email.organizationId, () => this.acceptAll(this.database, emails)),
  );

  constructor(
    private readonly database: Database,
    private readonly leftOut: LeftOutRecipients,
    private readonly live: LivePublisher,
  ) {}

  /**
   * @param claim the request's idempotency key, if it has one
   * @param waiter the API process that waits for the result, if any
   * @throws CampaignArchivedError when the campaign was archived in the meantime
   * @throws SuspendedError when the organization was suspended in the meantime
   * @throws RecipientsSuppressedError when every address of `to` is suppressed
   * @returns undefined when another request holds the key; nothing is stored in either case
   */
  async accept(email: NewEmail, claim?: KeyClaim, waiter?: string): Promise<Acceptance | undefined> {
    const outcome = await this.shared.call({ email, claim, waiter });
    if (!outcome.open) throw new CampaignArchivedError();
    if (outcome.suppressed) return this.acceptWithout({ email, claim, waiter, leavesOut: true });
    if (!outcome.stored) return undefined;
    this.report(email);
    return toAcceptance(email, outcome, []);
  }

  /**
   * Requires that at least one address of `to` may get the email. `accept` checks this as well; call this before steps
   * that must not run for a refused email.
   * @throws RecipientsSuppressedError
   */
  async requireRecipients(email: NewEmail): Promise<void> {
    const { organizationId, unsubscribe } = email;
    const keys = checkedAddresses(email).map(addressKey);
    const values = { organizationId, keys, unsubscribes: keys.map(() => unsubscribe) };
    const places = await this.database.inTurn(organizationId, () =>
      FIND_SUPPRESSED.run<SuppressedPlace>(this.database, values),
    );
    requireRecipientLeft(email.recipients, suppressedRecipients(email, places));
  }

  /** Few emails have suppressed recipients: they are stored by a second statement, together with what it left out. */
  private async acceptWithout(accepted: EmailToAccept): Promise<Acceptance | undefined> {
    const { email } = accepted;
    let deliveries: readonly string[] = [];
    const store = async (sql: Sql): Promise<Acceptance | undefined> => {
      const [outcome] = await this.acceptAll(sql, [accepted]);
      if (!outcome?.open) throw new CampaignArchivedError();
      const suppressed = suppressedRecipients(email, outcome.suppressed ?? []);
      requireRecipientLeft(email.recipients, suppressed);
      if (!outcome.stored) return undefined;
      deliveries = await recordSuppressed(sql, [{ emailId: email.id, suppressed, at: email.createdAt.getTime() }]);
      return toAcceptance(email, outcome, suppressed);
    };
    const acceptance = await this.database.transactionOf(email.organizationId, store);
    if (!acceptance) return undefined;
    await this.leftOut.report(acceptance.suppressed, deliveries);
    this.report(email);
    return acceptance;
  }

  private async acceptAll(sql: Sql, emails: readonly EmailToAccept[]): Promise<Outcome[]> {
    const outcomes = await storeEmails(sql, emails);
    const found = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
    return emails.map(({ email }) => found.get(email.id)!);
  }

  private report({ id: emailId, organizationId, campaignId }: NewEmail): void {
    this.live.report({ type: 'email.accepted', organizationId, emailId, campaignId });
  }
}

function toAcceptance(
  email: NewEmail,
  { verified, place }: Outcome,
  suppressed: readonly SuppressedRecipient[],
): Acceptance {
  const { from } = verified ? email.sender.onVerified : email.sender.otherwise;
  return { from, suppressed, ...(place !== null && { position: place }) };
}

function suppressedRecipients({ recipients }: NewEmail, suppressed: readonly SuppressedPlace[]): SuppressedRecipient[] {
  const everyone = [...recipients.to, ...recipients.cc, ...recipients.bcc];
  return suppressed.map(({ place, reason }) => ({ address: everyone[place]!.address, reason }));
}
