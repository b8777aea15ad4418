import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type RunSettings } from '../../platform/config/settings.js';
import { SharedMessages } from '../../broadcasts/shared-messages.js';
import { problemOfSubject } from '../accept/plain-text.js';
import { isLongSubject } from '../accept/content-rules.js';
import type { LoadedEmail } from './loaded-email.js';
import { UnknownSigningKeyError } from '../../links/link-token.js';
import { SigningKeyRing } from '../../links/signing-key-ring.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import { joinPieces, type MessagePieces, type Pieces } from '../../providers/message-pieces.js';
import type { BatchMessage } from '../../providers/provider.js';
import { BoundedCache } from '../../rendering/bounded-cache.js';
import type { Substitution } from '../../rendering/personalize/substitute-email.js';
import type { RenderedEmail } from '../../rendering/render-email.js';
import { RenderingPool } from '../../rendering/rendering-pool.js';

type RenderedFields = Pick<
  LoadedEmail,
  'html' | 'shared' | 'text' | 'trackingId' | 'baseUrl' | 'unsubscribe' | 'message' | 'createdAt'
>;

/** A rendered email, ready to be sent. */
export interface RenderedForRecipient extends Pick<RenderedEmail, 'html' | 'text' | 'unsubscribeUrl'> {
  readonly subject: string;
  /** For an email that was rendered in a batch. */
  readonly pieces?: MessagePieces;
  /** The destinations of its tracked links, by position. */
  readonly urls: readonly string[];
}

/** Characters of the messages whose pieces are cached: one of maximum length, or hundreds of usual length. */
const MAX_CHARACTERS = 6 * 1024 * 1024;

/**
 * How long emails wait for a rendering thread, in milliseconds; their job may hold a slot meanwhile. Those of one
 * organization have a line of their own.
 */
const LONGEST_RENDERING_WAIT_MS = 2_000;

interface TaggedPieces {
  readonly of: Pick<BatchMessage, 'html' | 'text'>;
  readonly html: Pieces;
  readonly text: Pieces;
}

/** Emails of one message that are sent in one call. */
export interface RenderedBatch<Email = LoadedEmail> extends Pick<BatchMessage, 'html' | 'text' | 'tags'> {
  readonly recipients: readonly (Substitution & { readonly email: Email })[];
}

/** A subject that is unusable for this recipient. */
export class UnusableSubjectError extends Error {}

/** Renders a stored email to the same bytes on every attempt and host. */
@Injectable()
export class EmailRendering {
  private readonly pieces = new BoundedCache<TaggedPieces>(MAX_CHARACTERS);

  constructor(
    private readonly pool: RenderingPool,
    private readonly keys: SigningKeyRing,
    private readonly messages: SharedMessages,
    @Inject(SETTINGS) private readonly settings: RunSettings,
  ) {}

  /**
   * Any number of accepted emails may wait, but none of them for long.
   * @throws RenderingLimitError, TemplateError, UnusableSubjectError
   * @throws RenderingWaitError when no rendering thread is free for it in time
   * @throws UnknownSigningKeyError if something in the email needs a key that was deleted
   */
  async render(email: RenderedFields): Promise<RenderedForRecipient> {
    try {
      return await this.renderWith(this.keys.current, email);
    } catch (error) {
      if (!(error instanceof UnknownSigningKeyError)) throw error;
      // The key may be in Postgres while this process does not know it, such as after it was restored.
      return this.renderWith(await this.keys.reload(), email);
    }
  }

  private async renderWith(keys: SigningKeys, email: RenderedFields): Promise<RenderedForRecipient> {
    const { html, text, shared, message } = email;
    const requester = requesterOf(message.organizationId);
    if (!shared) {
      const request = { html, ...(text !== null && { text }), ...this.recipientOf(email) };
      return { ...withUrls(await this.pool.render(request, keys, requester)), subject: message.subject };
    }
    const source = await this.messages.find(shared.messageId);
    const now = email.createdAt.getTime();
    const request = { source, variables: shared.variables, now, ...this.recipientOf(email) };
    const rendered = await this.pool.personalize(request, keys, requester);
    const problem = problemForRecipient(rendered.subject);
    if (problem !== undefined) throw new UnusableSubjectError(`subject ${problem}`);
    return { ...withUrls(rendered), subject: rendered.subject };
  }

