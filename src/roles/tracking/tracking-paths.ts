/** Path prefix of all tracking endpoints. One letter for the kind and a slash follow. */
export const TRACKING_PREFIX = '/api/t/';

const TOKEN_START = TRACKING_PREFIX.length + 'o/'.length;
const SLASH = 0x2f;

/** The last path segment, without the query and without a trailing slash that a gateway may have added. */
export function tokenOf(url: string): string {
  const query = url.indexOf('?', TOKEN_START);
  const end = query === -1 ? url.length : query;
  return url.slice(TOKEN_START, url.charCodeAt(end - 1) === SLASH ? end - 1 : end);
}
