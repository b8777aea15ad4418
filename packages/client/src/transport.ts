import type { Call, CallOptions, MailbeaconOptions } from './call.js';
import { failureOf } from './failed-response.js';
import { failureReason } from './failure-reason.js';
import { MailbeaconError } from './mailbeacon-error.js';
import { randomId } from './random-id.js';
import { pause } from './pause.js';
import { isRefusedBeforehand, isWorthRetrying, retryDelayMs } from './retry-policy.js';
import { fetchBody, isStream } from './upload.js';

/** What each attempt of a call sends, apart from a file. */
interface PreparedRequest {
  readonly id: string;
  readonly address: string;
  readonly headers: Headers;
  readonly body: string | undefined;
}

const TIMEOUT_MS = 30_000;
const RETRIES = 3;
/** How often a call asks for the result of its own earlier attempt: for about half a minute. */
const MAX_WAITS = 25;
/** A timer fires at once when its delay is longer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Sends calls, retries them if that is safe, and turns every failure into a `MailbeaconError`. */
export class Transport {
  readonly #options: MailbeaconOptions;
  readonly #url: string;

  constructor(options: MailbeaconOptions) {
    // In JavaScript, a variable of the environment that is not set.
    if (typeof options.url !== 'string')
      throw new TypeError('url must be the address of the service, such as https://mail.acme.example');
    this.#options = options;
    this.#url = options.url.replace(/(?<!\/)\/+$/, '');
  }

  /** The body of the response, in the type that the caller names from the API description. */
  async json<Body>(call: Call): Promise<Body> {
    return (await this.send(call, readJson)).body as Body;
  }

  /** The body of the response and its Link header. */
  async linked<Body>(call: Call): Promise<{ body: Body; link: string | null }> {
    const { body, link } = await this.send(call, readJson);
    return { body: body as Body, link };
  }

  async text(call: Call): Promise<string> {
    return this.send(call, (response) => response.text());
  }

  /** The response as it arrives. The time limit ends once it begins. */
  async stream(call: Call): Promise<ReadableStream<Uint8Array>> {
    return this.send(call, async (response) => response.body ?? new Blob([]).stream());
  }

  /** The API key of calls with these options; null for a session of the dashboard. */
  keyOf(options: CallOptions | undefined): string | null {
    return this.headersOf({ method: 'GET', path: '', options }, '').get('x-api-key');
  }

  private async send<Result>(call: Call, read: (response: Response) => Promise<Result>): Promise<Result> {
    // Before the first attempt: a repetition sends the same, even if the caller has changed the object meanwhile, and
    // what can never be sent is not repeated.
    const request = this.requestOf(call);
    const retries = call.options?.retries ?? this.#options.retries ?? RETRIES;
    const isRepeatable = call.isRepeatable ?? ['GET', 'DELETE'].includes(call.method);
    let mayHaveActed = false;
    let waits = 0;
    for (let failed = 1; ; failed++) {
      try {
        return await this.attempt(call, request, read);
      } catch (error) {
        if (!(error instanceof MailbeaconError)) throw error;
        const { status, retryAfterMs } = error;
        const earlier = mayHaveActed ? await earlierResponse(call, status) : undefined;
        if (earlier) return read(earlier);
        const wasStreamed = call.upload !== undefined && isStream(call.upload.content);
        // Its response was lost, but it still runs: an error would hide that it takes effect.
        const isRunning = mayHaveActed && status === 409 && retryAfterMs !== undefined && ++waits <= MAX_WAITS;
        if (isRunning) failed--;
        if (failed > retries || wasStreamed || !isWorthRetrying({ status, retryAfterMs, isRepeatable })) throw error;
        mayHaveActed ||= status !== 409 && !isRefusedBeforehand(status);
        await pause(retryDelayMs(failed, retryAfterMs, Math.random()), call.options?.signal);
      }
    }
  }

  private async attempt<Result>(call: Call, request: PreparedRequest, read: (response: Response) => Promise<Result>) {
    const { options, upload } = call;
    const signal = options?.signal;
    signal?.throwIfAborted();
    const time = new AbortController();
    const timeoutMs = options?.timeoutMs ?? Math.max(this.#options.timeoutMs ?? TIMEOUT_MS, call.timeoutMs ?? 0);
    const abort = (): void => time.abort(new Error(`no response within ${timeoutMs} ms`));
    const timer = setTimeout(abort, Math.min(timeoutMs, MAX_TIMER_MS));
    try {
      const response = await (this.#options.fetch ?? fetch)(request.address, {
        method: call.method,
        headers: request.headers,
        // Redirects are not followed, because the key must not go to another address.
        redirect: 'manual',
        signal: signal ? AbortSignal.any([signal, time.signal]) : time.signal,
        ...(request.body !== undefined && { body: request.body }),
        ...(upload && { body: fetchBody(upload.content), ...(isStream(upload.content) && { duplex: 'half' }) }),
      } as RequestInit);
      if (!response.ok) throw await failureOf(response, request.id);
      return await read(response);
    } catch (cause) {
      if (cause instanceof MailbeaconError) throw cause;
      signal?.throwIfAborted();
      const reason = (time.signal.aborted ? time.signal.reason : cause) as Error;
      const message = `${call.method} ${call.path} failed: ${failureReason(reason)}`;
      throw new MailbeaconError({ status: 0, message, requestId: request.id, cause: reason });
    } finally {
      clearTimeout(timer);
    }
  }

  private requestOf(call: Call): PreparedRequest {
    const id = randomId();
    const body = call.body && JSON.stringify(call.body);
    return { id, address: this.addressOf(call), headers: this.headersOf(call, id), body };
  }

  private addressOf({ path, query = {} }: Call): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value != null) parameters.set(name, String(value));
    return `${this.#url}${path}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`;
  }

  /** As `Headers`, because an object can have one header twice, in different cases, and `fetch` joins their values. */
  private headersOf({ headers, body, upload, options }: Call, requestId: string): Headers {
    const type = upload?.type ?? (body && 'application/json');
    const ours = {
      ...(this.#options.apiKey !== undefined && { 'x-api-key': this.#options.apiKey }),
      ...(type !== undefined && { 'content-type': type }),
      'x-request-id': requestId,
    };
    const result = new Headers();
    for (const source of [ours, this.#options.headers, headers, options?.headers])
      for (const [name, value] of Object.entries(source ?? {})) result.set(name, value);
    return result;
  }
}

/** The response that was lost, if the refusal of a repetition means that an earlier attempt took effect. */
async function earlierResponse({ method, earlierResult }: Call, status: number): Promise<Response | undefined> {
  if (method === 'DELETE' && status === 404) return new Response(null);
  const result = await earlierResult?.(status);
  return result && new Response(JSON.stringify(result));
}

async function readJson(response: Response): Promise<{ body: unknown; link: string | null }> {
  const text = await response.text();
  return { body: text === '' ? undefined : JSON.parse(text), link: response.headers.get('link') };
}
