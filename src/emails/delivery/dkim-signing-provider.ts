import { SenderDomains, type SenderDomain } from '../../domains/sender-domains.js';
import { domainOf } from '../mailbox.js';
import { SenderRewrites } from './sender-rewrites.js';
import type { Logger } from '../../platform/logging/logger.js';
import type { DeliveryOutcome, DeliveryProvider, HandOver, OutgoingEmail } from '../../providers/provider.js';

/** Who may be the sender of which mail. */
export interface SenderRights {
  readonly domains: SenderDomains;
  readonly rewrites: SenderRewrites;
  /** What senders without a domain of their own are moved to. */
  readonly platformDomain: string;
}

/**
 * A provider whose mail comes only from senders that its organization may use now, however long ago the email was
 * accepted, and is signed for them where the provider leaves signing to us.
 */
export class DkimSigningProvider implements DeliveryProvider {
  readonly name: string;

  constructor(
    private readonly provider: DeliveryProvider,
    private readonly rights: SenderRights,
    private readonly logger: Logger,
  ) {
    this.name = provider.name;
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    const { organizationId, from } = email;
    const domain = domainOf(from.address);
    if (organizationId === undefined || domain === this.rights.platformDomain) {
      return this.provider.deliver(email, signal, handOver);
    }
    let own: SenderDomain | undefined;
    let allowed: OutgoingEmail;
    try {
      own = await this.rights.domains.find(organizationId, domain);
      allowed = own ? this.signed(email, own) : await this.moved(email, organizationId);
    } catch (error) {
      // Unsigned, the mail of a domain with a strict DMARC policy would be thrown away: better late than that.
      this.logger.error({ emailId: email.emailId, err: error }, 'The sending domain of an email could not be read');
      return { kind: 'retry', reason: 'The sending domain could not be read' };
    }
    const outcome = await this.provider.deliver(allowed, signal, handOver);
    if (own && outcome.kind === 'refused' && outcome.about === 'sender') await this.note(own, outcome.reason);
    return outcome;
  }

  async verify(): Promise<void> {
    await this.provider.verify?.();
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  private signed(email: OutgoingEmail, { dkim }: SenderDomain): OutgoingEmail {
    return dkim && this.provider.signsWithDkim ? { ...email, dkim } : email;
  }

  private async moved(email: OutgoingEmail, organizationId: string): Promise<OutgoingEmail> {
    this.logger.warn(
      { emailId: email.emailId },
      'A sender is rewritten: its organization lost the domain since the email was accepted',
    );
    return { ...email, ...(await this.rights.rewrites.rewrite(email.emailId, organizationId, email)) };
  }

  /** The email is settled all the same when this fails. */
  private async note({ id }: SenderDomain, reason: string): Promise<void> {
    try {
      await this.rights.domains.noteRefusal(id, reason);
    } catch (error) {
      this.logger.warn({ domainId: id, err: error }, 'The refusal of a sender could not be noted with its domain');
    }
  }
}
