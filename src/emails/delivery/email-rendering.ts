import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import type { LoadedEmail } from './load-email.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { RenderedEmail } from '../../rendering/render-email.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

type RenderedFields = Pick<LoadedEmail, 'html' | 'shared' | 'text' | 'trackingId' | 'unsubscribe' | 'message'>;

/** Renders a stored email to the same bytes on every attempt and host. */
@Injectable()
export class EmailRendering {
  constructor(
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    private readonly messages: SharedMessages,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /** Accepted emails queue for rendering without a limit. @throws RenderingLimitError */
  async render({ html, text, shared, trackingId, unsubscribe, message }: RenderedFields): Promise<RenderedEmail> {
    const { organizationId, from, to } = message;
    const source = shared ? await this.messages.find(shared.messageId) : { html, text };
    const request = {
      html: source.html ?? '',
      ...(source.text !== null && { text: source.text }),
      emailTrackingId: trackingId,
      baseUrl: this.settings.BASE_URL,
      ...(unsubscribe && { unsubscribe: { sender: from, recipient: to[0]!.address } }),
    };
    return this.pool.render(request, this.keys.current, { organizationId, mayBeRefused: false });
  }
}
