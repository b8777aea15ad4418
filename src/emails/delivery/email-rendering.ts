import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import { MAX_SUBJECT } from '../accept/send-request.js';
import type { LoadedEmail } from './load-email.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { TogetherMessage } from '../../providers/provider.js';
import type { Substitution } from '../../rendering/personalize/substitute-email.js';
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

/** Emails of one message that go out in one call. */
export interface RenderedTogether extends Pick<TogetherMessage, 'html' | 'text' | 'tags'> {
  readonly recipients: readonly (Substitution & { readonly email: LoadedEmail })[];
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
    const { html, text, shared, trackingId, unsubscribe, message } = email;
    const { organizationId, from, to, subject } = message;
    const recipient = {
      emailTrackingId: trackingId,
      baseUrl: this.settings.BASE_URL,
      ...(unsubscribe && { unsubscribe: { sender: from, recipient: to[0]!.address } }),
    };
    const requester = { organizationId, mayBeRefused: false };
    if (!shared) {
      const request = { html, ...(text !== null && { text }), ...recipient };
      return { ...(await this.pool.render(request, this.keys.current, requester)), subject };
    }
    const source = await this.messages.find(shared.messageId);
    const request = { source, variables: shared.variables, now: email.createdAt.getTime(), ...recipient };
    const rendered = await this.pool.personalize(request, this.keys.current, requester);
    if (rendered.subject === '') throw new UnusableSubjectError('subject is empty for this recipient');
    if (rendered.subject.length > MAX_SUBJECT) throw new UnusableSubjectError('subject is too long for this recipient');
    return rendered;
  }

  /**
   * Renders emails of one shared message as one message with tags. Leaves out emails that have to be delivered alone;
   * undefined when all of them have to.
   * @param emails at least one, all of the same message and sender
   * @throws RenderingLimitError, TemplateError
   */
  async renderTogether(emails: readonly LoadedEmail[]): Promise<RenderedTogether | undefined> {
    const { shared, message } = emails[0]!;
    const request = {
      source: await this.messages.find(shared!.messageId),
      baseUrl: this.settings.BASE_URL,
      recipients: emails.map((email) => ({
        emailTrackingId: email.trackingId,
        variables: email.shared!.variables,
        now: email.createdAt.getTime(),
        unsubscribe: { sender: email.message.from, recipient: email.message.to[0]!.address },
      })),
    };
    const requester = { organizationId: message.organizationId, mayBeRefused: false };
    const rendered = await this.pool.personalizeTogether(request, this.keys.current, requester);
    if (!rendered) return undefined;
    const recipients = rendered.recipients.flatMap((own, index) => {
      const isUsable = own && own.subject !== '' && own.subject.length <= MAX_SUBJECT;
      return isUsable ? [{ ...own, email: emails[index]! }] : [];
    });
    return { ...rendered, recipients };
  }
}
