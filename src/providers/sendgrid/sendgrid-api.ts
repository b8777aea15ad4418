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

const MAX_RESPONSE_BYTES = 1024 * 1024;

/**
 * Calls the part of SendGrid's API that manages an account.
 * @throws SendGridApiError without a response, or when it is too long
 */
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
    return { status: response.status, text: await textOf(response) };
  } catch (error) {
    if (error instanceof SendGridApiError) throw error;
    throw new SendGridApiError(
      signal.aborted ? 'SendGrid did not respond in time' : 'The connection to SendGrid failed',
    );
  }
}

/** Closes the connection instead of reading a longer body. @throws SendGridApiError */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new SendGridApiError('The response of SendGrid is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** @throws SendGridApiError when the text is not JSON */
export function readSendGridJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SendGridApiError('SendGrid sent an unexpected response');
  }
}
