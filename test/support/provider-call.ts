/** What a provider gets for a call with events. */
export interface ProviderCallResponse {
  readonly status: number;
  readonly body: { readonly error?: string; readonly stored?: number; readonly ignored?: number };
}

/** Makes a call with events as a provider does. */
export async function makeProviderCall(
  url: string,
  body: string | Buffer,
  headers: Record<string, string>,
): Promise<{ readonly response: ProviderCallResponse; readonly headers: Headers }> {
  const received = await fetch(url, { method: 'POST', body, headers });
  const response = { status: received.status, body: (await received.json()) as ProviderCallResponse['body'] };
  return { response, headers: received.headers };
}
