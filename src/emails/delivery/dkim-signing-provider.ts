import { SenderDomains, type SenderDomain } from '../../domains/sender-domains.js';
import { domainOf } from '../mailbox.js';
import { SenderRewrites } from './sender-rewrites.js';
import type { Logger } from '../../platform/logging/logger.js';
import type {
  BatchDelivery,
  DeliveryOutcome,
  DeliveryProvider,
  HandOver,
  OutgoingEmail,
} from '../../providers/provider.js';

/** The senders that an organization may use. */
export interface SenderRights {
  readonly domains: SenderDomains;
  readonly rewrites: SenderRewrites;
  /** The domain for senders without a verified domain. */
  readonly platformDomain: string;
  /** True for an organization's own provider, which sends mail from its verified domains only. */
  readonly isOwnProvider?: boolean;
}

const DOMAIN_UNREAD: DeliveryOutcome = { kind: 'retry', reason: 'The sending domain could not be read' };
/** The next attempt goes through the providers of the service. */
const SENDER_CHANGED: DeliveryOutcome = { kind: 'retry', reason: 'The sender moved to the domain of the service' };
const SENDER_CHANGES: DeliveryOutcome = { kind: 'refused', reason: 'The organization may no longer use this sender' };

/**
 * Sends mail only from senders that the organization may use now, however old the email is. It adds the DKIM key if the
 * provider does not sign mail itself.
 */
export class DkimSigningProvider implements DeliveryProvider {
  readonly name: string;
  readonly batch?: BatchDelivery;
  readonly callWithoutEmail?: NonNullable<DeliveryProvider['callWithoutEmail']>;

  constructor(
    private readonly provider: DeliveryProvider,
    private readonly rights: SenderRights,
    private readonly logger: Logger,
  ) {
    this.name = provider.name;
    if (provider.callWithoutEmail) this.callWithoutEmail = (signal) => provider.callWithoutEmail!(signal);
    const { batch } = provider;
    if (batch) this.batch = { ...batch, deliver: (...call) => this.deliverBatch(batch, ...call) };
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const { organizationId, from } = email;
    const { platformDomain, isOwnProvider } = this.rights;
    const domain = domainOf(from.address);
    if (domain === platformDomain && isOwnProvider) return SENDER_CHANGED;
    if (organizationId === undefined || domain === platformDomain) {
      return this.provider.deliver(email, signal, handOver);
    }
    let own: SenderDomain | undefined;
    let allowed: OutgoingEmail;
    try {
      own = await this.rights.domains.find(organizationId, domain);
      allowed = own ? this.signed(email, own) : await this.withPlatformSender(email, organizationId);
    } catch (error) {
      // A strict DMARC policy would make receivers discard unsigned mail, so a delay is better.
      this.logger.error({ emailId: email.emailId, err: error }, 'Could not read the sending domain of an email');
      return DOMAIN_UNREAD;
    }
    if (!own && isOwnProvider) return SENDER_CHANGED;
    const outcome = await this.provider.deliver(allowed, signal, handOver);
    if (own && outcome.kind === 'refused' && outcome.about === 'sender') await this.recordRefusal(own, outcome.reason);
    return outcome;
  }

  /** Emails whose sender changes, or is refused, are delivered one by one. */
  private async deliverBatch(
    batch: BatchDelivery,
    ...[message, ...call]: Parameters<BatchDelivery['deliver']>
  ): Promise<DeliveryOutcome> {
    const { platformDomain, isOwnProvider } = this.rights;
    const domain = domainOf(message.from.address);
    if (domain === platformDomain && isOwnProvider) return SENDER_CHANGES;
    if (domain !== platformDomain) {
      try {
        if (!(await this.rights.domains.find(message.organizationId, domain))) return SENDER_CHANGES;
      } catch (error) {
        this.logger.error({ err: error }, 'Could not read the sending domain of emails');
        return DOMAIN_UNREAD;
      }
    }
    return batch.deliver(message, ...call);
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  private signed(email: OutgoingEmail, { dkim }: SenderDomain): OutgoingEmail {
    return dkim && this.provider.signsWithDkim ? { ...email, dkim } : email;
  }

  private async withPlatformSender(email: OutgoingEmail, organizationId: string): Promise<OutgoingEmail> {
    this.logger.warn(
      { emailId: email.emailId },
      'Rewriting a sender: its organization has lost the domain since the email was accepted',
    );
    return { ...email, ...(await this.rights.rewrites.rewrite(email.emailId, organizationId, email)) };
  }

  /** A failure here does not affect the email. */
  private async recordRefusal({ id }: SenderDomain, reason: string): Promise<void> {
    try {
      await this.rights.domains.recordRefusal(id, reason);
    } catch (error) {
      this.logger.warn({ domainId: id, err: error }, 'Could not record the refusal of a sender with its domain');
    }
  }
}
