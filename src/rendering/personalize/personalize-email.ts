import { MAX_LINKS, signLink } from '../../links/link-token.js';
import type { SigningKeys } from '../../links/signing-keys.js';
import { webDestination } from '../destination.js';
import { escapedFor } from '../escape-value.js';
import { isTooLong, storableText, TOO_LONG } from '../liquid/bounded-emitter.js';
import type { Variables } from '../liquid/liquid-template.js';
import { TemplateError } from '../liquid/template-errors.js';
import { pixelUrlOf, renderEmail, trackerOf, unsubscribeUrlOf } from '../render-email.js';
import type { RenderedEmail, RenderRequest } from '../render-email.js';
import { RenderingLimitError } from '../rendering-limit-error.js';
import { pixelOf } from '../track-links.js';
import { withUnsubscribeUrlInText } from '../unsubscribe-places.js';
import {
  compileMessage,
  renderMessage,
  subjectOf,
  type CompiledMessage,
  type MessageSource,
} from './message-template.js';
import { derivedTextOf } from './derived-text.js';
import type { LinkSite, Piece } from './marked-html.js';
import { inHtml, valuesOf, type SplicedMessage } from './spliced-message.js';

/** One recipient of a message with variables. */
export interface PersonalRequest extends Pick<RenderRequest, 'emailTrackingId' | 'baseUrl' | 'unsubscribe'> {
  readonly source: MessageSource;
  readonly variables: Variables;
  /** Milliseconds since the epoch: the time that "now" means. */
  readonly now: number;
}

export interface PersonalEmail extends RenderedEmail {
  readonly subject: string;
}

/** The variable for the address of the recipient's unsubscribe page, and its value until the address is known. */
export const UNSUBSCRIBE = 'unsubscribe_url';
/** A value may contain such a placeholder, or a part of one. */
const MAY_BE_PLACE = /\{|%7b|unsubscribe/i;

/**
 * Creates the email of one recipient. For a template that was cut into pieces, only links have to be signed and pieces
 * joined; any other template is rendered and scanned for each recipient. Both paths give the same bytes.
 * @throws TemplateError, RenderingLimitError, UnknownSigningKeyError
 */
export function personalizeEmail(request: PersonalRequest, keys: SigningKeys): PersonalEmail {
  const message = compileMessage(request.source);
  return spliced(message, request, keys) ?? renderedWhole(message, request, keys);
}

/** The slower path, which works for every template. */
export function renderedWhole(message: CompiledMessage, request: PersonalRequest, keys: SigningKeys): PersonalEmail {
  const { emailTrackingId, baseUrl, unsubscribe } = request;
  const place = unsubscribe && { [UNSUBSCRIBE]: `{{${UNSUBSCRIBE}}}` };
  const options = { now: new Date(request.now) };
  const { subject, html, text } = renderMessage(message, { ...request.variables, ...place }, options);
  if (!html && text === null) throw new TemplateError('html', 'the message is empty', 1, 1);
  const own = text ?? derivedText(message, request, unsubscribeUrlOf(request, keys) ?? '');
  const email = { html: html ?? '', emailTrackingId, baseUrl, ...(unsubscribe && { unsubscribe }) };
  return { subject, ...renderEmail({ ...email, ...(own !== undefined && { text: own }) }, keys) };
}

function spliced(message: CompiledMessage, request: PersonalRequest, keys: SigningKeys): PersonalEmail | undefined {
  const { subject, text } = message;
  const pieces = message.pieces();
  const unsubscribeUrl = unsubscribeUrlOf(request, keys);
  if (!pieces || unsubscribeUrl === undefined) return undefined;
  const options = { now: new Date(request.now) };
  const values = joinableValues(pieces, request.variables, unsubscribeUrl, options);
  if (!values) return undefined;
  const variables = { ...request.variables, [UNSUBSCRIBE]: `{{${UNSUBSCRIBE}}}` };
  const ownText = text && withUnsubscribeUrlInText(text.render(variables, options), unsubscribeUrl);
  const body = joined(pieces, values, request, keys);
  if (!body || ownText === '') return undefined;
  return {
    subject: subjectOf(subject.render(variables, options)),
    ...body,
    text: ownText ?? derivedTextOf(pieces, values),
    pixelUrl: pixelUrlOf(request.emailTrackingId, request.baseUrl),
    unsubscribeUrl,
  };
}

/** Undefined if a value fails, could change what surrounds it, or cannot be stored alone. */
export function joinableValues(...[pieces, ...input]: Parameters<typeof valuesOf>): string[] | undefined {
  const values = triedValues(pieces, ...input);
  const areJoinable = values?.every((value, slot) => {
    return pieces.slots[slot]!.isUnsubscribe || (!MAY_BE_PLACE.test(value) && storableText(value) === value);
  });
  return areJoinable ? values : undefined;
}

function triedValues(...input: Parameters<typeof valuesOf>): string[] | undefined {
  try {
    return valuesOf(...input);
  } catch {
    return undefined;
  }
}

/** Both paths derive the text from the template, so that its lines do not depend on values. */
function derivedText(message: CompiledMessage, request: PersonalRequest, url: string): string | undefined {
  const pieces = message.pieces();
  if (!pieces) return undefined;
  const values = valuesOf(pieces, request.variables, url, { now: new Date(request.now) });
  return storableText(derivedTextOf(pieces, values));
}

function joined(
  { html, slots }: SplicedMessage,
  values: readonly string[],
  request: PersonalRequest,
  keys: SigningKeys,
): Pick<RenderedEmail, 'html' | 'links'> | undefined {
  const { emailTrackingId, baseUrl } = request;
  const escaped = values.map((value, index) => inHtml(slots[index]!, value));
  const textOf = (piece: Piece) => (typeof piece === 'string' ? piece : escaped[piece]!);
  const tracker = trackerOf(request, keys, unsubscribeUrlOf(request, keys));
  const links: RenderedEmail['links'] = [];
  let seen = 0;
  const linkOf = ({ pieces, quote }: LinkSite): string => {
    const value = pieces.length === 1 ? textOf(pieces[0]!) : pieces.map(textOf).join('');
    if (seen === MAX_LINKS) return value;
    const originalUrl = webDestination(value);
    if (originalUrl === undefined || (isPersonal(pieces) && tracker.isExempt(originalUrl))) return value;
    seen++;
    if (tracker.isOurs(originalUrl)) return value;
    const trackingId = signLink(keys, { emailTrackingId, position: links.length, url: originalUrl });
    const trackingUrl = `${baseUrl}/api/t/c/${trackingId}`;
    links.push({ originalUrl, trackingId, trackingUrl });
    return escapedFor(quote, trackingUrl);
  };
  let length = 0;
  const parts = html.map((piece) => {
    if (piece === null) return pixelOf(pixelUrlOf(emailTrackingId, baseUrl));
    const text = typeof piece === 'object' ? linkOf(piece) : textOf(piece);
    length += text.length;
    return text;
  });
  // A text-only email has no pixel.
  if (length === 0) return undefined;
  if (isTooLong(parts)) throw new RenderingLimitError(TOO_LONG);
  return { html: parts.join(''), links };
}

/** Only a link with variables can be the address of the recipient's page. */
function isPersonal(pieces: readonly Piece[]): boolean {
  return pieces.some((piece) => typeof piece === 'number');
}
