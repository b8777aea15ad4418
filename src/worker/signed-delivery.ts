import { DkimKeyRing } from '../domains/dkim-key-ring.js';
import type { Logger } from '../logging/logger.js';
import type { DeliveryOutcome, DeliveryProvider, OutgoingEmail } from '../providers/provider.js';

/** A provider whose mail bears the signature of the sender's domain, where the provider leaves signing to us. */
export class SignedDelivery implements DeliveryProvider {
  readonly name: string;

  constructor(
    private readonly provider: DeliveryProvider,
    private readonly keys: DkimKeyRing,
    private readonly logger: Logger,
  ) {
    this.name = provider.name;
  }

  async deliver(email: OutgoingEmail, signal: AbortSignal): Promise<DeliveryOutcome> {
    const { organizationId, from } = email;
    if (!this.provider.signsWithDkim || organizationId === undefined) return this.provider.deliver(email, signal);
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1).toLowerCase();
    try {
      const dkim = await this.keys.keyFor(organizationId, domain);
      return await this.provider.deliver({ ...email, ...(dkim && { dkim }) }, signal);
    } catch (error) {
      // Unsigned, the mail of a domain with a strict DMARC policy would be thrown away: better late than that.
      this.logger.error({ emailId: email.emailId, err: error }, 'The key of a sending domain could not be read');
      return { kind: 'retry', reason: 'The signing key of the sending domain could not be read' };
    }
  }

  async verify(): Promise<void> {
    await this.provider.verify?.();
  }

  close(): Promise<void> {
    return this.provider.close();
  }
}
