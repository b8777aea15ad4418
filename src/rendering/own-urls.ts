/** The path and token of an open, a click or an unsubscribe page, in `src/roles/tracking` and `src/links`. */
const TRACKING_PATH = /^https?:\/\/[^?#]+\/api\/t\/[ocu]\/[\w-]{24}/i;

/**
 * Recognizes tracking URLs: those of the email by the beginning, and those with another address of this service, such
 * as an earlier tracking domain, by their form.
 * @param baseUrl address with which those of the email begin, without a trailing slash
 */
export function ownUrlsOf(baseUrl: string): (url: string) => boolean {
  const own = `${baseUrl}/api/t/`.toLowerCase();
  return (url) => url.slice(0, own.length).toLowerCase() === own || TRACKING_PATH.test(url);
}
