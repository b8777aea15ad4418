import { linkMac, signLink } from '../../links/link-token.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import { webDestination } from '../destination.js';
import { escapedFor } from '../escape-value.js';
import { charactersOf, isTooLong } from '../liquid/bounded-emitter.js';
import type { Variables } from '../liquid/liquid-template.js';
import { trackerOf, unsubscribeUrlOf, type RenderRequest } from '../render-email.js';
import { withUnsubscribeUrlInText } from '../unsubscribe-places.js';
import { compileMessage, subjectOf, type CompiledMessage, type MessageSource } from './message-template.js';
import { changesText } from './derived-text.js';
import { joinableValues, UNSUBSCRIBE } from './personalize-email.js';
import type { LinkSite } from './marked-html.js';
import { inHtml, inText, type SplicedMessage } from './spliced-message.js';
import { tagMessage, type TaggedMessage } from './tagged-message.js';

/** One message, and some of its recipients. Plain data, because it goes to another thread. */
export interface BatchRenderRequest {
  readonly source: MessageSource;
  readonly baseUrl: string;
  readonly recipients: readonly BatchRenderRecipient[];
}

interface BatchRenderRecipient extends Pick<RenderRequest, 'emailTrackingId' | 'unsubscribe'> {
  readonly variables: Variables;
  /** Milliseconds since the epoch: the time that "now" means. */
  readonly now: number;
}

/** The parts of one recipient. */
export interface Substitution {
  readonly subject: string;
  /** In the order of the tags. */
  readonly values: readonly string[];
  /** The destinations of tracked links, by position. */
  readonly urls: readonly string[];
  readonly unsubscribeUrl: string;
}

export interface SubstitutedMessage extends Pick<TaggedMessage, 'html' | 'text' | 'tags'> {
  /** In the order of the request; undefined for recipients whose email has to be created separately. */
  readonly recipients: readonly (Substitution | undefined)[];
}

/**
 * Characters of all values of one task. A text part with a loop can have 5 MB per recipient, and the result goes to the
 * main thread as a whole.
 */
const MAX_CHARACTERS = 8 * 1024 * 1024;

const tagged = new WeakMap<
  CompiledMessage,
  { readonly baseUrl: string; readonly message: TaggedMessage | undefined }
>();

/**
 * Renders the emails of several recipients as one message with tags, and the values of the tags for each recipient.
 * Replacing the tags gives the same bytes as `personalizeEmail`. Undefined for a message that does not allow this.
 * Recipients whose values are too long together are left for separate rendering.
 * @throws TemplateError, RenderingLimitError
 */
export function substituteEmails(request: BatchRenderRequest, keys: SigningKeys): SubstitutedMessage | undefined {
  const { source, baseUrl, recipients } = request;
  const compiled = compileMessage(source);
  const message = taggedOf(compiled, source, baseUrl);
  const pieces = compiled.pieces();
  if (!message || !pieces) return undefined;
  const { html, text, tags, urls } = message;
  const commonLength = charactersOf([html, text]);
  if (isTooLong([html, text], commonLength)) return undefined;
  const fixedUrls = urls.filter((url) => url !== undefined);
  const commonUrls = fixedUrls.length === urls.length ? fixedUrls : undefined;
  let characters = 0;
  const substituteFor = (recipient: BatchRenderRecipient): Substitution | undefined => {
    if (characters > MAX_CHARACTERS) return undefined;
    try {
      const own = new RecipientValues(compiled, pieces, message, { ...recipient, baseUrl }, keys).all(commonUrls);
      if (!own) return undefined;
      const values = [own.subject, ...own.values];
      const length = charactersOf(values);
      // Rendered separately, it fails only if one of its parts is too long.
      if (isTooLong([html, text, ...values], commonLength + length)) return undefined;
      characters += length;
      return own;
    } catch {
      // Rendered separately, it fails with the reason.
      return undefined;
    }
  };
  return { html, text, tags, recipients: recipients.map(substituteFor) };
}

function taggedOf(compiled: CompiledMessage, source: MessageSource, baseUrl: string): TaggedMessage | undefined {
  const known = tagged.get(compiled);
  if (known?.baseUrl === baseUrl) return known.message;
  const message = tagMessage(compiled, source, baseUrl);
  tagged.set(compiled, { baseUrl, message });
  return message;
}

