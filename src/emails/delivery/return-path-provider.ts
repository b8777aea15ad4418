import type {
  BatchDelivery,
  DeliveryOutcome,
  DeliveryProvider,
  HandOver,
  OutgoingEmail,
} from '../../providers/provider.js';
import { onlyRecipientOf } from '../../providers/only-recipient.js';
import { signingKeyOf } from '../../links/email-tracking-id.js';
import { signReturnPath } from '../../links/return-path.js';
import type { SigningKeys } from '../../links/signing-keys.js';

/** Gives each message an envelope sender that identifies its email and recipient, so that bounces can be attributed. */
export class ReturnPathProvider implements DeliveryProvider {
  readonly name: string;
  readonly signsWithDkim: boolean;
  readonly batch?: BatchDelivery;
  readonly callWithoutEmail?: NonNullable<DeliveryProvider['callWithoutEmail']>;

  constructor(
    private readonly provider: DeliveryProvider,
    private readonly keys: () => SigningKeys,
    private readonly bounceDomain: string,
  ) {
    this.name = provider.name;
    if (provider.callWithoutEmail) this.callWithoutEmail = (signal) => provider.callWithoutEmail!(signal);
    this.signsWithDkim = provider.signsWithDkim === true;
    // Providers that take several emails in one call set their own envelope senders.
    if (provider.batch) this.batch = provider.batch;
  }

  deliver(email: OutgoingEmail, signal: AbortSignal, handOver: HandOver): Promise<DeliveryOutcome> {
    return this.provider.deliver(this.withReturnPath(email), signal, handOver);
  }

  close(): Promise<void> {
    return this.provider.close();
  }

  /**
   * One message to several recipients has one envelope sender, which then identifies only the email. An email whose
   * signing key was deleted gets none: nobody could read a return path that another key signed.
   */
  private withReturnPath(email: OutgoingEmail): OutgoingEmail {
    const { trackingId: emailTrackingId } = email;
    const keys = this.keys();
    if (emailTrackingId === undefined || signingKeyOf(keys, emailTrackingId) === undefined) return email;
    const position = onlyRecipientOf(email);
    const named = { emailTrackingId, ...(position !== undefined && { position }) };
    return { ...email, returnPath: signReturnPath(keys, named, this.bounceDomain) };
  }
}
