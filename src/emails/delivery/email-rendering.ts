import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import type { LoadedEmail } from './load-email.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { RenderedEmail } from '../../rendering/render-email.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

type RenderedFields = Pick<LoadedEmail, 'html' | 'text' | 'trackingId' | 'unsubscribe' | 'message'>;

/** Renders a stored email to the same bytes on every attempt and host. */
@Injectable()
export class EmailRendering {
  constructor(
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** Accepted emails queue for rendering without a limit. @throws RenderingLimitError */
  render({ html, text, trackingId, unsubscribe, message }: RenderedFields): Promise<RenderedEmail> {
    const { organizationId, from, to } = message;
    const request = {
      html,
      ...(text !== null && { text }),
      emailTrackingId: trackingId,
      baseUrl: this.settings.BASE_URL,
      ...(unsubscribe && { unsubscribe: { sender: from, recipient: to[0]!.address } }),
    };
    return this.pool.render(request, this.keys.current, { organizationId, mayBeRefused: false });
  }
}
