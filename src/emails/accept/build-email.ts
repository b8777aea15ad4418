import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Campaigns } from '../../campaigns/campaigns.js';
import { CLOCK, type Clock } from '../../platform/clock/clock.js';
import { uuidV7 } from '../../platform/clock/uuid-v7.js';
import { mintEmailTrackingId } from '../../links/email-tracking-id.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';

import { EmailHtml } from './html-content.js';
import type { EmailRequest } from './send-request.js';
import type { NewEmail } from './new-email.js';

const TRACKING_ID_RANDOM_BYTES = 12;

/** Builds a storable email from a validated request: compiles MJML, generates the IDs and resolves the campaign. */
@Injectable()
export class EmailBuilder {
  constructor(
    private readonly campaigns: Campaigns,
    private readonly html: EmailHtml,
    private readonly keys: SigningKeyRing,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Builds the email without its campaign. @throws InvalidFieldError, TooManyRenderingsError */
  async build(
    caller: Caller,
    request: EmailRequest,
    envelope: Pick<NewEmail, 'sender' | 'recipients'>,
    status: NewEmail['status'],
  ): Promise<NewEmail> {
    const html = await this.html.read(caller, request.htmlContent);
    const now = this.clock.now();
    return {
      id: uuidV7(now),
      trackingId: mintEmailTrackingId(this.keys.current, randomBytes(TRACKING_ID_RANDOM_BYTES)),
      organizationId: caller.organizationId,
      campaignId: null,
      status,
      ...envelope,
      subject: request.subject,
      html,
      metadata: request.metadata ?? null,
      urls: null,
      createdAt: new Date(now),
    };
  }

  /**
   * Adds the requested campaign, creating it if needed. Call this last, so that a rejected email creates no campaign.
   * @throws InvalidFieldError, CampaignArchivedError, CampaignLimitError
   */
  async inCampaign(caller: Caller, email: NewEmail, campaign: string | undefined): Promise<NewEmail> {
    if (campaign === undefined) return email;
    return { ...email, campaignId: await this.campaigns.findOrCreate(caller, campaign) };
  }
}