class RecipientValues {
  private readonly urls: string[];
  private hasOtherLinks = false;

  constructor(
    private readonly compiled: CompiledMessage,
    private readonly pieces: SplicedMessage,
    private readonly message: TaggedMessage,
    private readonly recipient: BatchRenderRecipient & Pick<BatchRenderRequest, 'baseUrl'>,
    private readonly keys: SigningKeys,
  ) {
    this.urls = message.urls.map((url) => url ?? '');
  }

  /** @param commonUrls the destinations, if all recipients have the same ones */
  all(commonUrls: readonly string[] | undefined): Substitution | undefined {
    const { compiled, message, pieces, recipient } = this;
    const unsubscribeUrl = unsubscribeUrlOf(recipient, this.keys);
    if (unsubscribeUrl === undefined) return undefined;
    const options = { now: new Date(recipient.now) };
    const slots = joinableValues(pieces, recipient.variables, unsubscribeUrl, options);
    if (!slots) return undefined;
    // Tags stand for the values alone.
    if (!compiled.text && changesText(pieces, slots)) return undefined;
    const variables = { ...recipient.variables, [UNSUBSCRIBE]: `{{${UNSUBSCRIBE}}}` };
    const escaped = slots.map((value, slot) => inHtml(pieces.slots[slot]!, value));
    const values = message.meanings.map((meaning) => {
      switch (meaning.kind) {
        case 'tracking ID':
          return recipient.emailTrackingId;
        case 'link MAC':
          return linkMac(this.keys, recipient.emailTrackingId, meaning.payload);
        case 'link':
          return this.linkOf(meaning.site, meaning.position, escaped, unsubscribeUrl);
        case 'slot':
          return meaning.in === 'html'
            ? escaped[meaning.slot]!
            : inText(pieces.slots[meaning.slot]!, slots[meaning.slot]!);
        case 'text':
          return withUnsubscribeUrlInText(compiled.text!.render(variables, options), unsubscribeUrl)!;
      }
    });
    const subject = subjectOf(compiled.subject.render(variables, options));
    if (this.hasOtherLinks || subject.includes(message.tagCore) || mayFormTag(message, values)) return undefined;
    if (message.textOfTags?.every((tag) => values[tag] === '')) return undefined;
    return { subject, values, urls: commonUrls ?? this.urls, unsubscribeUrl };
  }

  /** The positions assume that a link with variables is tracked. */
  private linkOf(
    { pieces, quote }: LinkSite,
    position: number,
    slots: readonly string[],
    unsubscribeUrl: string,
  ): string {
    const { emailTrackingId, baseUrl } = this.recipient;
    const url = webDestination(pieces.map((piece) => (typeof piece === 'string' ? piece : slots[piece]!)).join(''));
    const tracker = trackerOf(this.recipient, this.keys, unsubscribeUrl);
    if (url === undefined || tracker.isExempt(url) || tracker.isOurs(url)) {
      this.hasOtherLinks = true;
      return '';
    }
    this.urls[position] = url;
    return escapedFor(quote, `${baseUrl}/api/t/c/${signLink(this.keys, { emailTrackingId, position, url })}`);
  }
}

/** True if values form the core of a tag, alone or with the text around them. */
function mayFormTag({ html, text, tagCore }: TaggedMessage, values: readonly string[]): boolean {
  if (!values.some((value) => mayContinue(value, tagCore))) return false;
  const tag = new RegExp(`~${tagCore.replace('.', '\\.')}(\\d+)~`, 'g');
  return [html, text].some((part) =>
    part.replace(tag, (_tag, index: string) => values[Number(index)]!).includes(tagCore),
  );
}

/** True if the value contains a part of the core where another part may be next to it, or all of it. */
function mayContinue(value: string, core: string): boolean {
  if (value.includes(core) || (value !== '' && core.includes(value))) return true;
  for (let length = 1; length < core.length; length++) {
    if (value.endsWith(core.slice(0, length)) || value.startsWith(core.slice(length))) return true;
  }
  return false;
}
