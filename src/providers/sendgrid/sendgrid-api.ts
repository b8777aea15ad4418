export interface SendGridApiOptions {
  readonly apiKey: string;
  /** Base address of the API, without a path. */
  readonly url: string;
}

interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

interface ApiResponse {
  readonly status: number;
  readonly text: string;
}

/** SendGrid cannot be reached, or sends an invalid response. The message is safe to log and contains no credential. */
export class SendGridApiError extends Error {}

const MAX_RESPONSE_CHARACTERS = 1024 * 1024;

/** Calls the part of SendGrid's API that manages an account. @throws SendGridApiError without a response */
export async function callSendGridApi(
  { apiKey, url }: SendGridApiOptions,
  { method, path, body }: ApiRequest,
  signal: AbortSignal,
): Promise<ApiResponse> {
  try {
    const response = await fetch(url + path, {
      method,
      signal,
      // Following a redirect would send the API key to another host.
      redirect: 'error',
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    throw new SendGridApiError(
      signal.aborted ? 'SendGrid did not respond in time' : 'The connection to SendGrid failed',
    );
  }
}

/** @throws SendGridApiError when the text is too long or not JSON */
export function readSendGridJson(text: string): unknown {
  if (text.length > MAX_RESPONSE_CHARACTERS) throw new SendGridApiError('The response of SendGrid is too long');
  try {
    return JSON.parse(text);
  } catch {
    throw new SendGridApiError('SendGrid sent an unexpected response');
  }
}
