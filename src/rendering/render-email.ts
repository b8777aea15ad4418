import { signingKeyOf } from '../links/email-tracking-id.js';
import { signLink } from '../links/link-token.js';
import type { SigningKeys } from '../links/signing-keys.js';
import { signUnsubscription, type Unsubscription } from '../links/unsubscribe-token.js';
import { ownUrlsOf } from './own-urls.js';
import { textPartOf } from './text-part/text-part.js';
import { trackLinks, type LinkTracker } from './track-links.js';
import { withUnsubscribeUrl, withUnsubscribeUrlInText } from './unsubscribe-places.js';

export interface RenderRequest {
  /** HTML of up to 5 MB. MJML must be compiled first. Empty for a text-only email. */
  readonly html: string;
  /** The sender's own text part; without it the text is derived from the HTML. */
  readonly text?: string;
  readonly emailTrackingId: string;
  /** The public URL of the service, without a trailing slash. */
  readonly baseUrl: string;
  /** Set if the email's only recipient may unsubscribe. */
  readonly unsubscribe?: Pick<Unsubscription, 'sender' | 'recipient'>;
}

export interface TrackedLink {
  /** The original destination, with character references decoded. */
  readonly originalUrl: string;
  readonly trackingId: string;
  readonly trackingUrl: string;
}

export interface RenderedEmail {
  /** The HTML with tracked links and the pixel; empty for a text-only email. */
  readonly html: string;
  /** The text/plain part, with the original links. Empty only if the HTML shows no text. */
  readonly text: string;
  /** In the order of their positions. */
  readonly links: TrackedLink[];
  readonly pixelUrl: string;
  /** Where the recipient unsubscribes. Absent unless the request has `unsubscribe`. */
  readonly unsubscribeUrl?: string;
}

/**
 * Renders the email for sending. Depends only on its arguments, so rendering again gives the same bytes.
 * @throws UnknownSigningKeyError if the key of the tracking ID is not among `keys`
 */
export function renderEmail(request: RenderRequest, keys: SigningKeys): RenderedEmail {
  const { emailTrackingId, baseUrl } = request;
  const pixelUrl = pixelUrlOf(emailTrackingId, baseUrl);
  const unsubscribeUrl = unsubscribeUrlOf(request, keys);
  const ends = { pixelUrl, ...(unsubscribeUrl && { unsubscribeUrl }) };
  const ownText = unsubscribeUrl === undefined ? request.text : withUnsubscribeUrlInText(request.text, unsubscribeUrl);
  if (request.html === '' && ownText !== undefined) return { html: '', text: ownText, links: [], ...ends };
  const html = unsubscribeUrl === undefined ? request.html : withUnsubscribeUrl(request.html, unsubscribeUrl);
  const tracked = trackLinks(html, trackerOf(request, keys, unsubscribeUrl));
  const links = tracked.links.map(({ originalUrl, trackingUrl }) => {
    return { originalUrl, trackingId: trackingUrl.slice(clickPrefix(baseUrl).length), trackingUrl };
  });
  return { html: tracked.html, text: ownText ?? textPartOf(html), links, ...ends };
}

/**
 * Builds the links of an email from its stored destinations, in the order of their positions. None if the key of its
 * tracking ID was deleted: nobody can build them again, and they no longer work.
 */
export function trackedLinksOf(
  urls: readonly string[],
  emailTrackingId: string,
  baseUrl: string,
  keys: SigningKeys,
): TrackedLink[] {
  if (signingKeyOf(keys, emailTrackingId) === undefined) return [];
  return urls.map((url, position) => {
    const trackingId = signLink(keys, { emailTrackingId, position, url });
    return { originalUrl: url, trackingId, trackingUrl: clickPrefix(baseUrl) + trackingId };
  });
}

export function pixelUrlOf(emailTrackingId: string, baseUrl: string): string {
  return `${baseUrl}/api/t/o/${emailTrackingId}`;
}

function clickPrefix(baseUrl: string): string {
  return `${baseUrl}/api/t/c/`;
}

/** In ASCII, because it becomes a header. */
export function unsubscribeUrlOf(
  { emailTrackingId, baseUrl, unsubscribe }: Omit<RenderRequest, 'html' | 'text'>,
  keys: SigningKeys,
): string | undefined {
  if (unsubscribe === undefined) return undefined;
  return new URL(`${baseUrl}/api/t/u/${signUnsubscription(keys, { emailTrackingId, ...unsubscribe })}`).href;
}

export function trackerOf(
  { emailTrackingId, baseUrl }: Pick<RenderRequest, 'emailTrackingId' | 'baseUrl'>,
  keys: SigningKeys,
  unsubscribeUrl: string | undefined,
): LinkTracker {
  const clicks = clickPrefix(baseUrl);
  return {
    trackingUrl: (url, position) => clicks + signLink(keys, { emailTrackingId, position, url }),
    isOurs: ownUrlsOf(baseUrl),
    isExempt: (url) => unsubscribeUrl !== undefined && normalized(url) === unsubscribeUrl,
    pixelUrl: pixelUrlOf(emailTrackingId, baseUrl),
  };
}

/** Different spellings of a URL count as the same unsubscribe link. */
function normalized(url: string): string {
  try {
    return new URL(url).href;
  } catch {
    return url;
  }
}
