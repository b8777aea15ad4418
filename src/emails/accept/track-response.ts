import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { TRACKING_BASE_URL } from '../../domains/tracking/base-url.sql.js';
import { Database } from '../../platform/database/database.js';
import { RenderBudget } from '../../organizations/budgets/render-budget.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { signingKeyOf } from '../../links/email-tracking-id.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import { requesterFor, type Requester } from '../../rendering/fair-queue.js';
import { pixelUrlOf, type TrackedLink } from '../../rendering/render-email.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';
import { EmailNotFoundError } from '../email-errors.js';
import { renderingProblem } from './rendering-problem.js';

/** The response to POST /api/emails: what the caller's own provider sends. */
export interface TrackResponse {
  readonly id: string;
  readonly emailTrackingId: string;
  readonly links: TrackedLink[];
  readonly pixelUrl: string;
  readonly htmlContent: string;
}

interface TrackedEmail {
  readonly id: string;
  readonly trackingId: string;
  readonly html: string;
  readonly baseUrl: string;
}

/** Adds tracked links and the pixel to HTML that another provider sends. */
@Injectable()
export class TrackResponses {
  constructor(
    private readonly database: Database,
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    private readonly budget: RenderBudget,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /**
   * Deterministic: the same email always gets the same response.
   * @throws InvalidFieldError for HTML that is too expensive to rewrite, TooManyRenderingsError, BudgetExceededError
   */
  build(caller: Caller, email: TrackedEmail): Promise<TrackResponse> {
    return this.budget.spend(caller, (requester) => this.render(email, requester));
  }

  /**
   * The first response again, whatever is left of the budget, which the first request has used. If the email's signing
   * key was deleted, the HTML as its sender wrote it, with links that work.
   * @throws TooManyRenderingsError
   */
  async rebuild(caller: Caller, emailId: string): Promise<TrackResponse> {
    const [email] = await this.database.query<TrackedEmail & Record<string, unknown>>(
      `select e.id, e.tracking_id as "trackingId", c.html, coalesce(${TRACKING_BASE_URL}, $2) as "baseUrl"
         from emails e join email_contents c on c.email_id = e.id where e.id = $1`,
      [emailId, this.settings.BASE_URL],
    );
    if (!email) throw new EmailNotFoundError();
    if (signingKeyOf(this.keys.current, email.trackingId) === undefined) return untracked(email);
    return this.render(email, requesterFor(caller));
  }

  private async render({ id, trackingId, html, baseUrl }: TrackedEmail, requester: Requester): Promise<TrackResponse> {
    const request = { html, emailTrackingId: trackingId, baseUrl };
    try {
      const { links, pixelUrl, html: htmlContent } = await this.pool.render(request, this.keys.current, requester);
      return { id, emailTrackingId: trackingId, links, pixelUrl, htmlContent };
    } catch (error) {
      throw renderingProblem(error);
    }
  }
}

function untracked({ id, trackingId, html, baseUrl }: TrackedEmail): TrackResponse {
  return { id, emailTrackingId: trackingId, links: [], pixelUrl: pixelUrlOf(trackingId, baseUrl), htmlContent: html };
}
