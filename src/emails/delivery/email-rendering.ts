import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { Batcher } from '../../platform/database/batcher.js';
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
export interface RenderedForRecipient extends Pick<RenderedEmail, 'html' | 'text' | 'unsubscribeUrl'> {
  readonly subject: string;
  /** The destinations of its tracked links, by position. */
  readonly urls: readonly string[];
}

type RenderedBatch = Batcher<RenderedFields, RenderedForRecipient | undefined>;

/** Emails of one message that a thread makes at once. */
const MAX_BATCH = 16;
/** Messages whose emails are collected at a time. */
const MAX_MESSAGES = 32;

/** Emails of one message that go out in one call. */
export interface RenderedTogether<Email = LoadedEmail> extends Pick<TogetherMessage, 'html' | 'text' | 'tags'> {
  readonly recipients: readonly (Substitution & { readonly email: Email })[];
}

/** A subject that is no subject for this recipient. */
export class UnusableSubjectError extends Error {}

/** Renders a stored email to the same bytes on every attempt and host. */
@Injectable()
export class EmailRendering {
  private readonly batches = new Map<string, RenderedBatch>();

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
    const { html, text, shared, message } = email;
    const requester = { organizationId: message.organizationId, mayBeRefused: false };
    if (!shared) {
      const request = { html, ...(text !== null && { text }), ...this.recipientOf(email) };
      return { ...withUrls(await this.pool.render(request, this.keys.current, requester)), subject: message.subject };
    }
    const one = await this.batchOf(shared.messageId).call(email);
    if (one) return one;
    const source = await this.messages.find(shared.messageId);
    const now = email.createdAt.getTime();
    const request = { source, variables: shared.variables, now, ...this.recipientOf(email) };
    const rendered = await this.pool.personalize(request, this.keys.current, requester);
    if (rendered.subject === '') throw new UnusableSubjectError('subject is empty for this recipient');
    if (rendered.subject.length > MAX_SUBJECT) throw new UnusableSubjectError('subject is too long for this recipient');
    return { ...withUrls(rendered), subject: rendered.subject };
  }

  private recipientOf({ trackingId, unsubscribe, message: { from, to } }: RenderedFields) {
    return {
      emailTrackingId: trackingId,
      baseUrl: this.settings.BASE_URL,
      ...(unsubscribe && { unsubscribe: { sender: from, recipient: to[0]!.address } }),
    };
  }

  /** Deliveries of one message share a task of a thread: the message costs as much to pass as an email to make. */
  private batchOf(messageId: string): RenderedBatch {
    const known = this.batches.get(messageId);
    if (known) return known;
    const batch: RenderedBatch = new Batcher((emails) => this.renderBatch(emails), MAX_BATCH);
    this.batches.set(messageId, batch);
    const [oldest] = this.batches.keys();
    if (this.batches.size > MAX_MESSAGES) this.batches.delete(oldest!);
    return batch;
  }

  /** Undefined for emails that have to be made alone, and then may fail. */
  private async renderBatch(emails: readonly RenderedFields[]): Promise<(RenderedForRecipient | undefined)[]> {
    const together = await this.renderTogether(emails).catch(() => undefined);
    if (!together) return emails.map(() => undefined);
    const [html, text] = [together.html, together.text].map((part) => partsBetween(part, together.tags));
    const made = together.recipients.map(({ email, values, subject, urls, unsubscribeUrl }) => {
      const own = { subject, urls, unsubscribeUrl, html: joined(html!, values), text: joined(text!, values) };
      return [email, own] as const;
    });
    const byEmail = new Map<RenderedFields, RenderedForRecipient>(made);
    return emails.map((email) => byEmail.get(email));
  }

  /**
   * Renders emails of one shared message as one message with tags. Leaves out emails that have to be delivered alone;
   * undefined when all of them have to.
   * @param emails at least one, all of the same message and sender
   * @throws RenderingLimitError, TemplateError
   */
  async renderTogether<Email extends RenderedFields>(
    emails: readonly Email[],
  ): Promise<RenderedTogether<Email> | undefined> {
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

function withUrls({ html, text, links, unsubscribeUrl }: RenderedEmail): Omit<RenderedForRecipient, 'subject'> {
  const urls = links.map(({ originalUrl }) => originalUrl);
  return { html, text, urls, ...(unsubscribeUrl !== undefined && { unsubscribeUrl }) };
}

/** What is before, between and behind the tags of a text, in turns with the indexes of the tags. */
function partsBetween(text: string, tags: readonly string[]): (string | number)[] {
  const indexes = new Map(tags.map((tag, index) => [tag, index]));
  const parts = text.split(/(~m\d+\.\d+~)/);
  return parts.map((part) => indexes.get(part) ?? part);
}

function joined(parts: readonly (string | number)[], values: readonly string[]): string {
  return parts.map((part) => (typeof part === 'string' ? part : values[part]!)).join('');
}
