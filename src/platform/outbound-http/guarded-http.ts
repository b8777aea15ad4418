import http, { type ClientRequest, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { abortAfter, DeadlineError } from '../clock/with-deadline.js';
import { responseTo, type HttpResponse } from './bounded-response.js';
import { CONNECT_ATTEMPT_MS, guardedLookup } from './guarded-lookup.js';
import { limitIdleConnections } from './idle-connections.js';
import { refusalOf, TargetRefusedError, type OutboundPolicy } from './outbound-policy.js';
import type { HostAddresses } from './resolve-host.js';

export interface HttpPost {
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body: string;
  /**
   * Overall deadline, from the DNS lookup to the last byte of the response. After the headers, it only ends the body.
   */
  readonly deadlineMs: number;
  /** Number of bytes of the response body to keep. */
  readonly keepBytes: number;
}

const MAX_HEADER_BYTES = 16 * 1024;

const AGENT_OPTIONS = {
  keepAlive: true,
  maxFreeSockets: 64,
  timeout: 20_000,
  autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
};

/**
 * Posts to user-supplied URLs. Checks the addresses inside the connection's own DNS lookup, so that DNS rebinding
 * cannot substitute another address. Follows no redirects, ignores proxies of the environment, and reads only a bounded
 * part of the response.
 */
export class GuardedHttp {
  private readonly lookup: LookupFunction;
  private readonly agents = { http: new http.Agent(AGENT_OPTIONS), https: new https.Agent(AGENT_OPTIONS) };

  constructor(
    private readonly policy: OutboundPolicy,
    findAddresses: HostAddresses,
  ) {
    this.lookup = guardedLookup(policy, findAddresses);
    limitIdleConnections(Object.values(this.agents));
  }

  /**
   * Returns why a URL is refused whatever its name resolves to, as in "url …". Names are resolved when they are used:
   * a response now would show which names and addresses the network of this service has.
   */
  refusalOf(url: URL): string | undefined {
    return refusalOf(url, this.policy);
  }

  /** @throws TargetRefusedError before any connection, and the errors of `responseTo` */
  async post(post: HttpPost): Promise<HttpResponse> {
    const url = new URL(post.url);
    const refusal = refusalOf(url, this.policy);
    if (refusal !== undefined) throw new TargetRefusedError(refusal);
    return abortAfter(post.deadlineMs, async (signal) => {
      try {
        return await this.exchange(url, post, signal);
      } catch (error) {
        throw signal.aborted ? new DeadlineError() : error;
      }
    });
  }

  close(): void {
    for (const agent of Object.values(this.agents)) agent.destroy();
  }

  /** The server may close a keep-alive connection just as we reuse it, so such a failure is retried once. */
  private async exchange(url: URL, post: HttpPost, signal: AbortSignal): Promise<HttpResponse> {
    const first = this.request(url, post, signal, isHttps(url) ? this.agents.https : this.agents.http);
    try {
      return await responseTo(first, post, signal);
    } catch (error) {
      if (!first.reusedSocket || signal.aborted) throw error;
      // A new agent has neither keep-alive connections nor the environment's proxies.
      const agent = isHttps(url) ? new https.Agent() : new http.Agent();
      return responseTo(this.request(url, post, signal, agent), post, signal);
    }
  }

  private request(url: URL, { headers }: HttpPost, signal: AbortSignal, agent: http.Agent): ClientRequest {
    const options = {
      method: 'POST',
      ...{ headers, signal, agent },
      lookup: this.lookup,
      maxHeaderSize: MAX_HEADER_BYTES,
      autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_MS,
    };
    return (isHttps(url) ? https : http).request(url, options);
  }
}

function isHttps({ protocol }: URL): boolean {
  return protocol === 'https:';
}
