import { Inject, Injectable } from '@nestjs/common';
import { Campaigns } from '../../campaigns/campaigns.js';
import { TrackingBaseUrls } from '../../domains/tracking/tracking-base-urls.js';
import type { Clock } from '../../platform/clock/clock.js';
import { POSTGRES_CLOCK } from '../../platform/database/postgres-clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { generateTrackingIdOf } from '../../links/organization-tag.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { requireSenderDomain } from '../../organizations/key-limits.js';
import { domainOf } from '../mailbox.js';
import { withoutBytes } from '../attachments/attachment.js';
import { MessageContent } from './message-content.js';
import { labelsOf, type EmailLabels, type NewEmail } from './new-email.js';
import { readSendAt } from '../schedule/send-at.js';
import { readMailbox, readRecipients, requireOneRecipient } from './recipients.js';
import { Senders } from './sender.js';
import type { DecodedRequest, EmailRequest, TrackRequest } from './send-request.js';

/** Composes a storable email from a validated request: reads addresses, compiles MJML and generates the IDs. */
@Injectable()
export class EmailComposer {
  constructor(
    private readonly senders: Senders,
    private readonly campaigns: Campaigns,
    private readonly content: MessageContent,
    private readonly keys: SigningKeyRing,
    private readonly baseUrls: TrackingBaseUrls,
    @Inject(POSTGRES_CLOCK) private readonly clock: Clock,
  ) {}

  /** The time of acceptance, in milliseconds. */
  now(): number {
    return this.clock.now();
  }

  /**
   * An email that we deliver, still without its campaign.
   * @throws InvalidFieldError, TooManyRenderingsError, ForbiddenSenderError
   */
  async toSend(caller: Caller, request: DecodedRequest): Promise<NewEmail> {
    const from = readMailbox('from', request.from);
    requireSenderDomain(caller, domainOf(from.address));
    const replyTo = request.replyTo === undefined ? undefined : readMailbox('replyTo', request.replyTo);
    const recipients = readRecipients(request);
    const unsubscribe = request.unsubscribe ?? false;
    if (unsubscribe) requireOneRecipient(recipients);
    const sender = this.senders.choose(caller.organizationId, { from, ...(replyTo && { replyTo }) });
    const { headers } = request;
    const attachments = request.attachments.map(withoutBytes);
    const sendAt = request.sendAt === undefined ? undefined : readSendAt(request.sendAt, this.clock.now());
    const content = await this.content.read(caller, request);
    const fields = { status: 'queued', sender, recipients, unsubscribe, headers, attachments, ...content } as const;
    return { ...(await this.compose(caller, request, fields)), ...(sendAt && { sendAt }) };
  }

  /**
   * An email that another provider delivers, still without its campaign.
   * @throws InvalidFieldError, TooManyRenderingsError, ForbiddenSenderError
   */
  async toTrack(caller: Caller, request: TrackRequest): Promise<NewEmail> {
    const from = request.from === undefined ? undefined : readMailbox('from', request.from);
    if (from) requireSenderDomain(caller, domainOf(from.address));
    const recipients = readRecipients({ to: request.to });
    const { subject, htmlContent } = request;
    return this.compose(caller, request, {
      status: 'tracked',
      sender: this.senders.recorded(caller.organizationId, from),
      recipients,
      unsubscribe: false,
      headers: null,
      attachments: [],
      ...(await this.content.asGiven(caller, { subject, htmlContent })),
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

  /**
   * Adds the requested campaign if it exists; `inCampaign` creates it, if it may.
   * @throws InvalidFieldError, CampaignArchivedError, CampaignLimitError
   */
  async inExistingCampaign(caller: Caller, email: NewEmail, campaign: string): Promise<NewEmail> {
    return { ...email, campaignId: (await this.campaigns.findUsable(caller, campaign)) ?? null };
  }

  private async compose(
    caller: Caller,
    request: EmailRequest,
    fields: Omit<
      NewEmail,
      'id' | 'trackingId' | 'organizationId' | 'campaignId' | 'urls' | 'createdAt' | 'baseUrl' | keyof EmailLabels
    >,
  ): Promise<NewEmail> {
    const now = this.clock.now();
    const createdAt = new Date(now);
    return {
      id: uuidV7(now),
      trackingId: generateTrackingIdOf(this.keys.current, caller.organizationId),
      organizationId: caller.organizationId,
      campaignId: null,
      ...fields,
      ...labelsOf(request),
      urls: null,
      createdAt,
      baseUrl: await this.baseUrls.of(caller.organizationId, createdAt),
    };
  }
}
