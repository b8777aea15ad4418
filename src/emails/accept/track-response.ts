import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import type { Caller } from '../../organizations/api-key-authenticator.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { TrackedLink } from '../../rendering/render-email.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';
import { EmailNotFoundError } from '../email-errors.js';
import { renderingProblem } from './rendering-problem.js';

/** The answer to POST /api/emails: what the caller's own provider is to send. */
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
}

/** Puts links and pixel into HTML that somebody else sends. */
@Injectable()
export class TrackAnswers {
  constructor(
    private readonly database: Database,
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /**
   * The same for the same email, always.
   * @throws InvalidFieldError for HTML that takes too much to rewrite, TooManyRenderingsError
   */
  async make(caller: Caller, { id, trackingId, html }: TrackedEmail): Promise<TrackResponse> {
    const request = { html, emailTrackingId: trackingId, baseUrl: this.settings.BASE_URL };
    try {
      const {
        links,
        pixelUrl,
        html: htmlContent,
      } = await this.pool.render(request, this.keys.current, {
        ...caller,
        mayBeRefused: true,
      });
      return { id, emailTrackingId: trackingId, links, pixelUrl, htmlContent };
    } catch (error) {
      throw renderingProblem(error);
    }
  }

  async makeAgain(caller: Caller, emailId: string): Promise<TrackResponse> {
    const [email] = await this.database.query<{ id: string; trackingId: string; html: string }>(
      `select e.id, e.tracking_id as "trackingId", c.html
         from emails e join email_contents c on c.email_id = e.id where e.id = $1`,
      [emailId],
    );
    if (!email) throw new EmailNotFoundError();
    return this.make(caller, email);
  }
}
