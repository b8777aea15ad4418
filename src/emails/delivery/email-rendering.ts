import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import { MAX_SUBJECT } from '../accept/send-request.js';
import type { LoadedEmail } from './load-email.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { RenderedMessage } from '../../rendering/personalize/message-template.js';
import type { RenderedEmail } from '../../rendering/render-email.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

type RenderedFields = Pick<
  LoadedEmail,
  'html' | 'shared' | 'text' | 'trackingId' | 'unsubscribe' | 'message' | 'createdAt'
>;

/** An email as it is sent. */
export interface RenderedForRecipient extends RenderedEmail {
  readonly subject: string;
}

/** A subject that is no subject for this recipient. */
export class UnusableSubjectError extends Error {}

/** Renders a stored email to the same bytes on every attempt and host. */
@Injectable()
export class EmailRendering {
  constructor(
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    private readonly messages: SharedMessages,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /**
   * Accepted emails queue for rendering without a limit.
   * @throws RenderingLimitError, TemplateError, UnusableSubjectError
   */
  async render(email: RenderedFields): Promise<RenderedForRecipient> {
    const { trackingId, unsubscribe, message } = email;
    const { organizationId, from, to } = message;
    const { subject, html, text } = email.shared
      ? await this.personalize(email, email.shared)
      : { subject: message.subject, html: email.html, text: email.text };
    const request = {
      html: html ?? '',
      ...(text !== null && { text }),
      emailTrackingId: trackingId,
      baseUrl: this.settings.BASE_URL,
      ...(unsubscribe && { unsubscribe: { sender: from, recipient: to[0]!.address } }),
    };
    return {
      ...(await this.pool.render(request, this.keys.current, { organizationId, mayBeRefused: false })),
      subject,
    };
  }

  /** Fills the variables of the recipient into the message of its broadcast. */
  private async personalize(
    { message: { organizationId }, createdAt }: RenderedFields,
    { messageId, variables }: NonNullable<LoadedEmail['shared']>,
  ): Promise<RenderedMessage> {
    const source = await this.messages.find(messageId);
    const rendered = await this.pool.renderMessage(
      { source, variables: withUnsubscribePlace(variables), now: createdAt.getTime() },
      { organizationId, mayBeRefused: false },
    );
    if (rendered.subject === '') throw new UnusableSubjectError('subject is empty for this recipient');
    if (rendered.subject.length > MAX_SUBJECT) throw new UnusableSubjectError('subject is too long for this recipient');
    return { ...rendered, text: rendered.text === '' ? null : rendered.text };
  }
}

/** Its place stays in the rendered message, where the address is put later. */
function withUnsubscribePlace(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...variables, unsubscribe_url: '{{unsubscribe_url}}' };
}
