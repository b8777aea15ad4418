/** Codes of the library: no response in time, a status such as 500, or a response that is not JSON. */
const NO_USABLE_RESPONSE = new Set([
  ...['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'],
  // A 401 with a challenge: it does not know our secret, for example.
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
]);
/** The code was used already or is too old, so it needs another sign-in; or the provider refuses this person. */
const REFUSALS = new Set(['invalid_grant', 'access_denied']);
/** The provider itself could not handle the request of the browser (RFC 6749, 4.1.2.1). */
const FAILED_AUTHORIZATION = new Set(['server_error', 'temporarily_unavailable']);

/** True if nobody can sign in until the provider works, rather than that it refused this person. */
export function isFailureOfProvider(thrown: unknown): boolean {
  const { code, error, message } = thrown as { code?: string; error?: string; message?: string };
  switch (code) {
    case 'OAUTH_RESPONSE_BODY_ERROR':
      return !REFUSALS.has(error ?? '');
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return FAILED_AUTHORIZATION.has(error ?? '');
    default:
      return NO_USABLE_RESPONSE.has(code ?? '') || (thrown instanceof TypeError && message === 'fetch failed');
  }
}
