import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Campaigns } from '../../campaigns/campaigns.js';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { mintEmailTrackingId } from '../../links/email-tracking-id.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { requireSenderDomain } from '../../organizations/key-limits.js';
import { domainOf } from '../mailbox.js';
import { withoutBytes } from '../attachments/attachment.js';
import { EmailHtml } from './html-content.js';
import { readHeaders } from './message-headers.js';
import type { NewEmail } from './new-email.js';
import { requirePlainSubject } from './plain-text.js';
import { readMailbox, readRecipients, requireOneRecipient } from './recipients.js';
import { Senders } from './sender.js';
import type { DecodedRequest, EmailRequest, TrackRequest } from './send-request.js';

const TRACKING_ID_RANDOM_BYTES = 12;

/** Composes a storable email from a validated request: reads addresses, compiles MJML and generates the IDs. */
@Injectable()
export class EmailComposer {
  constructor(
    private readonly senders: Senders,
    private readonly campaigns: Campaigns,
    private readonly html: EmailHtml,
    private readonly keys: SigningKeyRing,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * An email that we deliver, still without its campaign.
   * @throws InvalidFieldError, TooManyRenderingsError, ForbiddenSenderError
   */
  async toSend(caller: Caller, request: DecodedRequest): Promise<NewEmail> {
    requirePlainSubject(request.subject);
    const from = readMailbox('from', request.from);
    requireSenderDomain(caller, domainOf(from.address));
    const replyTo = request.replyTo === undefined ? undefined : readMailbox('replyTo', request.replyTo);
    const recipients = readRecipients(request);
    const unsubscribe = request.unsubscribe ?? false;
    if (unsubscribe) requireOneRecipient(recipients);
    const sender = this.senders.choose(caller.organizationId, { from, ...(replyTo && { replyTo }) });
    const headers = readHeaders(request.headers);
    const text = request.textContent ?? null;
    const attachments = request.attachments.map(withoutBytes);
    const fields = { status: 'queued', sender, recipients, unsubscribe, headers, text, attachments } as const;
    return this.compose(caller, request, fields);
  }

  /** An email that another provider delivers, still without its campaign. @throws InvalidFieldError, TooManyRenderingsError */
  async toTrack(caller: Caller, request: TrackRequest): Promise<NewEmail> {
    const from = request.from === undefined ? undefined : readMailbox('from', request.from);
    const recipients = readRecipients({ to: request.to });
    return this.compose(caller, request, {
      status: 'tracked',
      sender: this.senders.recorded(caller.organizationId, from),
      recipients,
      unsubscribe: false,
      headers: null,
      text: null,
      attachments: [],
    });
  }

  /**
   * Adds the requested campaign, creating it if needed. Comes last, so that a rejected email creates no campaign.
   * @param beforeCreation prevents the creation of a campaign if it throws
   * @throws InvalidFieldError, CampaignArchivedError, CampaignLimitError
   */
  async inCampaign(
    caller: Caller,
    email: NewEmail,
    campaign: string | undefined,
    beforeCreation?: () => Promise<void>,
  ): Promise<NewEmail> {
    if (campaign === undefined) return email;
    return { ...email, campaignId: await this.campaigns.findOrCreate(caller, campaign, beforeCreation) };
  }

  private async compose(
    caller: Caller,
    request: EmailRequest & { readonly htmlContent?: string },
    fields: Pick<NewEmail, 'status' | 'sender' | 'recipients' | 'unsubscribe' | 'headers' | 'text' | 'attachments'>,
  ): Promise<NewEmail> {
    const { htmlContent, tags = [] } = request;
    const html = htmlContent === undefined ? '' : await this.html.read(caller, htmlContent);
    const now = this.clock.now();
    return {
      id: uuidV7(now),
      trackingId: mintEmailTrackingId(this.keys.current, randomBytes(TRACKING_ID_RANDOM_BYTES)),
      organizationId: caller.organizationId,
      campaignId: null,
      ...fields,
      subject: request.subject,
      html,
      metadata: request.metadata ?? null,
      tags: tags.length > 0 ? [...new Set(tags)] : null,
      urls: null,
      createdAt: new Date(now),
    };
  }
}
