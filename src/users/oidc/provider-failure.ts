/** Codes of the library: no response in time, a status such as 500, or a response that is not JSON. */
const NO_ANSWER = new Set([
  ...['OAUTH_TIMEOUT', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'],
  // A 401 with a challenge: it does not know our secret, for example.
  'OAUTH_WWW_AUTHENTICATE_CHALLENGE',
]);
/** The provider itself could not handle the request of the browser (RFC 6749, 4.1.2.1). */
const FAILED_AUTHORIZATION = new Set(['server_error', 'temporarily_unavailable']);

/** True if nobody can sign in until the provider works, rather than that it refused this person. */
export function isFailureOfProvider(thrown: unknown): boolean {
  const { code, error, message } = thrown as { code?: string; error?: string; message?: string };
  switch (code) {
    case 'OAUTH_RESPONSE_BODY_ERROR':
      // A code that was used already, or is too old, needs another sign-in.
      return error !== 'invalid_grant';
    case 'OAUTH_AUTHORIZATION_RESPONSE_ERROR':
      return FAILED_AUTHORIZATION.has(error ?? '');
    default:
      return NO_ANSWER.has(code ?? '') || (thrown instanceof TypeError && message === 'fetch failed');
  }
}