  private recipientOf({ trackingId, baseUrl, unsubscribe, message: { from, to } }: RenderedFields) {
    return {
      emailTrackingId: trackingId,
      baseUrl: baseUrl ?? this.settings.BASE_URL,
      ...(unsubscribe && { unsubscribe: { sender: from, recipient: to[0]!.address } }),
    };
  }

  /**
   * Renders emails of one shared message for a provider that takes them one by one: passing the message to a thread
   * costs as much as rendering an email. Leaves out emails that have to be rendered alone, which may then fail.
   * @param emails at least one, all of the same message, sender and base URL
   * @returns a function per email that builds it when its turn comes
   * @throws RenderingLimitError, TemplateError, RenderingWaitError
   */
  async renderEach<Email extends RenderedFields>(
    emails: readonly Email[],
  ): Promise<ReadonlyMap<Email, () => RenderedForRecipient>> {
    const batch = await this.renderBatch(emails);
    if (!batch) return new Map();
    const { html, text } = this.piecesOf(emails[0]!.shared!.messageId, batch);
    return new Map(
      batch.recipients.map(({ email, values, subject, urls, unsubscribeUrl }) => {
        const content = () => ({
          html: joinPieces(html, values),
          text: joinPieces(text, values),
          pieces: { html, text, values },
        });
        return [email, () => ({ subject, urls, unsubscribeUrl, ...content() })];
      }),
    );
  }

  /** Emails of one message share the same list objects, so that a provider can cache what it derives from them. */
  private piecesOf(
    messageId: string,
    { html, text, tags }: Pick<BatchMessage, 'html' | 'text' | 'tags'>,
  ): TaggedPieces {
    const known = this.pieces.get(messageId);
    if (known?.of.html === html && known.of.text === text) return known;
    const pieces = { of: { html, text }, html: piecesBetween(html, tags), text: piecesBetween(text, tags) };
    this.pieces.set(messageId, pieces, html.length + text.length);
    return pieces;
  }

  /**
   * Renders emails of one shared message as one message with tags. Leaves out emails that have to be delivered alone;
   * undefined when all of them have to.
   * @param emails at least one, all of the same message, sender and base URL
   * @throws RenderingLimitError, TemplateError, RenderingWaitError
   */
  async renderBatch<Email extends RenderedFields>(emails: readonly Email[]): Promise<RenderedBatch<Email> | undefined> {
    const { shared, baseUrl, message } = emails[0]!;
    const request = {
      source: await this.messages.find(shared!.messageId),
      baseUrl: baseUrl ?? this.settings.BASE_URL,
      recipients: emails.map((email) => ({
        emailTrackingId: email.trackingId,
        variables: email.shared!.variables,
        now: email.createdAt.getTime(),
        unsubscribe: { sender: email.message.from, recipient: email.message.to[0]!.address },
      })),
    };
    const requester = requesterOf(message.organizationId);
    const rendered = await this.pool.personalizeBatch(request, this.keys.current, requester);
    if (!rendered) return undefined;
    const recipients = rendered.recipients.flatMap((own, index) => {
      const isUsable = own && problemForRecipient(own.subject) === undefined;
      return isUsable ? [{ ...own, email: emails[index]! }] : [];
    });
    return { ...rendered, recipients };
  }
}

function requesterOf(organizationId: string) {
  return { organizationId, mayBeRefused: false, maxWaitMs: LONGEST_RENDERING_WAIT_MS };
}

/** A template can create a subject that no request may have. */
function problemForRecipient(subject: string): string | undefined {
  if (subject === '') return 'is empty for this recipient';
  return isLongSubject(subject) ? 'is too long for this recipient' : problemOfSubject(subject);
}

function withUrls({ html, text, links, unsubscribeUrl }: RenderedEmail): Omit<RenderedForRecipient, 'subject'> {
  const urls = links.map(({ originalUrl }) => originalUrl);
  return { html, text, urls, ...(unsubscribeUrl !== undefined && { unsubscribeUrl }) };
}

/** The parts of a text before, between and after its tags, alternating with the indexes of the tags. */
function piecesBetween(text: string, tags: readonly string[]): Pieces {
  const indexes = new Map(tags.map((tag, index) => [tag, index]));
  // No other text contains what all tags of the message begin with. The first one ends with `0~`.
  const beginning = tags[0]!.slice(0, -2).replace('.', '\\.');
  const parts = text.split(new RegExp(`(${beginning}\\d+~)`));
  return parts.map((part) => indexes.get(part) ?? part);
}
