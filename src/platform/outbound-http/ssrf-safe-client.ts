import http, { type ClientRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { isIP, isIPv6, type LookupFunction, type Socket } from 'node:net';
import { hostOf, refusalOf, refusalOfAddresses, TargetRefusedError, type EgressPolicy } from './outbound-policy.js';
import type { HostAddresses } from './resolve-host.js';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The first bytes of the body, as many as were asked for. */
  readonly body: Buffer;
}

export interface HttpPost {
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
  /** For everything together, from the look-up of the name to the last byte of the answer. */
  readonly deadlineMs: number;
  /** Bytes of the answer's body that are kept. */
  readonly keepBytes: number;
}

/** Thrown when an answer was not complete in time. */
export class DeadlineError extends Error {}

/** More of an answer's body is not read: its connection is closed instead. */
const MAX_BODY_BYTES = 16 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
/** A look-up that takes longer says nothing yet. */
const JUDGE_WITHIN_MS = 5_000;
/** Time for one of several addresses before the next is tried too. */
const CONNECT_ATTEMPT_MS = 2_000;

const AGENT_OPTIONS = {
  keepAlive: true,
  maxFreeSockets: 64,
  timeout: 20_000,
  autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
};

/**
 * Posts to addresses that strangers name. An address is judged inside the look-up of the very connection that uses
 * it, so that no second look-up can answer otherwise. Redirects are not followed, proxies of the environment are
 * not used, and of an answer no more is read than a bounded beginning.
 */
export class GuardedHttp {
  private readonly agents = { 'http:': new http.Agent(AGENT_OPTIONS), 'https:': new https.Agent(AGENT_OPTIONS) };

  constructor(
    private readonly policy: EgressPolicy,
    private readonly findAddresses: HostAddresses,
  ) {}

  /** Why a URL would be refused now, as in "url …"; a name that cannot be looked up is judged when it is used. */
  async refusalOf(url: URL): Promise<string | undefined> {
    const refusal = refusalOf(url, this.policy);
    if (refusal !== undefined || this.policy.allowPrivateAddresses || isIP(hostOf(url)) !== 0) return refusal;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<readonly string[]>((resolve) => {
      timer = setTimeout(() => resolve([]), JUDGE_WITHIN_MS);
    });
    const addresses = await Promise.race([this.findAddresses(hostOf(url)).catch(() => []), late]);
    clearTimeout(timer);
    return refusalOfAddresses(addresses, this.policy);
  }

  /** @throws TargetRefusedError before any connection, DeadlineError, and the errors of sockets and look-ups */
  async post(post: HttpPost): Promise<HttpAnswer> {
    const url = new URL(post.url);
    const refusal = refusalOf(url, this.policy);
    if (refusal !== undefined) throw new TargetRefusedError(refusal);
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), post.deadlineMs);
    try {
      return await this.exchange(url, post, deadline.signal);
    } catch (error) {
      throw deadline.signal.aborted ? new DeadlineError() : error;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /** A kept connection may be closed by its server at the moment it is used again: that is nobody's failure. */
  private async exchange(url: URL, post: HttpPost, signal: AbortSignal): Promise<HttpAnswer> {
    const first = this.request(url, post, signal, false);
    try {
      return await answerTo(first, post, signal);
    } catch (error) {
      if (!first.reusedSocket || signal.aborted || first.res != null) throw error;
      return answerTo(this.request(url, post, signal, true), post, signal);
    }
  }

  private request(url: URL, { headers }: HttpPost, signal: AbortSignal, afresh: boolean): Request {
    const isHttps = url.protocol === 'https:';
    const options = {
      method: 'POST',
      headers,
      signal,
      agent: afresh ? undefined : this.agents[isHttps ? 'https:' : 'http:'],
      // An agent of its own has neither kept connections nor the environment's proxies.
      ...(afresh && { agent: isHttps ? new https.Agent() : new http.Agent() }),
      lookup: this.lookup,
      maxHeaderSize: MAX_HEADER_BYTES,
      autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
    };
    return (isHttps ? https : http).request(url, options) as Request;
  }

  private readonly lookup: LookupFunction = (hostname, options, callback) => {
    const fail = (error: NodeJS.ErrnoException): void => callback(error, '', 0);
    this.findAddresses(hostname).then((addresses) => {
      const refusal = refusalOfAddresses(addresses, this.policy);
      if (refusal !== undefined) return fail(new TargetRefusedError(refusal));
      const entries = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
      const [first] = entries;
      if (!first) return fail(Object.assign(new Error('No address'), { code: 'ENOTFOUND' }));
      if (options.all) callback(null, entries);
      else callback(null, first.address, first.family);
    }, fail);
  };
}

/** Node keeps the answer here once its head has arrived. */
type Request = ClientRequest & { readonly res?: IncomingMessage | null };

/**
 * Settles in any case: an answer that changes the protocol comes as no response, a connection can close without an
 * error, and nothing outlasts the deadline.
 */
function answerTo(request: Request, { body, keepBytes }: HttpPost, signal: AbortSignal): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const settle = ({ statusCode = 0, headers }: IncomingMessage, begun: Buffer): void => {
      const kept = Buffer.from(begun.subarray(0, keepBytes)); // a copy, so that the rest can go
      resolve({ status: statusCode, headers, body: kept });
    };
    signal.addEventListener('abort', () => reject(new DeadlineError()), { once: true });
    request.on('error', reject); // not once: a second error would be nobody's
    request.once('close', () => {
      if (request.res == null) reject(Object.assign(new Error('Closed without an answer'), { code: 'ECONNRESET' }));
    });
    request.once('upgrade', (response: IncomingMessage, socket: Socket) => {
      socket.destroy();
      settle(response, Buffer.alloc(0));
    });
    request.once('response', (response) => {
      readBeginning(response).then((begun) => settle(response, begun), reject);
    });
    request.end(body);
  });
}

async function readBeginning(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BODY_BYTES) break; // leaving the loop destroys the connection
  }
  return Buffer.concat(chunks);
}
