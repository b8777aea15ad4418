import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../config/settings.js';
import type { DeliverableEmail } from '../emails/deliverable-emails.js';
import { SigningKeyRing } from '../organizations/signing-key-ring.js';
import type { RenderedEmail } from '../rendering/render-email.js';
import { RenderingPool } from '../rendering/rendering-pool.js';

/** Renders a stored email: the same bytes on every attempt and every host. */
@Injectable()
export class EmailRendering {
  constructor(
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** @throws RenderingLimitError when the content is too much to render */
  render(email: Pick<DeliverableEmail, 'html' | 'trackingId'>): Promise<RenderedEmail> {
    const { html, trackingId } = email;
    return this.pool.render({ html, emailTrackingId: trackingId, baseUrl: this.settings.BASE_URL }, this.keys.current);
  }
}
