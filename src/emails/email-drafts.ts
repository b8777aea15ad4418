import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { Campaigns } from '../campaigns/campaigns.js';
import { CLOCK, type Clock } from '../clock/clock.js';
import { uuidV7 } from '../clock/uuid-v7.js';
import { mintEmailTrackingId } from '../links/email-tracking-id.js';
import { SigningKeyRing } from '../organizations/signing-key-ring.js';
import type { Caller } from '../organizations/key-directory.js';
import type { NewEmail } from './accepted-emails.js';
import type { Recipients } from './addresses.js';
import { EmailHtml } from './email-html.js';
import type { EmailRequest } from './send-request.js';

const TRACKING_ID_RANDOM_BYTES = 12;

/** Makes a storable email of a checked request: compiles MJML, finds the campaign, mints the ids. */
@Injectable()
export class EmailDrafts {
  constructor(
    private readonly campaigns: Campaigns,
    private readonly html: EmailHtml,
    private readonly keys: SigningKeyRing,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws InvalidFieldError, CampaignArchivedError, CampaignLimitError */
  async draft(
    caller: Caller,
    request: EmailRequest,
    envelope: { from: string; replyTo: string | null; recipients: Recipients },
    status: NewEmail['status'],
  ): Promise<NewEmail> {
    // The content is judged before the campaign, so that a refused email makes no campaign.
    const html = await this.html.read(request.htmlContent);
    const campaignId =
      request.campaignId === undefined ? null : await this.campaigns.findOrCreate(caller, request.campaignId);
    const now = this.clock.now();
    return {
      id: uuidV7(now),
      trackingId: mintEmailTrackingId(this.keys.current, randomBytes(TRACKING_ID_RANDOM_BYTES)),
      organizationId: caller.organizationId,
      campaignId,
      status,
      ...envelope,
      subject: request.subject,
      html,
      metadata: request.metadata ?? null,
      urls: null,
      createdAt: new Date(now),
    };
  }
}
